// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every start that the project's policy leaves open is open
// in the real runtime, and closed once the user's own settings hold one.

package setup

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// TestTheFloorHoldsWhereverAPlainSessionStarts plays each start before and
// after. The project has a policy of its own, which its worktree lacks.
func TestTheFloorHoldsWhereverAPlainSessionStarts(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	claude := testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat", "git", "rg")
	d := newDwelling(t, "/bin/bash")
	d.inProject()
	d.put(".aws/credentials", "CANARY\n", 0o600)
	d.put("p/.claude/settings.json", `{"sandbox":{"enabled":true,"failIfUnavailable":true,"filesystem":{"denyRead":["~/"],"allowRead":["."]}}}`, 0o644)
	d.put("p/sub/README", "", 0o644)
	d.put("notes/README", "", 0o644)
	for _, args := range [][]string{{"-c", "user.name=x", "-c", "user.email=x@example.invalid", "commit", "-q",
		"--allow-empty", "-m", "x"}, {"worktree", "add", "-q", d.path("fix")}} {
		testenv.Git(t, testenv.Env(t, d.home), d.path("p"), args...)
	}
	// What the extension for VS Code starts its own copy of the runtime with,
	// in the folder that is open (anthropics/claude-code, issue 32814).
	editor := []string{"--setting-sources", "user,project,local"}
	// With its entrypoint the runtime takes a token and no key (measured with
	// 2.1.329).
	vscode := []string{"CLAUDE_CODE_ENTRYPOINT=claude-vscode", "ANTHROPIC_AUTH_TOKEN=fake"}
	starts := []struct {
		name, dir string
		args, env []string
		open      bool // with the project's policy alone
	}{
		{"in the root", "p", nil, nil, true}, // its .env: the project's policy is a short one
		{"in a subdirectory", "p/sub", nil, nil, true},
		{"in a linked worktree without the policy", "fix", nil, nil, true},
		{"outside any project", "notes", nil, nil, true},
		{"by an editor in a subdirectory", "p/sub", editor, vscode, true},
		{"by an editor in the folder above", ".", editor, vscode, true},
	}
	d.put("p/.env", "CANARY\n", 0o600)
	d.put("p/.claude/settings.local.json", `{"sandbox":{"filesystem":{"allowRead":["`+d.path("p")+`"]}}}`, 0o644)
	for _, floor := range []bool{false, true} {
		if floor {
			s, _ := d.floorOf("p")
			d.put(ownSettings, string(s.Items[0].(report.Change).After), 0o600)
		}
		for _, start := range starts {
			// A rule sees words: the shell puts the paths together.
			p := sessions.Play(t, sessions.Session{Claude: claude, Home: d.home, Dir: start.dir,
				Args: append([]string{"--allowedTools", "Bash"}, start.args...), Vars: start.env,
				Script: []model.Turn{{model.Bash("echo it works; a=.aws e=.env; cat '" + d.home + "'/$a/credentials; cat '" +
					d.path("p") + "'/$e")}}})
			r, called := p.Result(0, 0)
			p.Close()
			if !called || !strings.Contains(r.Text, "it works") {
				t.Fatal(start.name, r.Text, p.Out)
			}
			if open, want := strings.Contains(r.Text, "CANARY"), start.open && !floor; open != want {
				t.Errorf("%s, floor %v: a secret is readable: %v, want %v (%q)", start.name, floor, open, want, r.Text)
			}
		}
	}
}
