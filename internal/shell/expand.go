// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a word has values only if the line, the home and the
// place say them. Commands inside a word are read as commands.

package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// word is a word and the values that it may have.
type word struct {
	texts []string
	// ok says that these are all; glob that there are wildcards in them that
	// the shell expands.
	ok, glob bool
	// src is the word for people.
	src string
	// from and to enclose it in the line.
	from, to int
}

func (w word) only(text string) word {
	return word{texts: []string{text}, ok: w.ok, glob: w.glob, src: w.src}
}

// first is the first value, "" if none is known.
func (w word) first() string {
	if !w.ok || len(w.texts) == 0 {
		return ""
	}
	return w.texts[0]
}

// onPATH stands for the value of PATH.
const onPATH = "\x00"

// expand evaluates a word, and reads the commands in it.
func (r *reader) expand(w *syntax.Word, st *state) word {
	if w == nil {
		return word{}
	}
	r.substitutions(w, st)
	out := word{src: source(w), from: int(w.Pos().Offset()), to: int(w.End().Offset())}
	out.texts, out.glob, out.ok = r.values(w, st)
	return out
}

// values are those of a word, with the home in place of a tilde.
func (r *reader) values(w *syntax.Word, st *state) (texts []string, glob, ok bool) {
	texts, glob, ok = r.parts(w.Parts, st, false)
	lit, is := firstLit(w)
	if !is || !strings.HasPrefix(lit, "~") {
		return texts, glob, ok
	}
	if _, moved := st.vars["HOME"]; moved || !strings.HasPrefix(lit, "~/") && (lit != "~" || len(w.Parts) > 1) {
		return nil, glob, false
	}
	for i, text := range texts {
		texts[i] = r.place.Home + strings.TrimPrefix(text, "~")
	}
	return texts, glob, ok
}

func firstLit(w *syntax.Word) (string, bool) {
	if len(w.Parts) == 0 {
		return "", false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok {
		return "", false
	}
	return lit.Value, true
}

// source is a node as it would be written.
func source(n syntax.Node) string {
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// substitutions reads the commands inside a node.
func (r *reader) substitutions(n syntax.Node, st *state) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if n != nil {
			r.evaluates(n, st)
		}
		switch c := n.(type) {
		case *syntax.CmdSubst:
			r.aside(c.Stmts, st, st.in, false)
			return false
		case *syntax.ProcSubst:
			r.aside(c.Stmts, st, input{}, false)
			return false
		case *syntax.ParamExp:
			if c.Param != nil && c.Exp != nil && (c.Exp.Op == syntax.AssignUnset || c.Exp.Op == syntax.AssignUnsetOrNull) {
				st.vars[c.Param.Value] = nil
			}
		}
		return true
	})
}

// parts puts the values of parts together.
func (r *reader) parts(parts []syntax.WordPart, st *state, quoted bool) (texts []string, glob, ok bool) {
	texts = []string{""}
	for _, part := range parts {
		more, wild, known := r.part(part, st, quoted)
		if !known || len(texts)*len(more) > maxValues {
			return nil, false, false
		}
		glob = glob || wild
		var next []string
		for _, a := range texts {
			for _, b := range more {
				if len(a)+len(b) > MaxLine {
					return nil, false, false
				}
				next = append(next, a+b)
			}
		}
		texts = next
	}
	return texts, glob, true
}

// The backslashes that the shell takes away, outside and inside of double
// quotes.
var (
	escaped       = lazy.Regexp(`(?s)\\(.)`)
	escapedQuoted = lazy.Regexp("(?s)\\\\([$`\"\\\\])")
	continued     = strings.NewReplacer("\\\n", "")
	wildcard      = lazy.Regexp(`(^|[^\\])([*?]|\[[^\]]+\])`)
	braces        = lazy.Regexp(`(^|[^\\])\{[^}]*(,|\.\.)`)
)

func (r *reader) part(part syntax.WordPart, st *state, quoted bool) (texts []string, glob, ok bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		if quoted {
			return []string{unescaped(p.Value, true)}, false, true
		}
		return []string{unescaped(p.Value, false)}, wildcard().MatchString(p.Value), !braces().MatchString(p.Value)
	case *syntax.SglQuoted:
		return []string{p.Value}, false, !p.Dollar // to sh it is a dollar sign and a word
	case *syntax.DblQuoted:
		return r.parts(p.Parts, st, true)
	case *syntax.ParamExp:
		texts, ok = r.param(p, st)
	case *syntax.CmdSubst:
		texts, ok = r.output(p.Stmts, st)
	}
	if _, split := st.vars["IFS"]; !quoted && (split || !r.oneWord(part, texts)) {
		return nil, false, false
	}
	return texts, false, ok
}

// oneWord says whether an expansion without quotes is one word. The home and
// the project are taken for one: a line that is broken by their names runs
// nothing for long.
func (r *reader) oneWord(part syntax.WordPart, texts []string) bool {
	if p, is := part.(*syntax.ParamExp); is && slices.Contains([]string{"HOME", "PWD", r.place.Agent.Project},
		p.Param.Value) {
		return true
	}
	return !slices.ContainsFunc(texts, func(text string) bool {
		return text != r.place.Root && text != r.place.Home && text != r.place.Dir &&
			(text == "" || strings.ContainsAny(text, " \t\n*?["))
	})
}

// param is the value of a variable.
func (r *reader) param(p *syntax.ParamExp, st *state) (texts []string, ok bool) {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil ||
		p.Names != 0 || p.NestedParam != nil {
		return nil, false
	}
	if p.Exp != nil && !slices.Contains([]syntax.ParExpOperator{syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull}, p.Exp.Op) {
		return nil, false
	}
	name := p.Param.Value
	if values, set := st.vars[name]; set {
		return values, values != nil && !slices.Contains(values, nobodys) && (p.Exp == nil || !slices.Contains(values, ""))
	}
	switch name {
	case "HOME":
		return []string{r.place.Home}, r.place.Home != ""
	case r.place.Agent.Project:
		return []string{r.place.Project}, r.place.Project != ""
	case "PWD":
		return st.cwd, !st.lost
	case "PATH":
		return []string{onPATH}, true
	}
	if r.place.Getenv == nil || name != r.place.Agent.Own && !directories().MatchString(name) {
		return nil, false
	}
	v := r.place.Getenv(name)
	if v == "" && p.Exp != nil && p.Exp.Word != nil &&
		(p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull) {
		texts, glob, ok := r.parts(p.Exp.Word.Parts, st, true)
		return texts, ok && !glob
	}
	return []string{v}, v != ""
}

// directories are the user's own variables that name directories, and names.
var directories = lazy.Regexp(`^(XDG_[A-Z]+_(HOME|DIR)|USER|LOGNAME)$`)

// output is what commands print, where that is known.
func (r *reader) output(list []*syntax.Stmt, st *state) (texts []string, ok bool) {
	if len(list) != 1 || list[0].Background || list[0].Negated {
		return nil, false
	}
	switch c := list[0].Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.OrStmt {
			a, okA := r.output([]*syntax.Stmt{c.X}, st)
			b, okB := r.output([]*syntax.Stmt{c.Y}, st)
			return union(a, b), okA && okB
		}
		return r.pwdAfter(c, st)
	case *syntax.CallExpr:
		if len(c.Assigns) > 0 {
			return nil, false
		}
		quiet := reader{place: r.place, within: maxWithin} // what runs in there is read elsewhere
		args := make([]string, len(c.Args))
		for i, arg := range c.Args {
			values, glob, ok := quiet.values(arg, st)
			if !ok || glob || len(values) != 1 {
				return nil, false
			}
			args[i] = values[0]
		}
		return r.printed(args, st)
	}
	return nil, false
}

// pwdAfter is "cd DIR && pwd".
func (r *reader) pwdAfter(c *syntax.BinaryCmd, st *state) (texts []string, ok bool) {
	cd, isCd := c.X.Cmd.(*syntax.CallExpr)
	pwd, isPwd := c.Y.Cmd.(*syntax.CallExpr)
	if c.Op != syntax.AndStmt || !isCd || !isPwd || len(cd.Args) < 2 || len(cd.Assigns)+len(pwd.Assigns) > 0 ||
		cd.Args[0].Lit() != "cd" ||
		len(pwd.Args) != 1 || pwd.Args[0].Lit() != "pwd" || st.lost || len(st.cwd) == 0 {
		return nil, false
	}
	values, glob, ok := r.parts(cd.Args[len(cd.Args)-1].Parts, st, false)
	if !ok || glob || len(values) != 1 || strings.HasPrefix(values[0], "~") || strings.HasPrefix(values[0], "-") {
		return nil, false
	}
	for _, dir := range st.cwd {
		texts = union(texts, []string{at(dir, values[0])})
	}
	return texts, true
}

// printed is what a program prints that is known.
func (r *reader) printed(args []string, st *state) (texts []string, ok bool) {
	if len(args) == 0 || st.funcs[args[0]] != nil {
		return nil, false
	}
	last := args[len(args)-1]
	switch {
	case args[0] == "git" && len(args) == 3 && args[1] == "rev-parse" && last == "--show-toplevel":
		for _, dir := range st.cwd {
			switch {
			case pathname.Within(dir, elsewhere):
				texts = union(texts, []string{elsewhere})
			case !pathname.Within(dir, r.place.Root):
				return nil, false
			default:
				texts = union(texts, []string{r.place.Root})
			}
		}
		return texts, !st.lost
	case args[0] == "git" && len(args) == 5 && args[1] == "-C" && args[3] == "rev-parse" && last == "--show-toplevel":
		return []string{r.place.Root}, filepath.IsAbs(args[2]) && pathname.Within(args[2], r.place.Root)
	case args[0] == "pwd" && len(args) == 1:
		return st.cwd, !st.lost
	case args[0] == "dirname" && len(args) == 2:
		return []string{filepath.Dir(last)}, true
	case args[0] == "basename" && len(args) == 2:
		return []string{filepath.Base(last)}, true
	case (args[0] == "realpath" && len(args) == 2 || args[0] == "readlink" && len(args) == 3 && args[1] == "-f") &&
		filepath.IsAbs(last):
		return []string{filepath.Clean(last)}, true
	case args[0] == "echo" && len(args) == 2 && !strings.HasPrefix(last, "-") && !strings.Contains(last, `\`):
		return []string{last}, true
	case (args[0] == "which" && len(args) == 2 || args[0] == "command" && len(args) == 3 && args[1] == "-v") &&
		r.place.Look != nil:
		path, err := r.place.Look(last)
		return []string{path}, err == nil && !strings.Contains(last, "/")
	}
	return nil, false
}

// at is a path in a directory.
func at(dir, path string) string { return filepath.Clean(pathname.From(dir, path)) }
