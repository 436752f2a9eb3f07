// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the shell's own commands, as POSIX and bash(1) have them.

package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/report"
)

// quietBuiltins run nothing and change nothing that decides what runs.
var quietBuiltins = []string{":", "echo", "test", "[", "shift", "wait", "ulimit", "umask", "type", "return", "break",
	"continue", "times", "jobs", "kill", "let", "bg", "fg", "disown", "suspend", "logout", "caller", "history", "dirs"}

type builtin func(r *reader, words []word, st *state) (ok, fail *state)

var builtins map[string]builtin

func init() { // they read commands in turn
	builtins = map[string]builtin{
		"cd": cd, "pushd": cd, "chdir": cd,
		"popd": func(_ *reader, _ []word, st *state) (ok, fail *state) {
			st = st.clone()
			st.lost = true
			return st, st
		},
		"true":  func(r *reader, words []word, st *state) (ok, fail *state) { return st, nil },
		"false": func(r *reader, words []word, st *state) (ok, fail *state) { return nil, st },
		"exit":  func(r *reader, words []word, st *state) (ok, fail *state) { return nil, nil },
		".":     sourced, "source": sourced, "eval": evaluated, "trap": trapped,
		"read": forgets, "mapfile": mapped, "readarray": mapped, "unset": forgets,
		"getopts": forgets, "shopt": shopt,
		"printf": func(r *reader, words []word, st *state) (ok, fail *state) {
			if len(words) > 1 && strings.HasPrefix(words[1].src, "-v") {
				r.names(words[1:min(3, len(words))])
				return forgets(r, words, st)
			}
			r.reads(words[1:], st)
			return st, st
		},
		"set": func(r *reader, words []word, st *state) (ok, fail *state) { return st, st },
		"exec": func(r *reader, words []word, st *state) (ok, fail *state) {
			if len(words) == 1 {
				return st, st
			}
			r.wrapped(wrappers["exec"], words, st)
			return nil, nil
		},
		"command": passes, "builtin": passes,
		"export": exported, "local": exported, "declare": exported, "typeset": exported, "readonly": exported,
		"alias": unclear, "enable": unclear, "hash": unclear,
		"bind": bound, "complete": completed, "compgen": completed,
	}
}

func unclear(r *reader, words []word, st *state) (ok, fail *state) {
	r.gap(line(words), "it changes what commands mean")
	return st, st
}

// shopt has options with which a line means something else.
func shopt(r *reader, words []word, st *state) (ok, fail *state) {
	for _, w := range words[1:] {
		if !w.ok || slices.Contains([]string{"lastpipe", "expand_aliases", "execfail"}, w.first()) {
			return unclear(r, words, st)
		}
	}
	return st, st
}

// cd changes the directory, if it is there.
func cd(r *reader, words []word, st *state) (ok, fail *state) {
	words = words[1:]
	for len(words) > 0 && slices.Contains([]string{"-P", "-L", "--", "-e"}, words[0].first()) {
		words = words[1:]
	}
	ok = st.clone()
	ok.cwd, ok.lost = nil, false
	switch {
	case len(words) == 0:
		_, ok.lost = st.vars["HOME"]
		ok.cwd = []string{r.place.Home}
	case !words[0].ok || words[0].glob || words[0].first() == "-" || st.vars["CDPATH"] != nil:
		ok.lost = true
	default:
		for _, text := range words[0].texts {
			if text == "" || !filepath.IsAbs(text) && st.lost {
				ok.lost = true
				continue
			}
			for _, dir := range st.cwd {
				ok.cwd = report.Union(ok.cwd, at(dir, text))
			}
			if st.lost {
				ok.cwd = report.Union(ok.cwd, filepath.Clean(text))
			}
		}
	}
	if !ok.lost && len(ok.cwd) == 1 && r.place.Stays != nil && r.place.Stays(ok.cwd[0]) {
		return ok, nil
	}
	return ok, st
}

// sourced is a file that the shell itself reads.
func sourced(r *reader, words []word, st *state) (ok, fail *state) {
	if words = words[1:]; len(words) > 0 && words[0].first() == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return st, st
	}
	r.shellScript(words[0], "which file is read as code, only the running shell knows", st)
	// What it does to the directory and to variables is not known.
	st = st.clone()
	st.lost = true
	st.forget()
	return st, st
}

// evaluated is a line in the same shell.
func evaluated(r *reader, words []word, st *state) (ok, fail *state) {
	var parts []string
	for _, w := range words[1:] {
		if !w.ok || w.glob || len(w.texts) != 1 {
			r.gap(line(words), "what is evaluated, only the running shell knows")
			return st, st
		}
		parts = append(parts, w.texts[0])
	}
	return r.line(strings.Join(parts, " "), st, false)
}

func trapped(r *reader, words []word, st *state) (ok, fail *state) {
	if len(words) > 2 {
		if w := words[1]; w.ok && len(w.texts) == 1 {
			if w.texts[0] != "-" {
				r.line(w.texts[0], st.clone(), false)
			}
		} else {
			r.gap(line(words), "what the trap runs, only the running shell knows")
		}
	}
	return st, st
}

// bound is a line that a key runs (bash(1), bind -x): a key sequence, a colon and
// the line.
func bound(r *reader, words []word, st *state) (ok, fail *state) {
	if len(words) < 3 || words[1].first() != "-x" {
		return unclear(r, words, st)
	}
	for _, w := range words[2:] {
		_, text, is := strings.Cut(w.first(), ":")
		if !w.ok || !is {
			r.gap(line(words), "what the key runs, only the running shell knows")
			continue
		}
		r.line(strings.Trim(strings.TrimSpace(text), `"`), st.clone(), false)
	}
	return st, st
}

// completed is a command that the Tab key runs (bash(1), complete -C).
func completed(r *reader, words []word, st *state) (ok, fail *state) {
	for i, w := range words[1:] {
		if w.first() == "-C" && i+2 < len(words) {
			r.line(words[i+2].first(), st.clone(), false)
		}
	}
	return st, st
}

// forgets are commands after which variables hold something else.
func forgets(r *reader, words []word, st *state) (ok, fail *state) {
	if name := words[0].first(); st.in.file != nil && (name == "read" || name == "mapfile" || name == "readarray") {
		r.arguments(Reads, name, []word{*st.in.file}, st) // what is then printed of it
	}
	st = st.clone()
	if words[0].first() != "printf" {
		r.names(words[1:])
	}
	var args []string
	for _, w := range words[1:] {
		if args = append(args, w.texts...); !w.ok {
			args = append(args, w.src)
		}
	}
	for _, name := range Forgotten(words[0].first(), args) {
		st.vars[name] = nil
	}
	return st, st
}

// Forgotten are the variables that hold something else, or nothing, behind a command of
// the shell's own.
func Forgotten(name string, args []string) (names []string) {
	switch name {
	case "read", "mapfile", "readarray", "getopts":
	case "unset":
		if len(args) > 0 && args[0] == "-f" { // functions
			return nil
		}
	case "printf":
		if len(args) == 0 || !strings.HasPrefix(args[0], "-v") {
			return nil
		}
	default:
		return nil
	}
	for _, text := range args {
		if syntax.ValidName(text) {
			names = append(names, text)
		}
	}
	return append(names, "REPLY")
}

// mapped are mapfile and readarray: -C has a command that is run between lines.
func mapped(r *reader, words []word, st *state) (ok, fail *state) {
	if i, _, known := options(words, "-t", "-d -n -O -s -u -c"); !known || i == 0 {
		r.gap(line(words), "its options may start a program")
	}
	return forgets(r, words, st)
}

// exported are declarations that the parser does not know as such.
func exported(r *reader, words []word, st *state) (ok, fail *state) {
	st = st.clone()
	for _, w := range words[1:] {
		r.assignment(w, st)
	}
	return st, st
}

// assignment follows a word of the form NAME=VALUE, and says whether it is one.
func (r *reader) assignment(w word, st *state) bool {
	if !w.ok || len(w.texts) != 1 {
		name, _, is := strings.Cut(w.src, "=")
		if is && syntax.ValidName(name) {
			r.loads(name, word{src: w.src}, st)
			st.vars[name] = nil
			return true
		}
		return false
	}
	name, value, is := strings.Cut(w.texts[0], "=")
	if !is || !syntax.ValidName(name) {
		return false
	}
	r.loads(name, w.only(value), st)
	st.vars[name] = nil
	return true
}

// passes are command and builtin.
func passes(r *reader, words []word, st *state) (ok, fail *state) {
	words = words[Passed(firsts(words)):]
	if len(words) == 0 {
		return st, st
	}
	if w := words[0]; w.ok && len(w.texts) == 1 && st.funcs[w.texts[0]] != nil { // not the function
		inner := st.clone()
		inner.funcs = map[string]*syntax.Stmt{}
		r.call(words, inner)
		return st, st
	}
	return r.call(words, st)
}

// Passed is how many words "command" or "builtin" has before the command that it runs:
// all of them where it runs none.
func Passed(words []string) int {
	for i, text := range words[1:] {
		switch text {
		case "-p", "--":
		case "-v", "-V":
			return len(words)
		default:
			return 1 + i
		}
	}
	return len(words)
}

// Builtin says whether a shell runs a word itself: a builtin or a keyword.
func Builtin(name string) bool {
	return builtins[name] != nil || slices.Contains(quietBuiltins, name) || slices.Contains(keywords, name)
}

// keywords are words that begin, part or end a compound command.
var keywords = strings.Fields("if then elif else fi for while until do done case esac in select function " +
	"time coproc { } [[ ]] ! (( ))")
