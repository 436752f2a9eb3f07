// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a word is defined in more ways than by alias and function
// (bash(1) ALIASES, hash; zshparam(1) aliases, functions, commands;
// zshbuiltins(1) autoload, hash). What such a definition does is kept where
// the file says it, and is an empty function where it does not. What runs when
// a file is read is kept as lines in which every word that the file itself
// says is filled in; the rest stays as written.

package shellrc

import (
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// maxEvals bounds evaluated lines within evaluated lines, maxEval the bytes of
// one.
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
			value = w.partly(a.Value)
		}
		if isAlias {
			w.file.Aliases = append(w.file.Aliases, w.file.def(line, name, value))
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
		text := w.partly(args[i])
		name, path, joined := strings.Cut(text, "=")
		switch {
		case text == "-p" && i+1 < len(args):
			i++
			file = w.partly(args[i])
		case strings.HasPrefix(text, "-"):
		case joined:
			w.file.Aliases = append(w.file.Aliases, w.file.def(line, name, path))
		case file != "":
			w.file.Aliases = append(w.file.Aliases, w.file.def(line, text, file))
		}
	}
}

// loaded follows "autoload NAME...": the function is read from a file of fpath
// when the word is typed.
func (w *walker) loaded(line int, args []*syntax.Word) {
	for _, arg := range args {
		if text := w.partly(arg); !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "+") {
			w.opaque(line, text[strings.LastIndexByte(text, '/')+1:])
		}
	}
}

// Words are those that matter here: what starts an agent, plainly or in a clean
// environment.
var Words = sync.OnceValue(func() (list []string) {
	for _, a := range env.Agents() {
		list = append(list, a.Program)
	}
	return append(list, "claude-iso")
})

// evaluate reads a line that is evaluated as part of the file. One with parts
// that only the running shell knows defines, at most, what it names.
func (w *walker) evaluate(line int, args []*syntax.Word) {
	var text []string
	known, size := true, 0
	for _, arg := range args {
		if size += len(w.partly(arg)); size > maxEval {
			return
		}
		v := w.word(arg)
		if known = known && len(v) == 1 && !v[0].Glob; known {
			text = append(text, v[0].Text)
		} else {
			text = append(text, w.partly(arg))
		}
	}
	code := strings.Join(text, " ")
	lang := syntax.LangBash
	if w.zsh {
		lang = syntax.LangZsh
	}
	tree, err := shell.Parsed(code, lang)
	if !known || err != nil || w.evals >= maxEvals {
		// A text that could define one of the words.
		names := `(?:^|[\s;"'\[({]|alias |function )(` + strings.Join(Words(), "|") + `)(?:\s*\(\)|\s*=|\]|\s+[{(])`
		for _, m := range lazy.Compiled(names).FindAllStringSubmatch(code, -1) {
			w.opaque(line, m[1])
		}
		return
	}
	inner := walker{scope: w.scope, file: &File{Path: w.file.Path}, src: []byte(code), zsh: w.zsh, maybe: w.maybe,
		evals: w.evals + 1, unaliased: make(map[string]int)}
	inner.stmts(tree.Stmts)
	f, in := w.file, inner.file.at(Def{Line: line})
	f.Aliases, f.Functions = append(f.Aliases, in.Aliases...), append(f.Functions, in.Functions...)
	f.Undone, f.Ends = append(f.Undone, in.Undone...), append(f.Ends, in.Ends...)
	f.Calls, f.Sets = append(f.Calls, in.Calls...), append(f.Sets, in.Sets...)
	f.Sources, f.Dynamic = append(f.Sources, in.Sources...), append(f.Dynamic, in.Dynamic...)
}

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
		if len(all) <= shell.MaxValues {
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
	if words := asWords(w.word(arg)); words != nil {
		return words
	}
	return []string{w.text(arg)}
}

func (w *walker) ran(at syntax.Node, line string) {
	if len(w.file.Calls) >= maxCalls {
		return
	}
	d := Def{}
	if strings.HasPrefix(line, "eval ") {
		d = w.held(at)
	}
	d.File, d.Line, d.Value, d.Before = w.file.Path, int(at.Pos().Line()), line, w.before(line)
	w.file.Calls = append(w.file.Calls, d)
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

// noteValue is noteSet for a value in the shell's grammar.
func (w *walker) noteValue(a *syntax.Assign) {
	had := len(w.file.Sets)
	w.noteSet(a, a.Name.Value, w.partly(a.Value), a.Append)
	if len(w.file.Sets) > had {
		held := w.held(a.Value)
		w.file.Sets[had].Printed, w.file.Sets[had].Of = held.Printed, held.Of
	}
}

// partly is the text of a word, each part of it filled in if it is known.
func (w *walker) partly(word *syntax.Word) string {
	scope := w.values().Whole()
	scope.Else = func(part syntax.WordPart) string { return w.text(part) }
	if v := scope.Assigned(word); v != nil {
		return v[0].Text
	}
	return w.text(word) // too long
}
