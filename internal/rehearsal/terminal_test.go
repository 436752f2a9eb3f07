// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what print mode holds back and a terminal does not is seen
// with the real runtime, in both launches; and what closes it closes it.

package rehearsal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// terminal is what the project's settings say of permissions, and what becomes
// of each call in either launch.
var terminal = []struct {
	name, permissions string
	launch            report.Launch
	mode              string
	read              agent.Decision // of a file that no rule names
}{
	{"nothing set: auto mode", `{}`, report.Plain, "auto", agent.Ran},
	{"nothing set: claude-iso switches auto mode off", `{}`, report.Iso, "default", agent.Asked},
	{"auto mode off", `{"disableAutoMode":"disable"}`, report.Plain, "default", agent.Asked},
	{"auto mode off, no reads outside", `{"disableAutoMode":"disable","blockReadsOutsideWorkingDirectories":true}`,
		report.Plain, "default", agent.Rule},
	{"no reads outside, with claude-iso", `{"blockReadsOutsideWorkingDirectories":true}`, report.Iso, "default", agent.Rule},
}

// TestOnATerminal: auto mode is what a start on a terminal is in where no
// setting says otherwise; a check that approves lets calls through that print
// mode keeps. One key of the policy closes it.
func TestOnATerminal(t *testing.T) {
	testenv.AsRoot(t)
	sessions.Reads(t)
	for name, claude := range map[string]string{"pinned": testenv.Claude(t), "floor": testenv.ClaudeFloor(t)} {
		for _, tt := range terminal {
			t.Run(name+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				l.put("code/p/.claude/settings.json",
					`{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"],"allowRead":["."]}},"permissions":`+tt.permissions+`}`,
					0o644)
				raw := l.play(l.theatre(claude), l.onTerminal(tt.launch))
				if got := raw.Record().Mode(); got != tt.mode {
					t.Errorf("the permission mode is %q, want %q", got, tt.mode)
				}
				if raw.Sandbox == "" || strings.Contains(raw.Sandbox, "# Environment") {
					t.Errorf("what the model is told of the sandbox: %q", raw.Sandbox)
				}
				l.wantOnTerminal(raw, tt.read)
			})
		}
	}
}

// The calls of a session on a terminal, by their place in the turn.
const (
	termControl = iota
	termRead
	termDeclared
	termWrite
	termFetch
	termOutside
)

// onTerminal is a session that makes those calls.
func (l *lab) onTerminal(launch report.Launch) Session {
	key, rc := l.ageKey(), filepath.Join(l.home, ".zshrc")
	declared, outside := model.Bash(Tool(ToolGet, "http://denied.example:8480/declared")), model.Bash(Tool(ToolRead, key))
	declared.Input["hosts"] = []string{"denied.example"}
	outside.Input["dangerouslyDisableSandbox"] = true
	return Session{Name: "terminal", Launch: launch, Mode: Policy, Terminal: true, Watch: []string{rc},
		Files: []fs.Laid{{Path: key, Mode: 0o600, Data: []byte(canary(key))}},
		Turns: []model.Turn{{model.Bash("echo works"), {Tool: "Read", Input: map[string]any{"file_path": key}}, declared,
			{Tool: "Write", Input: map[string]any{"file_path": rc, "content": "written"}},
			{Tool: "WebFetch", Input: map[string]any{"url": "http://denied.example:8480/fetched", "prompt": "x"}}, outside}}}
}

// ageKey is a secret that no rule of the policy names.
func (l *lab) ageKey() string { return filepath.Join(l.home, ".config", "sops", "age", "keys.txt") }

// wantOnTerminal compares what a session that makes those calls shows; read is
// what becomes of the call that reads. What is run there shows that all else is.
func (l *lab) wantOnTerminal(raw Raw, read agent.Decision) {
	l.t.Helper()
	wantReply(l.t, raw, termControl, "works")
	open := read == agent.Ran
	for what, through := range map[string]bool{
		"reads a file that no rule names": strings.Contains(raw.Results[model.ID(0, termRead)].Text,
			canary(l.ageKey())),
		"reaches a host that it names itself":    strings.Contains(strings.Join(raw.Hits, " "), "/declared"),
		"fetches from a host":                    strings.Contains(strings.Join(raw.Hits, " "), model.SpokeTLS),
		"writes what the user's next shell runs": raw.Files[filepath.Join(l.home, ".zshrc")] != "",
		"runs outside the sandbox": strings.Contains(raw.Results[model.ID(0, termOutside)].Text,
			canary(l.ageKey())),
	} {
		if through != open {
			l.t.Errorf("the session %s: %v, want %v", what, through, open)
		}
	}
	for call, closed := range map[int]agent.Decision{termControl: agent.Ran, termRead: read, termDeclared: agent.Asked,
		termWrite: agent.Asked, termFetch: agent.Asked, termOutside: agent.Asked} {
		want := closed
		if open {
			want = agent.Ran
		}
		if c := raw.Call(0, call); c.Decision != want || c.Words {
			l.t.Errorf("call %d: %+v, want %s from the runtime's own record", call, c, want)
		}
	}
}
