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
	"github.com/steward-setup/steward-setup/internal/report"
)

// word is a word and the values that it may have.
type word struct {
	texts []string
	// values are those of a word of the grammar.
	values []Value
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

// anyones says whether somebody else may choose the word: only the running shell knows it, or a variable of the line
// holds names of files.
func (w word) anyones() bool { return !w.ok || w.glob && strings.Contains(w.src, "$") }

// firsts are the first values of some words.
func firsts(words []word) (texts []string) {
	for _, w := range words {
		texts = append(texts, w.first())
	}
	return texts
}

// onPATH stands for the value of PATH.
const onPATH = "\x00"

// expand evaluates a word, and reads the commands in it.
func (r *reader) expand(w *syntax.Word, st *state) word { return r.expandAs(w, st, r.scope(st).Word) }

// expandAs is expand for a word whose values depend on where it stands.
func (r *reader) expandAs(w *syntax.Word, st *state, values func(*syntax.Word) []Value) word {
	if w == nil {
		return word{}
	}
	r.substitutions(w, st)
	out := word{src: source(w), from: int(w.Pos().Offset()), to: int(w.End().Offset())}
	out.values = values(w)
	out.texts, out.glob, out.ok = texts(out.values)
	return out
}

func (r *reader) scope(st *state) Scope {
	return Scope{
		Var: func(name string) (values []Value, set bool) { return r.variable(name, st) },
		Output: func(list []*syntax.Stmt) []Value {
			if printed, ok := r.output(list, st); ok {
				return literals(printed)
			}
			return nil
		},
		Splits: func(part syntax.WordPart, values []Value) bool {
			_, split := st.vars["IFS"]
			return split || !r.oneWord(part, values)
		},
	}
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

// oneWord says whether an expansion without quotes is one word. The home and
// the project are taken for one: a line that is broken by their names runs
// nothing for long.
func (r *reader) oneWord(part syntax.WordPart, values []Value) bool {
	if p, is := part.(*syntax.ParamExp); is && slices.Contains([]string{"HOME", "PWD", r.place.Agent.Project},
		p.Param.Value) {
		return true
	}
	return !slices.ContainsFunc(values, func(v Value) bool {
		return splits(v) && v.Text != r.place.Root && v.Text != r.place.Home && v.Text != r.place.Dir
	})
}

// variable is the value of a variable, nil if it is not known.
func (r *reader) variable(name string, st *state) (values []Value, set bool) {
	if values, set := st.vars[name]; set {
		if slices.Contains(values, Literal(nobodys)) {
			return nil, true
		}
		return values, true
	}
	known := func(text string) []Value {
		if text == "" {
			return nil
		}
		return []Value{Literal(text)}
	}
	switch name {
	case "HOME":
		return known(r.place.Home), true
	case r.place.Agent.Project:
		return known(r.place.Project), true
	case "PWD":
		if st.lost {
			return nil, true
		}
		return literals(st.cwd), true
	case "PATH":
		return known(onPATH), true
	}
	if r.place.Getenv == nil || name != r.place.Agent.Own && !directories().MatchString(name) {
		return nil, true
	}
	values = known(r.place.Getenv(name))
	return values, values != nil
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
			return report.Union(a, b...), okA && okB
		}
		cd, is := c.X.Cmd.(*syntax.CallExpr)
		if !is || c.Op != syntax.AndStmt || len(cd.Args) == 0 || cd.Args[0].Lit() != "cd" || st.funcs["cd"] != nil {
			return nil, false
		}
		quiet := reader{place: r.place, within: maxWithin, steps: r.steps}
		there, _ := quiet.stmt(c.X, st)
		if r.steps = quiet.steps; there == nil {
			return nil, false
		}
		return r.output([]*syntax.Stmt{c.Y}, there)
	case *syntax.CallExpr:
		if len(c.Assigns) > 0 {
			return nil, false
		}
		quiet := reader{place: r.place, within: maxWithin} // what runs in there is read elsewhere
		args := make([]string, len(c.Args))
		for i, arg := range c.Args {
			values := quiet.scope(st).Word(arg)
			if len(values) != 1 || values[0].Glob {
				return nil, false
			}
			args[i] = values[0].Text
		}
		return r.printed(args, st)
	}
	return nil, false
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
				texts = report.Union(texts, elsewhere)
			case !pathname.Within(dir, r.place.Root):
				return nil, false
			default:
				texts = report.Union(texts, r.place.Root)
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
