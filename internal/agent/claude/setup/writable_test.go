// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"
	"testing"
)

// TestWhatSettingsOpenForWriting: every entry counts by which commands may write, in each
// file that is in force where a session starts, also that of the main checkout.
func TestWhatSettingsOpenForWriting(t *testing.T) {
	d := newDwelling(t, "/bin/bash")
	for name, text := range map[string]string{
		".claude/settings.json": `{"sandbox": {"filesystem": {"allowWrite": ["~/a", "~/b/*.log"]}},
			"permissions": {"allow": ["Edit(~/c/**)", "Read(~/d/**)"], "additionalDirectories": ["~/e"]}}`,
		"main/.git/HEAD":                   "ref: refs/heads/main\n",
		"main/.git/worktrees/w/commondir":  "../..\n",
		"main/.git/worktrees/w/gitdir":     d.path("w/.git") + "\n",
		"main/.git/worktrees/w/HEAD":       "ref: refs/heads/w\n",
		"main/.claude/settings.local.json": `{"permissions": {"additionalDirectories": ["~/f"]}}`,
		"w/.git":                           "gitdir: " + d.path("main/.git/worktrees/w") + "\n",
		"w/.claude/settings.json":          `{"sandbox": {"filesystem": {"allowWrite": ["~/g"]}}}`,
	} {
		d.put(name, text, 0o600)
	}
	open := Settings{}.Writable(d.proposer().draft, d.home, []string{d.path("w")})
	for name, want := range map[string]bool{"a": true, "b": true, "c": true, "d": false, "e": true, "f": true, "g": true} {
		if slices.Contains(open, d.path(name)) != want {
			t.Errorf("%s is open: %v, of %q", name, !want, open)
		}
	}
}
