// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a finding says that a link of the project gives to
// the model, the real runtime puts into its first request.

package checks

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/projectcode"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// TestTheRuntimeFollowsLinkedInstructions: the sandbox hides the home, and a
// file of it is in the first request. A Read rule against the file keeps it
// out in 2.1.329 where the rule is in force, and in 2.1.141 nowhere.
func TestTheRuntimeFollowsLinkedInstructions(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "bwrap", "socat")
	const hides = `{"sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/"], "allowRead": ["."]}, "credentials": {"files": [{"path": "~/.ssh/", "mode": "deny"}]}}}`
	const denies = `{"permissions": {"deny": ["Read(~/.ssh/**)"]}}`
	pinned, old := testenv.Claude(t), testenv.ClaudeOld(t)
	for _, c := range []struct {
		runtime, settings, start string
		sent, kept               []string // links that are followed, and not
	}{
		{pinned, hides, "p", []string{"CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"}, []string{".claude/rules/a.md"}},
		{pinned, denies, "p", nil, []string{"CLAUDE.md"}},
		{pinned, denies, "p/sub", []string{"CLAUDE.md"}, nil},
		{old, hides, "p", []string{"CLAUDE.md", ".claude/rules/a.md"}, nil},
		{old, denies, "p", []string{"CLAUDE.md"}, nil},
	} {
		machine := func(links []string) household {
			h := household{t, testenv.Home(t)}
			h.put("p/.claude/settings.json", c.settings, 0o644)
			h.put("p/.claude/rules/own.md", "OWN WORDS\n", 0o644)
			h.put("p/.git/HEAD", "ref: refs/heads/main\n", 0o644)
			h.put("p/sub/README", "", 0o644)
			for i, link := range links { // each to a key of its own
				key := fmt.Sprintf(".ssh/id_%d", i)
				h.put(key, "CANARY of "+link+".\n", 0o600)
				h.link(filepath.Join(h.home, key), filepath.Join("p", link))
			}
			return h
		}
		links := slices.Concat(c.sent, c.kept)
		server := sessions.Play(t, sessions.Session{Claude: c.runtime, Home: machine(links).home, Dir: c.start,
			Args:   []string{"--allowedTools", "Bash"},
			Script: []model.Turn{{model.Bash("true")}}})
		if !server.Told("OWN WORDS") {
			t.Fatal(server.Out)
		}
		for _, link := range links {
			if sent := server.Told("CANARY of " + link + "."); sent != slices.Contains(c.sent, link) {
				t.Errorf("%s with %s in %s: sent %v", link, c.settings, c.start, sent)
			}
			h := machine([]string{link})
			if f := projectcode.Check(t.Context(), h.reader(), filepath.Join(h.home,
				c.start)); f.Status != report.Fail ||
				!strings.Contains(said(f), link) {
				t.Errorf("%s: %s %s", link, f.Status, said(f))
			}
		}
	}
}
