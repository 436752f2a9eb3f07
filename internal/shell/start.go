// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command line, a function's body or a short script is
// taken apart only where it starts the same on every run: a start in a branch or
// a pipe, or one that is computed, is not followed.

package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// Start is what a straight piece of shell starts in the end.
type Start struct {
	// Env are the names of the variables that it sets for the program.
	Env []string
	// Words are the program and its arguments, without those of the caller
	// ("$@").
	Words []string
}

// maxScript bounds what is taken apart, in bytes.
const maxScript = 64 << 10

// StartOf takes text apart: settings of variables, and one program. What only talks
// before it and behind it counts for nothing (aroundstart.go). ok is false where there is
// more to it. flags are the words of it that begin with a hyphen, wherever they stand.
func StartOf(text, home string) (l Start, flags []string, ok bool) {
	if len(text) > maxScript {
		return l, nil, false
	}
	tree, err := parsed(text)
	if err != nil {
		return l, LooseFlags(text), false
	}
	syntax.Walk(tree, func(n syntax.Node) bool {
		if w, is := n.(*syntax.Word); is {
			if text, ok := wordOf(w, home); ok && strings.HasPrefix(text, "-") && text != "--" {
				flags = append(flags, text)
			}
		}
		return true
	})
	stmts := tree.Stmts
	for len(stmts) == 1 { // the braces of a function
		block, is := stmts[0].Cmd.(*syntax.Block)
		if !is || !plainStmt(stmts[0]) {
			break
		}
		stmts = block.Stmts
	}
	for i, s := range stmts {
		if talks(s, home) {
			continue
		}
		if !plainStmt(s) {
			return l, flags, false
		}
		switch c := s.Cmd.(type) {
		case *syntax.DeclClause:
			if c.Variant.Value != "export" || !l.assign(c.Args) {
				return l, flags, false
			}
		case *syntax.CallExpr:
			if !l.assign(c.Assigns) {
				return l, flags, false
			}
			if len(c.Args) > 0 && !slices.Contains(preparing, source(&syntax.CallExpr{Args: c.Args})) {
				return l, flags, afterwards(stmts[i+1:], home) && l.call(c.Args, home)
			}
		default:
			return l, flags, false
		}
	}
	return l, flags, false
}

// preparing are commands that change nothing of what is started behind them.
var preparing = []string{"set -e", "set -eu", "set -u", ":"}

// plainStmt says whether a statement has no redirection, no "!" and no "&".
func plainStmt(s *syntax.Stmt) bool {
	return len(s.Redirs) == 0 && !s.Negated && !s.Background && !s.Coprocess
}

// assign notes the variables that are set; one with a name that is computed
// has none.
func (l *Start) assign(list []*syntax.Assign) bool {
	for _, a := range list {
		switch {
		case a.Name == nil:
			return false
		case !a.Naked:
			l.Env = append(l.Env, a.Name.Value)
		}
	}
	return true
}

// call notes a program and its arguments, without the words that only hand
// them on.
func (l *Start) call(args []*syntax.Word, home string) bool {
	for _, arg := range args {
		if handsOn(arg) {
			continue
		}
		word, ok := wordOf(arg, home)
		if !ok {
			return false
		}
		l.Words = append(l.Words, word)
	}
	return l.strip()
}

// strip takes off what stands before the program and starts it; false where
// nothing is left.
func (l *Start) strip() bool {
	for len(l.Words) > 0 {
		switch w := l.Words[0]; {
		case slices.Contains([]string{"command", "builtin", "exec", "noglob", "nocorrect", "time", "nohup"}, w):
			if l.Words = l.Words[1:]; w == "exec" && len(l.Words) > 1 && l.Words[0] == "-a" {
				l.Words = l.Words[2:]
			}
		case w == "env" || strings.HasSuffix(w, "/env"):
			l.Words = l.Words[1:]
			for len(l.Words) > 0 {
				if name, _, is := strings.Cut(l.Words[0], "="); is && !strings.HasPrefix(name, "-") {
					l.Env, l.Words = append(l.Env, name), l.Words[1:]
					continue
				}
				if len(l.Words) > 1 && l.Words[0] == "-u" {
					l.Words = l.Words[2:]
					continue
				}
				break
			}
		default:
			return true
		}
	}
	return false
}

// Starts lists every program that text may start, in whatever branch. Words that
// only the running shell knows are left out. Of what is no shell, or over 64 kB,
// it knows none.
func Starts(text, home string) (list []Start) {
	if len(text) > maxScript {
		return nil
	}
	tree, err := parsed(text)
	if err != nil {
		return nil
	}
	syntax.Walk(tree, func(n syntax.Node) bool {
		c, is := n.(*syntax.CallExpr)
		if !is {
			return true
		}
		var l Start
		l.assign(c.Assigns)
		for _, arg := range c.Args {
			if word, ok := wordOf(arg, home); ok {
				l.Words = append(l.Words, word)
			}
		}
		if l.strip() {
			list = append(list, l)
		}
		return true
	})
	return list
}

// handsOn says whether a word is the caller's arguments, or, behind exec -a,
// the caller's name.
func handsOn(w *syntax.Word) bool {
	parts := w.Parts
	if len(parts) == 1 {
		if q, is := parts[0].(*syntax.DblQuoted); is {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return false
	}
	p, is := parts[0].(*syntax.ParamExp)
	return is && p.Param != nil && slices.Contains([]string{"@", "*", "argv"}, p.Param.Value)
}

// looseFlag is a flag in text that is no shell of this dialect.
var looseFlag = lazy.Regexp(`(?:^|[\s"'(])(--?[A-Za-z][\w-]*)`)

// LooseFlags lists what may be options in text that is no shell of this
// dialect.
func LooseFlags(text string) (flags []string) {
	for _, m := range looseFlag().FindAllStringSubmatch(text, -1) {
		flags = append(flags, m[1])
	}
	return flags
}

// Interpreter are the words by which the first line of a script says what reads it;
// none if it does not.
func Interpreter(b []byte) []string {
	first, _, _ := strings.Cut(string(b[:min(len(b), 256)]), "\n")
	line, is := strings.CutPrefix(first, "#!")
	if !is {
		return nil
	}
	return strings.Fields(line)
}

// IsScript says whether the first line of a script names a shell.
func IsScript(b []byte) bool {
	words := Interpreter(b)
	if len(words) == 0 {
		return false
	}
	if filepath.Base(words[0]) == "env" && len(words) > 1 {
		words = words[1:]
	}
	return slices.Contains(Shells, filepath.Base(words[0]))
}
