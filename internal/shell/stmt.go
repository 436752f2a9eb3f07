// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every form of the shell's grammar is followed, or is a
// gap.

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stmts reads a list. What comes back is what is known where its last command
// has succeeded, and where it has failed.
func (r *reader) stmts(list []*syntax.Stmt, st *state) (ok, fail *state) {
	ok, fail = st, nil
	for _, s := range list {
		ok, fail = r.stmt(s, merge(ok, fail))
	}
	return ok, fail
}

func (r *reader) stmt(s *syntax.Stmt, st *state) (ok, fail *state) {
	if st == nil {
		return nil, nil
	}
	if r.steps++; r.steps > maxSteps {
		r.gap("", tooLong)
		return nil, nil
	}
	outer, mute := st.in, st.mute
	st = r.redirected(s, st)
	if s.Cmd == nil && st.in.file != nil && !st.mute { // $(<file), and zsh's <file
		r.arguments(Reads, "<", []word{*st.in.file}, st)
	}
	ok, fail = r.command(s.Cmd, st)
	for _, end := range []*state{ok, fail} {
		if end != nil {
			end.in, end.mute = outer, mute
		}
	}
	if slices.ContainsFunc(s.Redirs, func(d *syntax.Redirect) bool {
		return d.Op == syntax.RdrAll || d.Op == syntax.AppAll
	}) {
		// To a sh that is not bash, "&>" ends a command in the background.
		before := st.clone()
		before.in, before.mute = outer, mute
		return merge(ok, before), merge(fail, before)
	}
	if s.Background || s.Coprocess {
		st.in, st.mute = outer, mute
		return st, nil
	}
	if s.Negated {
		ok, fail = fail, ok
	}
	return ok, fail
}

// redirected is the state in which a statement's command runs.
func (r *reader) redirected(s *syntax.Stmt, st *state) *state {
	if len(s.Redirs) == 0 {
		return st
	}
	st = st.clone()
	for _, d := range s.Redirs {
		w := r.expand(d.Word, st)
		r.redirects(d.Op, w, s.Cmd, st)
		st.mute = mutes(d, w, st.mute)
		switch d.Op {
		case syntax.RdrIn, syntax.RdrInOut:
			st.in = input{file: &w}
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			if d.Op != syntax.WordHdoc {
				w = r.expand(d.Hdoc, st)
			}
			if st.in = (input{isDoc: w.ok && len(w.texts) == 1}); st.in.isDoc {
				st.in.text = w.texts[0]
			}
		}
	}
	return st
}

// mutes says whether what is printed goes to a file behind a redirection to w.
func mutes(d *syntax.Redirect, w word, before bool) bool {
	switch d.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.DplOut:
	default:
		return before
	}
	if d.N != nil && d.N.Value != "1" {
		return before
	}
	return d.Op != syntax.DplOut && w.ok && (w.first() == "/dev/null" || !strings.HasPrefix(w.first(), "/dev/"))
}

// aside reads statements in a shell of their own; what they print goes wherever that of st does, or to words.
func (r *reader) aside(list []*syntax.Stmt, st *state, in input, mute bool) {
	st = st.clone()
	st.in, st.mute = in, mute
	r.stmts(list, st)
}

// Inner hands on the statements of which a command consists, but for those of functions,
// substitutions and redirections.
func Inner(cmd syntax.Command, each func(*syntax.Stmt)) {
	syntax.Walk(cmd, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.Redirect:
			return false
		case *syntax.Stmt:
			each(n)
			return false
		}
		return true
	})
}

func (r *reader) command(cmd syntax.Command, st *state) (ok, fail *state) {
	switch c := cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		return r.simple(c, st)
	case *syntax.BinaryCmd:
		return r.binary(c, st)
	case *syntax.Block:
		return r.stmts(c.Stmts, st)
	case *syntax.Subshell:
		r.aside(c.Stmts, st, st.in, st.mute)
	case *syntax.IfClause:
		return r.ifClause(c, st)
	case *syntax.WhileClause:
		return r.loop(st, func(st *state) *state {
			yes, no := r.stmts(c.Cond, st)
			if c.Until {
				yes, no = no, yes
			}
			return merge(no, merge(r.stmts(c.Do, yes)))
		})
	case *syntax.ForClause:
		return r.forClause(c, st)
	case *syntax.CaseClause:
		r.expand(c.Word, st)
		end := st
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				r.substitutions(p, st)
			}
			end = merge(end, merge(r.stmts(item.Stmts, st.clone())))
		}
		return end, end
	case *syntax.FuncDecl:
		if c.Name == nil {
			return r.stmt(c.Body, st)
		}
		st = st.clone()
		st.funcs[c.Name.Value] = c.Body
	case *syntax.DeclClause:
		return r.declared(c, st)
	case *syntax.TestClause:
		r.substitutions(c, st)
		r.operands(c.X, st)
	case *syntax.ArithmCmd, *syntax.LetClause:
		r.substitutions(c, st)
		st = st.clone()
		learns(c, st)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return r.stmt(c.Stmt, st)
		}
	case *syntax.CoprocClause:
		r.aside([]*syntax.Stmt{c.Stmt}, st, input{}, st.mute)
	default:
		r.gap("", "a form of the shell that is not resolved")
	}
	return st, st
}

// operands reads the words of [[ that stand alone behind && and ||: to a sh
// that does not know [[ they are commands.
func (r *reader) operands(x syntax.TestExpr, st *state) {
	switch c := x.(type) {
	case *syntax.BinaryTest:
		if c.Op != syntax.AndTest && c.Op != syntax.OrTest {
			return
		}
		r.operands(c.X, st)
		if w, is := c.Y.(*syntax.Word); is {
			r.call([]word{r.expand(w, st)}, st)
			return
		}
		r.operands(c.Y, st)
	case *syntax.ParenTest:
		r.operands(c.X, st)
	case *syntax.UnaryTest:
		r.operands(c.X, st)
	}
}

func (r *reader) binary(c *syntax.BinaryCmd, st *state) (ok, fail *state) {
	switch c.Op {
	case syntax.AndStmt:
		ok, fail = r.stmt(c.X, st)
		ok, fail2 := r.stmt(c.Y, ok)
		return ok, merge(fail, fail2)
	case syntax.OrStmt:
		ok, fail = r.stmt(c.X, st)
		ok2, fail := r.stmt(c.Y, fail)
		return merge(ok, ok2), fail
	}
	// A pipe: each side in a shell of its own. A plain cat of a document is
	// the document.
	r.aside([]*syntax.Stmt{c.X}, st, st.in, st.mute)
	r.aside([]*syntax.Stmt{c.Y}, st, r.echoed(c.X, st), st.mute)
	return st, st
}

// echoed is what a plain echo of words that are in the line gives on; what some shells read
// as more than text is not known.
func (r *reader) echoed(s *syntax.Stmt, st *state) (in input) {
	c, is := s.Cmd.(*syntax.CallExpr)
	if !is || len(s.Redirs)+len(c.Assigns) > 0 || len(c.Args) < 2 || c.Args[0].Lit() != "echo" || st.funcs["echo"] != nil {
		return in
	}
	var texts []string
	for _, arg := range c.Args[1:] {
		w := r.expand(arg, st)
		if !w.ok || w.glob || len(w.texts) != 1 || strings.Contains(w.texts[0], `\`) || strings.HasPrefix(w.texts[0], "-") {
			return in
		}
		texts = append(texts, w.texts[0])
	}
	return input{text: strings.Join(texts, " ") + "\n", isDoc: true}
}

func (r *reader) ifClause(c *syntax.IfClause, st *state) (ok, fail *state) {
	yes, no := r.stmts(c.Cond, st)
	then := merge(r.stmts(c.Then, yes.clone()))
	if c.Else == nil {
		end := merge(then, no)
		return end, end
	}
	var other *state
	if len(c.Else.Cond) > 0 {
		other = merge(r.ifClause(c.Else, no))
	} else {
		other = merge(r.stmts(c.Else.Then, no.clone()))
	}
	end := merge(then, other)
	return end, end
}

// loop reads a body until nothing new is learnt of where it runs.
func (r *reader) loop(st *state, body func(*state) *state) (ok, fail *state) {
	for range 4 {
		next := merge(st, body(st.clone()))
		if same(next, st) {
			return next, next
		}
		st = next
	}
	st = st.clone()
	st.lost = true
	st.forget()
	st = merge(st, body(st.clone()))
	return st, st
}

func (r *reader) forClause(c *syntax.ForClause, st *state) (ok, fail *state) {
	loop, isWords := c.Loop.(*syntax.WordIter)
	if !isWords {
		st = st.clone()
		learns(c.Loop, st)
		r.substitutions(c.Loop, st)
		return r.loop(st, func(st *state) *state { return merge(r.stmts(c.Do, st)) })
	}
	var values []Value
	known := loop.InPos.IsValid()
	for _, item := range loop.Items {
		w := r.expand(item, st)
		known = known && w.ok
		values = append(values, w.values...)
	}
	if !known || len(values) > MaxValues {
		values = nil
	}
	return r.loop(st, func(st *state) *state {
		st.vars[loop.Name.Value] = values
		return merge(r.stmts(c.Do, st))
	})
}

// declared is export, local and the like.
func (r *reader) declared(c *syntax.DeclClause, st *state) (ok, fail *state) {
	st = st.clone()
	integer := false
	for _, a := range c.Args {
		switch {
		case a.Name == nil:
			if a.Value != nil {
				w := r.expand(a.Value, st)
				flag := strings.HasPrefix(w.src, "-")
				if integer = integer || flag && strings.Contains(w.src, "i"); flag && strings.Contains(w.src, "n") {
					r.gap(source(c), "it gives a variable another name")
				}
				r.names([]word{w})
			}
		case integer && a.Value != nil:
			r.counts(a.Value, st)
			r.assign(a, st, r.scope(st))
		case a.Naked && c.Variant.Value == "export":
		default:
			r.assign(a, st, r.scope(st)) // a sh that is not bash splits the value
		}
	}
	return st, st
}

// assign sets a variable to what its value is in a scope of st.
func (r *reader) assign(a *syntax.Assign, st *state, scope Scope) {
	if a.Name == nil {
		return
	}
	w := word{ok: true, texts: []string{""}, values: []Value{{}}}
	switch {
	case a.Array != nil || a.Index != nil || a.Append:
		r.substitutions(a, st)
		r.evaluates(a, st)
		w = word{}
	case a.Value != nil:
		w = r.expandAs(a.Value, st, scope.Assigned)
	case a.Naked:
		w = word{}
	}
	r.loads(a.Name.Value, w, st)
	if !w.ok && number(a) {
		w.values = []Value{Literal(nobodys)}
	}
	st.vars[a.Name.Value] = w.values
}
