// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
)

func FuzzPattern(f *testing.F) {
	f.Add("**/a/**/b/**", "/home/me/p/a/b/c")
	f.Add("[", "/x")
	d := settings.Dirs{Home: "/home/me", Agent: "/home/me/.claude", Start: "/home/me/p"}
	f.Fuzz(func(t *testing.T, content, path string) {
		for _, scope := range []settings.Scope{settings.User, settings.Project} {
			p, ok := RulePattern(content, scope, d)
			if depth, covers := p.Covers(path); ok && covers && depth < 0 {
				t.Error("a negative depth")
			}
			sealFor(content, scope, d)
			if depth, covers := patternAt(d.Resolve(content, scope)).Covers(path); covers {
				prefix(path, depth+1)
			}
		}
	})
}
