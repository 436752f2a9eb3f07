// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a value holds of the output of a command, or of another
// variable, is known from how it is quoted.

package shellrc

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/shell"
)

// held is what a part of the grammar takes in when it is read: the commands of its
// substitutions, and its variables.
func (w *walker) held(n syntax.Node) (d Def) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			if last := len(n.Stmts) - 1; last >= 0 {
				d.Printed += string(w.src[n.Stmts[0].Pos().Offset():n.Stmts[last].End().Offset()]) + "\x00"
			}
			return false
		case *syntax.ParamExp:
			if n.Param != nil && !n.Length {
				d.Of += " " + n.Param.Value
			}
		}
		return true
	})
	return d
}

// numbers notes what of a command is arithmetic. Names stand there without a "$".
func (w *walker) numbers(n syntax.Node) {
	note := func(at syntax.Node) {
		if len(w.file.Numbers) >= maxCalls {
			return
		}
		d := w.held(at)
		syntax.Walk(at, func(n syntax.Node) bool {
			if lit, is := n.(*syntax.Lit); is && syntax.ValidName(lit.Value) {
				d.Of += " " + lit.Value
			}
			_, is := n.(*syntax.CmdSubst)
			return !is
		})
		d.File, d.Line, d.Value = w.file.Path, int(at.Pos().Line()), w.text(at)
		w.file.Numbers = append(w.file.Numbers, d)
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause:
			note(n)
			return false
		case *syntax.BinaryTest:
			if slices.Contains(shell.Comparing, n.Op) {
				note(n)
			}
		}
		return true
	})
}
