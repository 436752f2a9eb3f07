// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command line is taken apart as the runtime does before
// it asks its rules: every simple command in it, also within substitutions,
// groups, functions and control flow; what is quoted stays text. What another
// program would take apart again (sh -c, eval, find -exec) is one command, as
// it is for the runtime (measured with Claude Code 2.1.329).

package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Command is one simple command of a line.
type Command struct {
	// Words are its words without their quotes, assignments among them. What
	// only the running shell knows stays as it is written.
	Words []string
	// From and To are the files that it is redirected from and to.
	From, To []string
	// Open says that a word of it is known to the running shell alone.
	Open bool
	// Forks are the processes of their own in which the shell runs it, from the
	// outside: what it changes there, as cd does, ends with them. Each is where it
	// begins in the line; none is the shell itself.
	Forks []int
}

// Text is the command as a rule for commands sees it.
func (c Command) Text() string { return strings.Join(c.Words, " ") }

// maxValue bounds what is followed of a variable, in bytes: the name of a
// program and a path fit.
const maxValue = 256

// Commands lists the simple commands of a line, those of a substitution before
// the command that it stands in. Of a line of more than 16 kB the rest is left
// out; what is no shell is one command, whose words nobody knows.
func Commands(line, home string) []Command {
	line = line[:min(len(line), MaxLine)]
	r := commands{line: line, vars: map[string]string{"HOME": home}}
	read, broken := 0, false
	for s, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).StmtsSeq(strings.NewReader(line)) {
		if err != nil { // the last: to break here would panic in mvdan.cc/sh 3.14.1
			broken = true
			continue
		}
		r.statement(s)
		read = int(s.End().Offset())
	}
	if rest := strings.Fields(line[read:]); broken && len(rest) > 0 {
		r.found = append(r.found, Command{Words: rest, Open: true})
	}
	return r.found
}

// commands is a line under reading.
type commands struct {
	line  string
	vars  map[string]string
	found []Command
}

// statement reads a statement, the commands inside of a command before it.
func (r *commands) statement(s *syntax.Stmt) {
	var above []syntax.Node
	syntax.Walk(s, func(n syntax.Node) bool {
		if n != nil {
			above = append(above, n)
			return true
		}
		last := len(above) - 1
		if s, ok := above[last].(*syntax.Stmt); ok {
			had := len(r.found)
			r.command(s)
			for i := had; i < len(r.found); i++ {
				r.found[i].Forks = forks(above)
			}
		}
		above = above[:last]
		return true
	})
}

// forks are the nodes of a path that the shell runs in a process of their own:
// subshells, substitutions, what runs in the background, each part of a pipe.
func forks(path []syntax.Node) (at []int) {
	for i, n := range path {
		own := false
		switch x := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.CoprocClause:
			own = true
		case *syntax.Stmt:
			own = x.Background
			if i > 0 {
				b, ok := path[i-1].(*syntax.BinaryCmd)
				own = own || ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll)
			}
		}
		if own {
			at = append(at, int(n.Pos().Offset()))
		}
	}
	return at
}

// command reads one statement, whose inner ones have been read.
func (r *commands) command(s *syntax.Stmt) {
	var c Command
	switch x := s.Cmd.(type) {
	case *syntax.CallExpr:
		for _, a := range x.Assigns {
			c.Words = append(c.Words, r.assign(a, &c))
		}
		for _, w := range x.Args {
			c.Words = append(c.Words, r.word(w, &c))
		}
		if len(x.Args) == 0 { // before a command they hold for that command alone
			r.remember(x.Assigns, c.Words)
		}
	case *syntax.DeclClause:
		c.Words = append(c.Words, x.Variant.Value)
		for _, a := range x.Args {
			c.Words = append(c.Words, r.assign(a, &c))
		}
		r.remember(x.Args, c.Words[1:])
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		c.Words = strings.Fields(r.source(x))
	case *syntax.TimeClause:
		if x.Stmt == nil {
			break
		}
		if _, simple := x.Stmt.Cmd.(*syntax.CallExpr); simple { // which was read last
			last := len(r.found) - 1
			r.found[last].Words = append([]string{"time"}, r.found[last].Words...)
		}
	}
	for _, redirect := range s.Redirs {
		if redirect.Word == nil {
			continue
		}
		var ignored Command
		file := r.word(redirect.Word, &ignored)
		switch redirect.Op {
		case syntax.RdrIn, syntax.RdrInOut:
			c.From = append(c.From, file)
		case syntax.DplOut, syntax.DplIn:
			if strings.Trim(file, "0123456789-") != "" {
				c.To = append(c.To, file)
			}
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		default:
			c.To = append(c.To, file)
		}
	}
	if c.Words != nil || c.From != nil || c.To != nil {
		r.found = append(r.found, c)
	}
}

func (r *commands) assign(a *syntax.Assign, c *Command) string {
	switch {
	case a.Naked && a.Value != nil: // an option of export
		return r.word(a.Value, c)
	case a.Name == nil || a.Index != nil || a.Array != nil:
		return r.source(a)
	case a.Naked:
		return a.Name.Value
	}
	equals := "="
	if a.Append {
		equals = "+="
	}
	if a.Value == nil {
		return a.Name.Value + equals
	}
	return a.Name.Value + equals + r.word(a.Value, c)
}

// remember keeps what assignments make of variables.
func (r *commands) remember(assigns []*syntax.Assign, words []string) {
	for i, a := range assigns {
		if _, value, ok := strings.Cut(words[i], "="); ok && a.Name != nil && !a.Append && a.Index == nil && a.Array == nil {
			r.vars[a.Name.Value] = value[:min(len(value), maxValue)] // values may be made of values
		}
	}
}

func (r *commands) word(w *syntax.Word, c *Command) string {
	text, known := r.parts(w.Parts, false)
	c.Open = c.Open || !known
	return text
}

func (r *commands) parts(parts []syntax.WordPart, quoted bool) (text string, known bool) {
	known = true
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescaped(p.Value, quoted))
			continue
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
			continue
		case *syntax.DblQuoted:
			inner, ok := r.parts(p.Parts, true)
			b.WriteString(inner)
			known = known && ok
			continue
		case *syntax.ParamExp:
			if value, set := r.vars[p.Param.Value]; set && p.Exp == nil && plainParam(p) {
				b.WriteString(value)
				continue
			}
		}
		b.WriteString(r.source(part))
		known = false
	}
	return b.String(), known
}

// source is a node as it is written.
func (r *commands) source(n syntax.Node) string { return r.line[n.Pos().Offset():n.End().Offset()] }

// unescaped is a literal without the backslashes that the shell takes away.
func unescaped(s string, quoted bool) string {
	s = continued.Replace(s)
	if quoted {
		return escapedQuoted().ReplaceAllString(s, "$1")
	}
	return escaped().ReplaceAllString(s, "$1")
}
