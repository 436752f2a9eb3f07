// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs when a file is read is kept as lines in which
// every word that the file itself says is filled in; the rest stays as written.

package shellrc

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxCalls bounds the commands, and the variables, that are kept of a file.
const maxCalls = 4096

// Files are the files that are read, rc files and what they source, each once.
func (sc Scan) Files() []File { return sc.reach(slices.Concat(sc.Interactive, sc.Login)) }

// called notes a command that runs; one for each value of a word that has
// several.
func (w *walker) called(c *syntax.CallExpr) {
	lines := []string{""}
	add := func(texts []string) {
		var all []string
		for _, line := range lines {
			for _, text := range texts {
				if len(line)+len(text) > maxEval {
					text = "…" // too long to be resolved in any case
				}
				all = append(all, strings.TrimPrefix(line+" "+text, " "))
			}
		}
		if len(all) <= maxValues {
			lines = all
			return
		}
		for i := range lines {
			if lines[i] += " "; len(lines[i])+len(texts[0]) < maxEval {
				lines[i] += texts[0]
			}
		}
	}
	for _, a := range c.Assigns {
		add([]string{w.text(a)})
	}
	for _, arg := range c.Args {
		add(w.filled(arg))
	}
	for _, line := range lines {
		w.ran(c, line)
	}
}

// filled are the values of a word as words of a line, or the word as written.
func (w *walker) filled(arg *syntax.Word) []string {
	var texts []string
	for _, v := range w.word(arg) {
		text, err := v.pattern, error(nil)
		if !v.glob {
			text, err = syntax.Quote(v.text, syntax.LangBash)
		}
		if err != nil || v.glob && strings.ContainsAny(text, " \t\n'\"`$;&|<>()") {
			return []string{w.text(arg)}
		}
		texts = append(texts, text)
	}
	if texts == nil {
		return []string{w.text(arg)}
	}
	return texts
}

// ran notes a line that runs.
func (w *walker) ran(at syntax.Node, line string) {
	if len(w.file.Calls) >= maxCalls {
		return
	}
	w.file.Calls = append(w.file.Calls, Def{File: w.file.Path, Line: int(at.Pos().Line()), Value: line})
}

// noteSet notes a variable that is set to a word, or to what is written there;
// more says that it is appended (NAME+=VALUE).
func (w *walker) noteSet(at syntax.Node, name, value string, more bool) {
	if len(w.file.Sets) >= maxCalls {
		return
	}
	w.file.Sets = append(w.file.Sets, Def{File: w.file.Path, Line: int(at.Pos().Line()), Name: name, Value: value,
		Append: more})
}

// partly is the text of parts of a word, each filled in if it is known.
func (w *walker) partly(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, part := range parts {
		if b.Len() > maxEval {
			break
		}
		if q, is := part.(*syntax.DblQuoted); is {
			b.WriteString(w.partly(q.Parts))
			continue
		}
		if v := w.word(&syntax.Word{Parts: []syntax.WordPart{part}}); len(v) == 1 {
			b.WriteString(v[0].text)
			continue
		}
		b.WriteString(w.text(part))
	}
	return b.String()
}
