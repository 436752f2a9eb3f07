// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: bash expands some texts only when it uses them, so that
// quotes do not keep what stands in them from being run.

package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// subscript is a substitution in the subscript of an array: bash runs it where
// it reads the text as the name of a variable or as a number (bash(1): test -v,
// printf -v, read, let, declare, ARITHMETIC EVALUATION).
var subscript = lazy.Regexp("\\[[^\\]]*(\\$\\(|`)")

// expandsLate notes texts that are expanded later, and ${x@P}, which expands
// the value of a variable like a prompt.
func (r *reader) expandsLate(tree *syntax.File, line string) {
	const why = "it may run a command when bash uses it"
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SglQuoted:
			if subscript().MatchString(n.Value) {
				r.gap(n.Value, why)
			}
		case *syntax.Lit:
			if subscript().MatchString(n.Value) {
				r.gap(n.Value, why)
			}
		case *syntax.ParamExp:
			if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && n.Exp.Word != nil && n.Exp.Word.Lit() == "P" {
				r.gap(line[n.Pos().Offset():n.End().Offset()], why)
			}
		}
		return true
	})
}
