// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a colon and two blanks stand before a line to paste, in
// what an error says is next: on a narrow terminal the words before them are
// broken between words, and the line stays whole. No comment stands behind it:
// zsh knows none at its prompt, and takes "#" for an argument.

package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// oneBlank ends in a line to paste, or has one of a program that a step names.
var oneBlank = regexp.MustCompile(`[a-z]: (mv |$)`)

// comment begins one behind a line.
const comment = "   # "

// runOn lists the advice of a file's errors that runs on into a line to paste.
func runOn(s source) (list []string) {
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.Contains(lit.Value, comment) {
			list = append(list, fmt.Sprintf("%s: %s: a comment stands behind a line to paste", s.at(lit), lit.Value))
		}
		kv, ok := n.(*ast.KeyValueExpr)
		if !ok || !named(kv.Key, "Next") {
			return true
		}
		ast.Inspect(kv.Value, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, _ := strconv.Unquote(lit.Value); oneBlank.MatchString(text) {
					list = append(list, fmt.Sprintf("%s: %q: two blanks stand before a line to paste", s.at(kv), text))
				}
			}
			return true
		})
		return true
	})
	return list
}

func TestALineToPasteStandsBehindTwoBlanks(t *testing.T) {
	for _, s := range program(t) {
		if !s.test() && !within(s.path, []string{testRoom}) {
			report(t, runOn(s))
		}
	}
}

func TestTheRuleOfTwoBlanksFinds(t *testing.T) {
	for advice, want := range map[string]int{`"undo it:  " + x`: 0, `"undo it"`: 0, `"undo it: " + x`: 1,
		`"run it again: mv " + x`: 1, `x + "   # lists them"`: 1} {
		s := example(t, "a.go", "package a\nvar _ = report.Error{Next: "+advice+"}\n")[0]
		if got := runOn(s); len(got) != want {
			t.Errorf("%s: %q, want %d", advice, got, want)
		}
	}
}
