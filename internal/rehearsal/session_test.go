// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one session of each kind with the real runtime, in each
// version that anything is claimed for: what the sandbox holds back, its twin
// gets; what a version cannot tell is written down here.

package rehearsal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestSessions(t *testing.T) {
	testenv.EachVersion(t, func(t *testing.T, claude string, version testenv.Version) {
		t.Parallel()
		l := newLab(t)
		th := l.theatre(claude)
		aws, rc := filepath.Join(l.home, ".aws/credentials"), filepath.Join(l.home, ".bashrc")
		outside := model.Bash(Tool(ToolRead, aws))
		outside.Input["dangerouslyDisableSandbox"] = true
		turn := calls("cat README.md", Tool(ToolRead, aws), Tool(ToolGet, "http://denied.example:8480/path"), Tool(ToolUnix),
			Tool(ToolWrite, rc, "written"), "git status --short && git commit -q --allow-empty -m x && git log --oneline | wc -l",
			"git push origin main", Tool(ToolEnv, "AWS_SECRET_ACCESS_KEY"), Tool(ToolRead, filepath.Join(l.project, ".env")))
		turn[0] = append(turn[0], outside)
		session := Session{Turns: turn, Env: []string{"AWS_SECRET_ACCESS_KEY=planted"}, Watch: []string{rc}, Status: version == testenv.Pinned}

		session.Mode = Policy
		raw := l.play(th, session)
		wantReply(t, raw, 0, "hello")
		for i, never := range []string{1: canary(aws), 2: "/path", 3: "was made", 6: "fatal", 8: canary(filepath.Join(l.project, ".env"))} {
			if never != "" {
				rejectReply(t, raw, i, never)
			}
		}
		wantReply(t, raw, 5, "2")
		if len(raw.Hits) > 0 || strings.Contains(raw.Files[rc], "written") {
			t.Errorf("the sandbox let through: %v %q", raw.Hits, raw.Files[rc])
		}
		if planted := strings.Contains(raw.Results[model.ID(0, 7)].Text, "planted"); planted != (version == testenv.Old) {
			t.Errorf("the planted variable: %v in %q", planted, raw.Results[model.ID(0, 7)].Text) // 2.1.141 has no credentials block
		}
		rejectReply(t, raw, 9, canary(aws))
		if told := raw.Told(); told != (version != testenv.Old) {
			t.Errorf("structured channels: %v", told)
		}
		if (raw.Sandbox != "") != (version == testenv.Pinned) {
			t.Errorf("what the model was told about the sandbox: %q", raw.Sandbox)
		}
		if strings.Contains(raw.Status, `"enabled":true`) != (version == testenv.Pinned) {
			t.Errorf("the runtime's own status: %q", raw.Status)
		}

		session.Mode, session.Status = Twin, false
		twin := l.play(th, session)
		for i, want := range []string{"hello", canary(aws), "/path", "was made", "written", "2", "", "planted", canary(filepath.Join(l.project, ".env"))} {
			wantReply(t, twin, i, want)
		}
		if len(twin.Hits) != 1 || twin.Hits[0] != "/path" || !strings.Contains(twin.Files[rc], "written") {
			t.Errorf("the twin did not get through: %v %q", twin.Hits, twin.Files[rc])
		}

		session.Mode, session.Launch = Policy, report.Iso
		clean := l.play(th, session)
		wantReply(t, clean, 0, "hello")
		rejectReply(t, clean, 1, canary(aws))
		rejectReply(t, clean, 7, "planted") // the environment is clean, whatever the version
	})
}
