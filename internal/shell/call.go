// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command is its first word; what that is decides which
// of the others are code.

package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

func (r *reader) simple(c *syntax.CallExpr, st *state) (ok, fail *state) {
	st = st.clone()
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(a, st, r.scope(st).Whole())
		}
		return st, st
	}
	inner := st
	if len(c.Assigns) > 0 {
		inner = st.clone()
		for _, a := range c.Assigns {
			r.assign(a, inner, r.scope(inner).Whole())
		}
	}
	words := make([]word, len(c.Args))
	for i, arg := range c.Args {
		words[i] = r.expand(arg, st)
	}
	ok, fail = r.call(words, inner)
	if len(c.Assigns) > 0 {
		for _, end := range []*state{ok, fail} {
			if end != nil {
				end.path = st.path
				for _, a := range c.Assigns {
					if have, set := st.vars[a.Name.Value]; set {
						end.vars[a.Name.Value] = have
					} else {
						delete(end.vars, a.Name.Value)
					}
				}
			}
		}
	}
	return ok, fail
}

func (r *reader) call(words []word, st *state) (ok, fail *state) {
	if len(words) == 0 {
		return st, st
	}
	if r.steps++; r.steps > maxSteps {
		r.gap("", tooLong)
		return st, st
	}
	name := words[0]
	switch {
	case !name.ok:
		r.gap(line(words), whichProgram)
		return st, st
	case name.glob:
		r.decides(name, words, st)
		return st, st
	}
	ok, fail = nil, nil
	for _, text := range name.texts {
		one := append([]word{name.only(text)}, words[1:]...)
		if len(name.texts) == 1 {
			one[0] = name
		}
		yes, no := r.named(text, one, st)
		ok, fail = merge(ok, yes), merge(fail, no)
	}
	return ok, fail
}

// named reads a command whose name is known.
func (r *reader) named(name string, words []word, st *state) (ok, fail *state) {
	if strings.Contains(name, "/") {
		from := len(r.reach.Uses)
		r.file(Runs, words[0], name, words[0].src, st)
		r.byShell(from)
		if filepath.IsAbs(name) {
			r.chosen(filepath.Clean(name), st)
		}
		r.program(filepath.Base(name), words, st)
		return st, st
	}
	if body, is := st.funcs[name]; is {
		if body == nil || r.within >= maxWithin {
			r.gap(line(words), "which function this is, only the running shell knows")
			return st, st
		}
		r.within++
		ok, fail = r.stmt(body, st.clone())
		r.within--
		return ok, fail
	}
	if builtin := builtins[name]; builtin != nil && words[0].from >= 0 {
		return builtin(r, words, st)
	}
	if slices.Contains(quietBuiltins, name) && words[0].from >= 0 {
		for i, w := range words[1:] {
			if words[i].first() == "-v" && (name == "test" || name == "[") {
				r.names([]word{w})
			}
		}
		r.reads(words[1:], st)
		return st, st
	}
	for _, dir := range st.path {
		r.use(Use{Kind: Decides, Path: dir, By: name})
	}
	if r.place.Look != nil {
		if path, err := r.place.Look(name); err == nil && filepath.IsAbs(path) {
			r.use(Use{Kind: Found, Path: filepath.Clean(path), By: name})
			r.chosen(filepath.Clean(path), st)
		}
	}
	r.program(name, words, st)
	return st, st
}

// chosen notes that a program is started by the shim of a version manager.
func (r *reader) chosen(path string, st *state) {
	if r.place.Shim == nil {
		return
	}
	shim := r.place.Shim(path)
	switch {
	case shim == "":
	case st.lost:
		r.gap(path, "which program this shim starts depends on a directory that only the running shell knows")
	default:
		for _, dir := range st.cwd {
			r.use(Use{Kind: Chosen, Path: dir, By: shim})
		}
	}
}

func line(words []word) string {
	var all []string
	for _, w := range words {
		all = append(all, w.src)
	}
	return strings.Join(all, " ")
}

// code notes that a word is a file that is run or read as code; why says what the word
// is for, where its values are not known.
func (r *reader) code(w word, why string, st *state) {
	switch {
	case !w.ok:
		r.gap(w.src, why)
	case w.glob:
		r.decides(w, []word{w}, st)
	default:
		for _, text := range w.texts {
			if descriptor().MatchString(text) {
				r.input([]word{w}, st, func(string) { r.gap(w.src, fromInput) })
				continue
			}
			one := w
			if len(w.texts) > 1 {
				one = w.only(text)
			}
			r.file(Runs, one, text, one.src, st)
		}
	}
}

// shellScript is code of a shell.
func (r *reader) shellScript(w word, why string, st *state) {
	from := len(r.reach.Uses)
	r.code(w, why, st)
	r.byShell(from)
}

// byShell says of what is run from a place on that a shell reads it.
func (r *reader) byShell(from int) {
	for i := from; i < len(r.reach.Uses); i++ {
		r.reach.Uses[i].Shell = r.reach.Uses[i].Kind == Runs
	}
}

func (r *reader) file(kind Kind, w word, text, by string, st *state) {
	u := Use{Kind: kind, By: by, From: w.from, To: w.to}
	switch {
	case text == "": // the name of no file
	case filepath.IsAbs(text):
		u.Path = filepath.Clean(text)
		r.use(u)
	case st.lost:
		if kind == Runs {
			r.gap(w.src, lostDirectory)
		}
	default:
		for _, dir := range st.cwd {
			u.Path = at(dir, text)
			r.use(u)
		}
	}
}

// decides notes that what lies in the directories of a pattern is run.
func (r *reader) decides(w word, words []word, st *state) {
	for _, text := range w.texts {
		for _, dir := range []string{r.place.Dir, r.place.Project, r.place.Root} {
			if rest, is := reaching(text, dir); is {
				r.use(Use{Kind: Decides, Path: at(dir, pathname.BeforeWildcard(rest)), By: w.src})
			}
		}
		text = pathname.BeforeWildcard(text)
		if !filepath.IsAbs(text) && st.lost {
			r.gap(line(words), lostDirectory)
			continue
		}
		r.file(Decides, word{}, text, w.src, st)
	}
}

// descriptor is the name of a file that is open already: standard input, or one
// that a redirection opened.
var descriptor = lazy.Regexp(`^(/dev/stdin|(/dev|/proc/[^/]+)/fd/\d+)$`)

// reaching says whether an absolute pattern may lead into dir, and to what in
// there.
func reaching(pattern, dir string) (rest string, ok bool) {
	parts, names := strings.Split(pattern, "/"), strings.Split(dir, "/")
	if !filepath.IsAbs(pattern) || dir == "" || len(parts) <= len(names) {
		return "", false
	}
	for i, name := range names {
		if is, err := filepath.Match(parts[i], name); err == nil && !is {
			return "", false
		}
	}
	return "./" + strings.Join(parts[len(names):], "/"), true
}

// here notes that the files of the working directory decide what runs, or
// configure it.
func (r *reader) here(kind Kind, words []word, st *state) {
	if st.lost {
		r.gap(line(words), "what it runs depends on a directory that only the running shell knows")
		return
	}
	for _, dir := range st.cwd {
		r.use(Use{Kind: kind, Path: dir, By: line(words[:min(2, len(words))]), From: words[0].from, To: words[0].to})
	}
}

// reads notes words that are data.
func (r *reader) reads(words []word, st *state) { r.arguments(Reads, "", words, st) }

// arguments notes words that are paths or may be.
func (r *reader) arguments(kind Kind, by string, words []word, st *state) {
	for _, w := range words {
		if !w.ok || w.glob {
			continue
		}
		for _, text := range w.texts {
			switch option, value, joined := strings.Cut(text, "="); {
			case text == "" || strings.Contains(text, "\n"):
			case strings.HasPrefix(text, "-") && !joined:
			case strings.HasPrefix(text, "-") && option != "":
				r.file(kind, word{src: w.src}, value, by, st)
			default:
				r.file(kind, w, text, by, st)
			}
		}
	}
}
