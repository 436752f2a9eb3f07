// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a finding says that a link of the project gives to
// the model, the real runtime puts into its first request.

package verify

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
		runtime, settings, link, start string
		sent                           bool
	}{
		{pinned, hides, "CLAUDE.md", "p", true},
		{pinned, hides, "CLAUDE.local.md", "p", true},
		{pinned, hides, ".claude/CLAUDE.md", "p", true},
		{pinned, hides, ".claude/rules/a.md", "p", false},
		{pinned, denies, "CLAUDE.md", "p", false},
		{pinned, denies, "CLAUDE.md", "p/sub", true},
		{old, hides, "CLAUDE.md", "p", true},
		{old, hides, ".claude/rules/a.md", "p", true},
		{old, denies, "CLAUDE.md", "p", true},
	} {
		h := household{t, testenv.Home(t)}
		h.put(".ssh/id_rsa", "CANARY\n", 0o600)
		h.put("p/.claude/settings.json", c.settings, 0o644)
		h.put("p/.claude/rules/own.md", "OWN WORDS\n", 0o644)
		h.put("p/.git/HEAD", "ref: refs/heads/main\n", 0o644)
		h.put("p/sub/README", "", 0o644)
		h.link(filepath.Join(h.home, ".ssh/id_rsa"), filepath.Join("p", c.link))
		server := sessions.Play(t, sessions.Session{Claude: c.runtime, Home: h.home, Dir: c.start,
			Args:   []string{"--allowedTools", "Bash"},
			Script: []model.Turn{{model.Bash("true")}}})
		asked := func(word string) bool {
			return slices.ContainsFunc(server.Requests(), func(r model.Request) bool {
				return strings.Contains(string(r.Body), word)
			})
		}
		if !asked("OWN WORDS") {
			t.Fatal(server.Out)
		}
		if sent := asked("CANARY"); sent != c.sent {
			t.Errorf("%s with %s in %s: sent %v", c.link, c.settings, c.start, sent)
		}
		if f := checkProjectCode(t.Context(), h.reader(), filepath.Join(h.home, c.start)); f.Status != report.Fail ||
			!strings.Contains(said(f), c.link) {
			t.Errorf("%s: %s %s", c.link, f.Status, said(f))
		}
	}
}
