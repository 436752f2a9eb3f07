// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line fits into 120 characters, but for what is text
// itself: a raw string cannot be broken.

package archtest

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxWidth bounds a line, in characters; a tab is one.
const maxWidth = 120

func TestLinesFit(t *testing.T) {
	for _, s := range sources(t) {
		if ast.IsGenerated(s.ast) {
			continue
		}
		raw := map[int]bool{}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && l.Value[0] == '`' {
				for at := s.fset.Position(l.Pos()).Line; at <= s.fset.Position(l.End()).Line; at++ {
					raw[at] = true
				}
			}
			return true
		})
		for i, line := range strings.Split(s.text, "\n") {
			if n := utf8.RuneCountInString(line); n > maxWidth && !raw[i+1] {
				t.Errorf("%s:%d: %d characters, more than %d", s.path, i+1, n, maxWidth)
			}
		}
	}
}
