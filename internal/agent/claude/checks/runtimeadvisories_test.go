// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a weakness is named for the version that has it and the
// policy that it touches; the policy of this version on the runtime of this
// version has none.

package checks

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
)

func TestRuntimeAdvisories(t *testing.T) {
	testenv.AsUser(t)
	const bare = `{"sandbox":{"enabled":true}}`
	for _, tt := range []struct {
		name, says string
		files      map[string]string
		worktree   bool
		status     report.Status
		voids      bool
		words      []string
	}{
		{"as pinned", pinned.ClaudeSays(pinned.Claude()), nil, true, report.Pass, false,
			[]string{"none of 27 known weaknesses", pinned.Claude()}},
		{"old", "2.1.141 (Claude Code)", nil, false, report.Fail, true, []string{
			"Claude Code 2.1.141: A denyRead entry with a trailing slash", ownFile +
				":8:9 sandbox.filesystem.denyRead has \"~/\". Commands can read",
			"credentials-ignored, fixed in 2.1.187", "bash-rule-by-path, seen in 2.1.224, not in 2.1.324",
			"changelog of Claude Code, 2.1.224"}},
		{"old, with a linked worktree", "2.1.141 (Claude Code)", nil, true, report.Fail, true,
			[]string{"w a linked worktree. Commands write the main checkout"}},
		{"at the floor", "2.1.324 (Claude Code)", nil, true, report.Warn, false, []string{"git-links-left",
			ownFile + ":3:16 sandbox.enabled is true. A command makes .git/COMMIT_EDITMSG a symlink to ~/.zshenv"}},
		{"links of .git are set aside", "2.1.326 (Claude Code)", nil, true, report.Pass, false,
			[]string{"none of 27 known weaknesses", "2.1.326"}},
		{"before skills of a subdirectory were mended", "2.1.318 (Claude Code)", nil, false, report.Fail, true,
			[]string{"nested-skill-hooks", ownFile + ":3:16 sandbox.enabled is true. A sandboxed command writes DIR"}},
		{"the floor of before", "2.1.224 (Claude Code)", nil, false, report.Fail, true,
			[]string{"rename-protected-directory", "import-follows-link", "import-reads-env"}},
		{"not measured", "2.1.322 (Claude Code)", nil, true, report.Warn, false,
			[]string{"bash-rule-by-path", "2.1.322 was not measured"}},
		{"below the floor", "2.1.218 (Claude Code)",
			map[string]string{usersFile: `{"sandbox":{"network":{"strictAllowlist":true}}}`}, false, report.Fail, true,
			[]string{"strictAllowlist is true. A host outside", usersFile + ":1:42"}},
		{"very old", "2.1.82 (Claude Code)", nil, false, report.Fail, true,
			[]string{"failIfUnavailable is true. Where bwrap or socat is missing"}},
		{"a policy that may go without", pinned.ClaudeSays(pinned.Claude()), map[string]string{ownFile: bare}, false,
			report.Fail, false,
			[]string{"socat-broken-unsandboxed", ownFile + ":1:23 sandbox.failIfUnavailable is set in no scope",
				"bypass-opens-network"}},
		{"perhaps mended since", "2.1.400 (Claude Code)", map[string]string{ownFile: bare}, false, report.Warn, false,
			[]string{"2.1.400 was not measured"}},
		{"bare Bash, old", "2.1.141 (Claude Code)", map[string]string{usersFile: `{"permissions":{"allow":["Bash"]}}`}, false,
			report.Fail, true, []string{usersFile + ":1:26 permissions.allow has Bash"}},
		{"bare Bash, sealed", "2.1.224 (Claude Code)",
			map[string]string{usersFile: `{"sandbox":{"allowUnsandboxedCommands":false},"permissions":{"allow":["Bash"]}}`,
				ownFile: `{}`}, false, report.Pass, false, nil},
		{"a matcher with a comma, old", "2.1.190 (Claude Code)",
			map[string]string{ownFile: `{"hooks":{"PreToolUse":[{"matcher":"Bash,Read","hooks":[{"type":"command","command":"x"}]}]}}`}, false, report.Warn, false,
			[]string{ownFile + `:1:36 a PreToolUse hook has the matcher "Bash,Read"`}},
		{"a matcher with a comma", pinned.ClaudeSays(pinned.Claude()),
			map[string]string{ownFile: `{"hooks":{"PreToolUse":[{"matcher":"Bash,Read","hooks":[{"type":"command","command":"x"}]}]}}`}, false, report.Pass, false, nil},
		{"auto-allow left open, old", "2.1.141 (Claude Code)",
			map[string]string{ownFile: `{"sandbox":{"enabled":true,"failIfUnavailable":true}}`}, false, report.Fail, true,
			[]string{"autoAllowBashIfSandboxed is set in no scope"}},
		{"an Edit rule that cp missed", "2.1.319 (Claude Code)",
			map[string]string{ownFile: `{"permissions":{"deny":["Read(x)","Edit(d/a)","Edit(d/b)"]}}`}, false, report.Warn,
			false,
			[]string{"cp and mv into a directory", ownFile + ":1:35 permissions.deny has Edit(d/a)"}},
		{"an Edit rule", "2.1.321 (Claude Code)", map[string]string{ownFile: `{"permissions":{"deny":["Edit(d/a)"]}}`}, false,
			report.Pass, false, nil},
		{"a project's own ripgrep", "2.1.231 (Claude Code)", map[string]string{ownFile: `{"sandbox":{"enabled":true}}`},
			false, report.Fail, true, []string{"project-ripgrep, seen in 2.1.231, not in 2.1.232"}},
		{"not a version", "unknown", nil, false, report.Unknown, false, []string{"it prints no version", "unknown"}},
		{"a version in other words", "Claude v9.0.1", nil, false, report.Unknown, false,
			[]string{"does not report its version", "9.0.1"}},
		{"no runtime", "-", nil, false, report.Unknown, false, []string{"claude is not on PATH"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			h.project(tt.files)
			if tt.worktree {
				for _, args := range [][]string{{"commit", "-q", "--allow-empty", "-m", "x"},
					{"worktree", "add", "-q", "-b", "w", filepath.Join(h.home, "w")}} {
					cmd := exec.Command("git", append([]string{"-C", filepath.Join(h.home, "p")}, args...)...)
					cmd.Env = testenv.Env(t, h.home)
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Fatalf("%v\n%s", err, out)
					}
				}
			}
			r := h.reader("PATH=" + testenv.Distro(t, "none", map[string]string{"claude.--version": tt.says}) + ":/usr/bin:/bin")
			f := checkAdvisories(context.Background(), r, filepath.Join(h.home, "p"))
			wantFinding(t, f, tt.status, tt.words...)
			if f.Voids != tt.voids {
				t.Errorf("voids %v: %s", f.Voids, f.Summary)
			}
			if (len(f.Remedies) == 0) != (tt.status == report.Pass) {
				t.Errorf("remedies %v", f.Remedies)
			}
		})
	}
}

func TestEveryTouchIsLookedFor(t *testing.T) {
	used := map[policy.Touch]bool{}
	for _, a := range policy.Advisories() {
		if used[a.Touches] = true; touches[a.Touches] == nil {
			t.Errorf("nothing looks for %s of %s", a.Touches, a.ID)
		}
	}
	for touch := range touches {
		if !used[touch] {
			t.Errorf("no advisory touches %s", touch)
		}
	}
}
