// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of a text that the parser refuses, what can be read is
// read, line by line, and is never more than a perhaps.

package shellrc

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// validUTF8 puts a DEL in place of each byte that is not UTF-8, which the
// parser refuses and an old comment may well hold. No path that is looked for
// has a control character in it.
func validUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	b = bytes.Clone(b)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			b[i] = 0x7f
		}
		i += n
	}
	return b
}

// errorLine is the line on which the parser gave up.
func errorLine(err error) int {
	var parse syntax.ParseError
	var lang syntax.LangError
	switch {
	case errors.As(err, &parse):
		return int(parse.Pos.Line())
	case errors.As(err, &lang):
		return int(lang.Pos.Line())
	}
	return 0
}

// linesAfter reads each line after line number last as a program of its own.
func (w *walker) linesAfter(last int, lang syntax.LangVariant) {
	parser := syntax.NewParser(syntax.Variant(lang))
	for i, line := range bytes.Split(w.src, []byte("\n")) {
		if i < last || !bytes.Contains(line, []byte("source")) && !bytes.Contains(line, []byte(". ")) {
			continue
		}
		tree, err := parser.Parse(bytes.NewReader(line), "")
		if err != nil {
			continue
		}
		alone := walker{scope: w.scope, file: &File{Path: w.file.Path}, src: line, zsh: w.zsh,
			unaliased: make(map[string]int)}
		alone.stmts(tree.Stmts)
		for _, ref := range alone.file.Sources {
			ref.Line = i + 1
			w.file.Maybe = append(w.file.Maybe, ref)
		}
	}
}
