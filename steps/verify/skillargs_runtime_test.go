// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what docs/iso.md says of files in the arguments of a skill,
// and of what closes them, the real runtime does.

package verify

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// skillArguments are the permissions of a session whose agent starts a skill
// of the runtime with a file of the home in its arguments. Measured with
// 2.1.329.
var skillArguments = []struct {
	name, permissions string
	sent, started     bool
}{
	{"nothing names the file", `{}`, true, true},
	{"a Read rule names it", `{"deny":["Read(~/notes/**)"]}`, false, true},
	{"install --project-reads=yes", `{"blockReadsOutsideWorkingDirectories":true}`, false, true},
	{"every skill is a prompt", `{"ask":["Skill"]}`, false, false},
}

func TestFilesInTheArgumentsOfASkill(t *testing.T) {
	testenv.AsRoot(t)
	claude := testenv.Claude(t)
	for _, c := range skillArguments {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := household{t, testenv.Home(t)}
			h.put("notes/private.txt", "CANARY\n", 0o600)
			h.put("p/.claude/settings.json", `{"permissions":`+c.permissions+`}`, 0o644)
			h.put(".claude.json", `{"hasCompletedOnboarding":true,"projects":{"`+filepath.Join(h.home, "p")+`":{"hasTrustDialogAccepted":true}}}`, 0o600)
			server := sessions.Play(t, sessions.Session{Claude: claude, Home: h.home, Dir: "p",
				Script: []model.Turn{{{Tool: "Skill", Input: map[string]any{"skill": "run", "args": "@~/notes/private.txt"}}}, {model.Bash("true")}}})
			r, _ := server.Result(0, 0)
			if started := strings.Contains(r.Text, "Launching skill"); started != c.started {
				t.Errorf("the skill started: %v: %s", started, r.Text)
			}
			sent := slices.ContainsFunc(server.Requests(), func(r model.Request) bool { return strings.Contains(string(r.Body), "CANARY") })
			if sent != c.sent {
				t.Errorf("the model is told the file: %v, want %v", sent, c.sent)
			}
		})
	}
}
