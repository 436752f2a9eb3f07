// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a command is for is an instruction, since it is the
// heading of a next step: "define claude-iso", not "defines claude-iso".

package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// noInstruction begins no instruction; nor does a word that ends like the
// third person of a verb.
var noInstruction = []string{"a", "an", "the", "what", "it", "or", "core.hooksPath"}

// narrating lists the reasons of a file's commands that begin otherwise than
// with an instruction. What is worked out elsewhere is not read.
func narrating(s source) []string {
	var list []string
	ast.Inspect(s.ast, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || !named(lit.Type, "Command") {
			return true
		}
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok || !named(kv.Key, "Why") {
				continue
			}
			first, _, _ := strings.Cut(opening(kv.Value), " ")
			if slices.Contains(noInstruction, first) || strings.HasSuffix(first, "s") && !strings.HasSuffix(first, "ss") {
				list = append(list, fmt.Sprintf("%s: the reason of a command begins with %q, not with an instruction",
					s.at(kv), first))
			}
		}
		return true
	})
	return list
}

// named says whether e is the name, with or without its package.
func named(e ast.Expr, name string) bool {
	if s, ok := e.(*ast.SelectorExpr); ok {
		e = s.Sel
	}
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// opening is the text that a sum of strings begins with, "" if that is no
// literal.
func opening(e ast.Expr) string {
	for sum, ok := e.(*ast.BinaryExpr); ok; sum, ok = e.(*ast.BinaryExpr) {
		e = sum.X
	}
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		text, _ := strconv.Unquote(lit.Value)
		return text
	}
	return ""
}

func TestTheReasonOfACommandIsAnInstruction(t *testing.T) {
	for _, s := range program(t) {
		if !s.test() {
			report(t, narrating(s))
		}
	}
}

func TestTheRuleOfInstructionsFinds(t *testing.T) {
	for reason, want := range map[string]int{`"define it"`: 0, `"pass " + x`: 0, `why`: 0, `"defines it"`: 1,
		`"installs " + x + "y"`: 1, `"the hook is there"`: 1} {
		s := example(t, "a.go", "package a\nvar _ = report.Command{Why: "+reason+"}\n")[0]
		if got := narrating(s); len(got) != want {
			t.Errorf("%s: %q, want %d", reason, got, want)
		}
	}
}
