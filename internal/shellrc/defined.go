// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a word is defined in more ways than by alias and function
// (bash(1) ALIASES, hash; zshparam(1) aliases, functions, commands; zshbuiltins(1)
// autoload, hash). What such a definition does is kept where the file says it,
// and is an empty function where it does not.

package shellrc

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// maxEvals bounds evaluated lines within evaluated lines, maxEval the bytes of
// one; it is less than maxBrackets.
const (
	maxEvals = 4
	maxEval  = 16 << 10
)

// wordTables are the arrays whose elements are what a word means.
var wordTables = map[string]bool{"BASH_ALIASES": true, "BASH_CMDS": true, "aliases": true, "galiases": true,
	"commands": true, "functions": false}

// element follows an assignment to an element of such an array, or to all of
// it.
func (w *walker) element(a *syntax.Assign) {
	isAlias, is := wordTables[a.Name.Value]
	line := int(a.Name.Pos().Line())
	switch {
	case !is:
	case a.Array != nil:
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				w.opaque(line, strings.Trim(w.text(e.Index), `"'`))
			} else if e.Value != nil {
				w.opaque(line, w.plain(e.Value)) // of zsh's list, every second is a name
			}
		}
	case a.Index != nil:
		name, value := strings.Trim(w.text(a.Index), `"'`), ""
		if a.Value != nil {
			value = w.partly(a.Value.Parts)
		}
		if isAlias {
			w.file.Aliases = append(w.file.Aliases, Def{File: w.file.Path, Line: line, Name: name, Value: value})
		} else {
			w.file.Functions = append(w.file.Functions, Def{File: w.file.Path, Line: line, Name: name, Body: value})
		}
	}
}

// opaque notes a word that is defined in a way that the file does not say.
func (w *walker) opaque(line int, name string) {
	if name != "" {
		w.file.Functions = append(w.file.Functions, Def{File: w.file.Path, Line: line, Name: name})
	}
}

// hashed follows "hash -p FILE NAME" of bash and "hash NAME=FILE" of zsh.
func (w *walker) hashed(line int, args []*syntax.Word) {
	file := ""
	for i := 0; i < len(args); i++ {
		text := w.partly(args[i].Parts)
		name, path, joined := strings.Cut(text, "=")
		switch {
		case text == "-p" && i+1 < len(args):
			i++
			file = w.partly(args[i].Parts)
		case strings.HasPrefix(text, "-"):
		case joined:
			w.file.Aliases = append(w.file.Aliases, Def{File: w.file.Path, Line: line, Name: name, Value: path})
		case file != "":
			w.file.Aliases = append(w.file.Aliases, Def{File: w.file.Path, Line: line, Name: text, Value: file})
		}
	}
}

// loaded follows "autoload NAME...": the function is read from a file of fpath
// when the word is typed.
func (w *walker) loaded(line int, args []*syntax.Word) {
	for _, arg := range args {
		if text := w.partly(arg.Parts); !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "+") {
			w.opaque(line, text[strings.LastIndexByte(text, '/')+1:])
		}
	}
}

// namesAgent is a text that could define one of the words that matter here.
var namesAgent = lazy.Regexp(`(?:^|[\s;"'\[({]|alias |function )(claude(?:-iso)?)(?:\s*\(\)|\s*=|\]|\s+[{(])`)

// evaluate reads a line that is evaluated as part of the file. One with parts
// that only the running shell knows defines, at most, what it names.
func (w *walker) evaluate(line int, args []*syntax.Word) {
	var text []string
	known, size := true, 0
	for _, arg := range args {
		if size += len(w.partly(arg.Parts)); size > maxEval {
			return
		}
		v := w.word(arg)
		if known = known && len(v) == 1 && !v[0].glob; known {
			text = append(text, v[0].text)
		} else {
			text = append(text, w.partly(arg.Parts))
		}
	}
	code := strings.Join(text, " ")
	lang := syntax.LangBash
	if w.zsh {
		lang = syntax.LangZsh
	}
	tree, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(code), "")
	if !known || err != nil || w.evals >= maxEvals {
		for _, m := range namesAgent().FindAllStringSubmatch(code, -1) {
			w.opaque(line, m[1])
		}
		return
	}
	inner := walker{scope: w.scope, file: &File{Path: w.file.Path}, src: []byte(code), zsh: w.zsh, maybe: w.maybe,
		evals: w.evals + 1, unaliased: make(map[string]int)}
	inner.stmts(tree.Stmts)
	f := w.file
	for _, list := range []struct{ to, from *[]Def }{{&f.Aliases, &inner.file.Aliases},
		{&f.Functions, &inner.file.Functions}, {&f.Undone, &inner.file.Undone},
		{&f.Calls, &inner.file.Calls}, {&f.Sets, &inner.file.Sets}, {&f.Ends, &inner.file.Ends}} {
		for _, d := range *list.from {
			d.Line = line
			*list.to = append(*list.to, d)
		}
	}
	for _, list := range []struct{ to, from *[]Ref }{{&f.Sources, &inner.file.Sources},
		{&f.Dynamic, &inner.file.Dynamic}} {
		for _, ref := range *list.from {
			ref.Line = line
			*list.to = append(*list.to, ref)
		}
	}
}
