// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one session of each kind with the real runtime, in each
// version that anything is claimed for: what the sandbox holds back, its twin
// gets; what a version cannot tell is written down here.

package rehearsal

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent"
	claudecode "github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// transcriptOf is where the sessions with a version are recorded.
func transcriptOf(name string) string {
	return filepath.Join("..", "..", "testdata", "transcripts", "runtime-"+name+".json")
}

// record keeps the sessions with a version:
//
//	go test ./internal/rehearsal -run 'TestSessions|TestHooksRun' -update
func record(t *testing.T, name string, sessions ...Raw) {
	t.Helper()
	if testenv.Update() {
		testenv.Write(t, transcriptOf(name), string(Save(sessions)), 0o644)
	}
}

func recorded(t *testing.T, name string) recording {
	t.Helper()
	sessions, err := load([]byte(testenv.Read(t, transcriptOf(name))))
	if err != nil {
		t.Fatal(err)
	}
	return recordingOf(sessions)
}

// The calls of TestSessions, by their place in the turn.
const (
	callControl = iota
	callCredential
	callHost
	callUnix
	callWrite
	callCommit
	callPush
	callVariable
	callDotenv
	callOutside
)

// planted is the value of a variable that must not arrive.
var planted = canary("AWS_SECRET_ACCESS_KEY")

func TestSessions(t *testing.T) {
	testenv.EachVersion(t, func(t *testing.T, claude string, version testenv.Version) {
		if version != testenv.Pinned { // what a version does is the same for root
			testenv.AsUser(t)
		}
		l := newLab(t)
		th := l.theatre(claude)
		aws, rc := filepath.Join(l.home, ".aws/credentials"), filepath.Join(l.home, ".bashrc")
		outside := model.Bash(Tool(ToolRead, aws))
		outside.Input["dangerouslyDisableSandbox"] = true
		turn := calls("cat README.md", Tool(ToolRead, aws),
			Tool(ToolGet, "http://denied.example:8480/path"), Tool(ToolUnix), Tool(ToolWrite, rc, "written"),
			"git status --short && git commit -q --allow-empty -m x && git log --oneline | wc -l",
			"git push origin main", Tool(ToolEnv, "AWS_SECRET_ACCESS_KEY"), Tool(ToolRead, filepath.Join(l.project, ".env")))
		turn[0] = append(turn[0], outside)
		session := Session{Turns: turn, Env: []string{"AWS_SECRET_ACCESS_KEY=" + planted}, Watch: []string{rc}}

		policy, twin, clean := session, session, session
		policy.Name, policy.Mode = "policy", Policy
		if version != testenv.Old {
			policy.Status = claudecode.AsksStatus
		}
		twin.Name, twin.Mode = "twin", Twin
		clean.Name, clean.Mode, clean.Launch = "iso", Policy, report.Iso
		sessions := []Raw{l.play(th, policy), l.play(th, twin), l.play(th, clean)}
		expect(t, recordingOf(sessions), l.home, version)
		record(t, string(version), sessions...)
	})
}

// TestRecordedSessions says the same of what was recorded, where there is no
// runtime.
func TestRecordedSessions(t *testing.T) {
	for _, version := range []testenv.Version{testenv.Pinned, testenv.Floor, testenv.Old} {
		t.Run(string(version), func(t *testing.T) {
			sessions := recorded(t, string(version))
			var first struct{ Cwd string }
			line, _, _ := strings.Cut(sessions["policy"].Stream, "\n")
			if err := json.Unmarshal([]byte(line), &first); err != nil {
				t.Fatal(err)
			}
			expect(t, sessions, filepath.Dir(filepath.Dir(first.Cwd)), version)
		})
	}
}

// expect says what each session must have shown on a machine with this home.
func expect(t *testing.T, sessions recording, home string, version testenv.Version) {
	t.Helper()
	aws, rc, env := filepath.Join(home, ".aws/credentials"), filepath.Join(home, ".bashrc"),
		filepath.Join(home, "code", "p", ".env")
	raw, twin, clean := sessions["policy"], sessions["twin"], sessions["iso"]
	old := version == testenv.Old

	wantReply(t, raw, callControl, "hello")
	wantReply(t, raw, callCommit, "2")
	for call, never := range map[int]string{callCredential: canary(aws), callHost: "/path", callUnix: "was made",
		callDotenv: canary(env), callOutside: canary(aws)} {
		rejectReply(t, raw, call, never)
	}
	if len(raw.Hits) > 0 || strings.Contains(raw.Files[rc], "written") {
		t.Errorf("the sandbox let through: %v %q", raw.Hits, raw.Files[rc])
	}
	if c := raw.Call(0, callPush); c.Decision != agent.Asked || c.Words != old {
		t.Errorf("an ask rule: %+v", c)
	}
	if c := raw.Call(0, callControl); c.Decision != agent.Ran {
		t.Errorf("a call that is allowed: %+v", c)
	}
	// 2.1.141 has no credentials block.
	if arrived := strings.Contains(raw.Results[model.ID(0, callVariable)].Text, planted); arrived != old {
		t.Errorf("the planted variable: %v in %q", arrived, raw.Results[model.ID(0, callVariable)].Text)
	}
	if raw.told() == old || (raw.Sandbox != "") == old || strings.Contains(raw.Status, `"enabled":true`) == old {
		t.Errorf("the channels: told %v, sandbox %.60q, status %.60q", raw.told(), raw.Sandbox, raw.Status)
	}

	for call, want := range map[int]string{callControl: "hello", callCredential: canary(aws), callHost: "/path",
		callUnix: "was made", callWrite: "written",
		callCommit: "2", callVariable: planted, callDotenv: canary(env)} {
		wantReply(t, twin, call, want)
	}
	if len(twin.Hits) != 1 || twin.Hits[0] != "/path" || !strings.Contains(twin.Files[rc], "written") {
		t.Errorf("the twin did not get through: %v %q", twin.Hits, twin.Files[rc])
	}

	wantReply(t, clean, callControl, "hello")
	rejectReply(t, clean, callCredential, canary(aws))
	rejectReply(t, clean, callVariable, planted) // the environment is clean, whatever the version
}

// told says whether this version tells its decisions by structured channels.
func (raw Raw) told() bool {
	return strings.Contains(raw.Stream, `"tool_result_meta":[{`) || strings.Contains(raw.Stream, `"permissionDecision":{`)
}
