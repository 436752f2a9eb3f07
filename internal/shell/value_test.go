// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import "testing"

// What is known of a word is what bash and dash make of it (each line was run).
func TestAWordHasTheValuesThatTheShellGivesIt(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"HOME=$(x); ~/x", "unclear /h/p/sub, gap"},
		{". -- ./x", "runs /h/p/sub/x"},
		{`./a{"b",c}`, "gap"},
		{"./a{b}", "runs /h/p/sub/a{b}"},
		{`X=; ${X:-/a}/x; "${X-/b}/y"`, "runs /a/x, runs /y"},
		{"Y=~/y; ${Y:?}/x", "runs /h/y/x"},
	} {
		if got := said(place.Line(c.line)); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}
