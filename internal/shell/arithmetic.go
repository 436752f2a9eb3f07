// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what bash reads as a number, or as the name of a variable,
// it evaluates: "a[$(x)]" in there starts x (bash(1), ARITHMETIC EVALUATION;
// seen with 5.2). A value that only the running shell knows must be known to
// be a number. Bash expands some texts only when it uses them, so that quotes
// do not keep what stands in them from being run.

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// nobodys stands for a value that only the running shell knows, and that no command of
// an agent decides: a number, a date, a name that the runtime or the system gives.
const nobodys = "\x01"

// ofTheRuntime are filters of jq(1) for what the runtime alone says in the input of a
// hook.
var ofTheRuntime = lazy.Regexp(`^\.(session_id|hook_event_name|tool_name|permission_mode|transcript_path)( *// *\S*)?$`)

const evaluates = "bash evaluates it as a number or as a name, and so starts a command in it"

// harmlessNumber is text that refers to nothing.
var harmlessNumber = lazy.Regexp(`^[-+*/%0-9. \t]*$`)

// counts notes the values in an arithmetic expression that may start a command; nil is none.
func (r *reader) counts(x syntax.Node, st *state) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			r.numbered(n.Value, n, st)
		case *syntax.ParamExp:
			if n.Param != nil && !n.Length {
				r.numbered(n.Param.Value, n, st)
			}
			return false
		case *syntax.CmdSubst:
			if !numeric(n) {
				r.gap(source(x), evaluates)
			}
			return false
		}
		return true
	})
}

// numbered judges a variable by its name: one that the line does not set is the
// user's own. The parameters of a function or of a line are somebody's words.
func (r *reader) numbered(name string, at syntax.Node, st *state) {
	values, set := st.vars[name]
	if _, is := at.(*syntax.Lit); is && !syntax.ValidName(name) {
		return
	}
	_, parameter := at.(*syntax.ParamExp)
	bad := set && (values == nil || slices.ContainsFunc(values, func(v Value) bool {
		return v.Glob || v.Text != nobodys && !harmlessNumber().MatchString(v.Text)
	}))
	if bad || name == "@" || name == "*" || len(name) == 1 && name >= "0" && name <= "9" && parameter {
		r.gap(source(at), evaluates)
	}
}

// numeric says whether a substitution prints nothing that a command decides: wc(1) and
// stat(1) print a number, and no name of a file.
func numeric(c *syntax.CmdSubst) bool {
	if len(c.Stmts) != 1 {
		return false
	}
	stmt := c.Stmts[0]
	for {
		pipe, is := stmt.Cmd.(*syntax.BinaryCmd)
		if !is || pipe.Op != syntax.Pipe && pipe.Op != syntax.PipeAll {
			break
		}
		stmt = pipe.Y
	}
	call, is := stmt.Cmd.(*syntax.CallExpr)
	if !is || len(call.Args) == 0 {
		return false
	}
	var words []string
	for _, arg := range call.Args {
		words = append(words, strings.Trim(source(arg), `"'`))
	}
	switch operands := words[1:]; words[0] {
	case "date":
		return len(operands) > 0 && strings.HasPrefix(operands[len(operands)-1], "+") &&
			!strings.ContainsAny(operands[len(operands)-1], "$`")
	case "wc":
		return !slices.ContainsFunc(operands, func(w string) bool { return !strings.HasPrefix(w, "-") })
	case "jq":
		operands = slices.DeleteFunc(operands, func(w string) bool { return strings.HasPrefix(w, "-") })
		return len(operands) == 1 && ofTheRuntime().MatchString(operands[0])
	case "stat":
		return slices.ContainsFunc(operands, func(w string) bool { return strings.Trim(w, "%Ysmz") == "" && w != "" })
	}
	return slices.Contains(systemsWords, words[0])
}

// number says of an assignment that no command decides its value.
func number(a *syntax.Assign) bool {
	if a.Value == nil || len(a.Value.Parts) != 1 {
		return false
	}
	part := a.Value.Parts[0]
	if quoted, is := part.(*syntax.DblQuoted); is && len(quoted.Parts) == 1 {
		part = quoted.Parts[0]
	}
	switch p := part.(type) {
	case *syntax.ArithmExp:
		return true
	case *syntax.CmdSubst:
		return numeric(p)
	case *syntax.ParamExp:
		return p.Length
	}
	return false
}

// Comparing are the operators of [[ ]] whose operands are numbers.
var Comparing = []syntax.BinTestOperator{syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss,
	syntax.TsGtr}

// evaluates notes what of a node of the shell's grammar is evaluated.
func (r *reader) evaluates(n syntax.Node, st *state) {
	switch n := n.(type) {
	case *syntax.ArithmExp:
		r.counts(n.X, st)
	case *syntax.ArithmCmd:
		r.counts(n.X, st)
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			r.counts(x, st)
		}
	case *syntax.CStyleLoop:
		r.counts(n.Init, st)
		r.counts(n.Cond, st)
		r.counts(n.Post, st)
	case *syntax.ParamExp:
		if n.Slice != nil {
			r.counts(n.Slice.Offset, st)
			r.counts(n.Slice.Length, st)
		}
		r.counts(n.Index, st)
	case *syntax.Assign:
		r.counts(n.Index, st)
	case *syntax.BinaryTest:
		if slices.Contains(Comparing, n.Op) {
			r.counts(n.X, st)
			r.counts(n.Y, st)
		}
	}
}

// learns notes the variables that arithmetic sets: to numbers.
func learns(n syntax.Node, st *state) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if x, is := n.(*syntax.BinaryArithm); is && strings.HasSuffix(x.Op.String(), "=") &&
			!slices.Contains([]string{"==", "!=", "<=", ">="}, x.Op.String()) {
			if w, is := x.X.(*syntax.Word); is && syntax.ValidName(w.Lit()) {
				st.vars[w.Lit()] = []Value{Literal(nobodys)}
			}
		}
		return true
	})
}

// names notes words that bash takes for names of variables, where anyone may choose
// them.
func (r *reader) names(words []word) {
	for _, w := range words {
		if w.anyones() {
			r.gap(w.src, evaluates)
		}
	}
}

// subscript is a substitution in the subscript of an array: bash runs it where
// it reads the text as the name of a variable or as a number (bash(1): test -v,
// printf -v, read, let, declare, ARITHMETIC EVALUATION).
var subscript = lazy.Regexp("\\[[^\\]]*(\\$\\(|`)")

// expandsLate says whether a text is expanded once more when bash uses it: such a
// subscript, and ${x@P}, which expands the value of a variable like a prompt.
func expandsLate(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.SglQuoted:
		return subscript().MatchString(n.Value)
	case *syntax.Lit:
		return subscript().MatchString(n.Value)
	case *syntax.ParamExp:
		return n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && n.Exp.Word != nil && n.Exp.Word.Lit() == "P"
	}
	return false
}

// later notes texts that are expanded late.
func (r *reader) later(tree *syntax.File, line string) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		if n == nil || !expandsLate(n) {
			return true
		}
		text := line[n.Pos().Offset():n.End().Offset()]
		if q, is := n.(*syntax.SglQuoted); is {
			text = q.Value
		}
		r.gap(text, "it may run a command when bash uses it")
		return true
	})
}
