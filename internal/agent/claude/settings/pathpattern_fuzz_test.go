// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package settings

import "testing"

func FuzzPattern(f *testing.F) {
	f.Add("**/a/**/b/**", "/home/me/p/a/b/c")
	f.Add("[", "/x")
	d := Dirs{Home: "/home/me", Agent: "/home/me/.claude", Start: "/home/me/p"}
	f.Fuzz(func(t *testing.T, content, path string) {
		for _, scope := range []Scope{User, Project} {
			p, ok := RulePattern(content, scope, d)
			if depth, covers := p.Covers(path); ok && covers && depth < 0 {
				t.Error("a negative depth")
			}
			SealPattern(content, scope, d)
			PatternAt(d.Resolve(content, scope)).Covers(path)
		}
	})
}
