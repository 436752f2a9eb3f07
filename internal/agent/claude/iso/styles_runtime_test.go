// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an output style of the user's own is sent to the model, and what
// verify says of symlinks in its place is what both launches do with them.

package iso_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAnOutputStyleIsSent: a style that is a symlink into the project a command makes
// one to a file that a Read rule denies, and the next session sends that: in the user's
// directory and beside managed settings. Symlinks of a plugin's styles are not followed.
// Run with 2.1.330 and 2.1.324.
func TestAnOutputStyleIsSent(t *testing.T) {
	for _, c := range []struct {
		at, style string
		sent      bool
	}{
		{".claude/output-styles/mine.md", "mine", true},
		{".claude/output-styles/team/mine.md", "mine", true},
		{"etc/.claude/output-styles/mine.md", "mine", true},
		{".claude/skills/q/output-styles/mine.md", "q:mine", false},
	} {
		t.Run(strings.ReplaceAll(c.at, "/", " "), func(t *testing.T) {
			inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
				l.put("keys/id", "CANARY-KEY\n")
				l.put("p/mine.md", "---\nname: mine\ndescription: d\n---\nSTYLE\n")
				l.put(".claude/skills/q/.claude-plugin/plugin.json", `{"name":"q"}`)
				l.put(".claude/settings.json", `{"outputStyle":"`+c.style+`","permissions":{"deny":["Read(~/keys/**)"]}}`)
				testenv.Link(t, filepath.Join(l.project, "mine.md"), filepath.Join(l.home, c.at))
				l.put("etc/.claude/output-styles/other.md", "other")
				l.withEtc("etc")
				l.put("p/plant.sh", "rm mine.md; ln -s "+l.home+"/keys/id mine.md && echo planted\n")
				s := start(calls(model.Bash("sh plant.sh"), nothing)...)
				if !strings.Contains(s.text(t, 0), "planted") || s.Told("CANARY-KEY") {
					t.Fatalf("nothing was planted, or the file was sent already: %s", s.text(t, 0))
				}
				if got := start(calls(nothing)...).Told("CANARY-KEY"); got != c.sent {
					t.Errorf("the file is sent: %v, want %v", got, c.sent)
				}
			})
		})
	}
}
