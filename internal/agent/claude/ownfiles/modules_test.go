// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package ownfiles

import (
	"strings"
	"testing"
)

// TestALineOfAModuleIsThatOfItsFile, also behind a text of several lines, or one with a
// line feed by its number.
func TestALineOfAModuleIsThatOfItsFile(t *testing.T) {
	for text, want := range map[string]int{
		"a\n$.process":                            2,
		"'a\\\nb\\\r\nc'\n$.process":              4,
		"'\\x0a\\u{a}\\u000a'\n$.process":         2,
		"'\\\\'\n$.pro\\u0063ess // '\\\n'":       2,
		"'\\\n'\n$.\\u0070\\u{72}ocess + '\\x0a'": 3,
	} {
		at := strings.Index(spelledOut(text), "$.process")
		if at < 0 {
			t.Errorf("%q has no such word", text)
		} else if got := lineOf(text, at); got != want {
			t.Errorf("%q: line %d, want %d", text, got, want)
		}
	}
}
