// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
)

func FuzzForms(f *testing.F) {
	for _, line := range []string{"env -u X A=1 timeout 3 git -C . push", "bash -c 'eval x | xargs -n 1 y'",
		"find . -exec rm {} +", "nice", "timeout", "sh -c"} {
		f.Add(line)
	}
	f.Fuzz(func(_ *testing.T, line string) {
		for _, c := range commandsOf(line, "/home/me") {
			c.forms()
			c.plain()
			c.handed("/home/me")
		}
	})
}

func FuzzPattern(f *testing.F) {
	f.Add("**/a/**/b/**", "/home/me/p/a/b/c")
	f.Add("[", "/x")
	d := settings.Dirs{Home: "/home/me", Agent: "/home/me/.claude", Start: "/home/me/p"}
	f.Fuzz(func(t *testing.T, content, path string) {
		for _, scope := range []settings.Scope{settings.User, settings.Project} {
			p, ok := ruleFor(content, scope, d)
			if depth, covers := p.Covers(path); ok && covers && depth < 0 {
				t.Error("a negative depth")
			}
			sealFor(content, scope, d)
			if p, ok := SettingPattern(content, scope, d); ok {
				p.Covers(path)
			}
		}
	})
}
