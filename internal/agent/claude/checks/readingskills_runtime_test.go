// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what docs/protection.md says of the runtime's own skills that approve
// reading, and of what leaves them out, the real runtime does.

package checks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

func TestSkillsThatApproveReading(t *testing.T) {
	testenv.AsRoot(t)
	runtime := testenv.Claude(t)
	off := overrides(claude.SkillOff)
	on := overrides("on")
	for _, c := range []struct {
		name, user, project, local, flag string
		read                             bool
	}{
		{name: "nothing", read: true},
		{name: "off in the user's settings", user: off},
		{name: "off in the project's", project: off},
		{name: "off in local settings", local: off},
		{name: "off in settings of the command line", flag: off},
		{name: "off, and on in the project's", user: off, project: on, read: true},
		{name: "off, and on in the command line's", user: off, flag: on, read: true},
		{name: "off in the command line's, and on in the project's", project: on, flag: off},
		{name: "all of the runtime's own left out", user: `{"disableBundledSkills":true}`},
		{name: "left to what is typed", user: overrides(claude.SkillTyped)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, skill := range []string{"update-config", "keybindings-help"} {
				h := household{t, testenv.Home(t)}
				for path, text := range map[string]string{".claude/settings.json": c.user,
					"p/.claude/settings.json": c.project, "p/.claude/settings.local.json": c.local} {
					if text != "" {
						h.put(path, text, 0o600)
					}
				}
				h.put("p/x", "", 0o644)
				h.put("notes/plan", "CANARY-notes\n", 0o600)
				args := []string{"--allowedTools=Skill"}
				if c.flag != "" {
					args = append(args, "--settings="+c.flag)
				}
				server := sessions.Play(t, sessions.Session{Claude: runtime, Home: h.home, Dir: "p", Args: args,
					Script: []model.Turn{{{Tool: "Skill", Input: map[string]any{"skill": skill}}},
						{{Tool: "Read", Input: map[string]any{"file_path": h.home + "/notes/plan"}}}}})
				said, _ := server.Result(0, 0)
				got, _ := server.Result(1, 0)
				if read := strings.Contains(got.Text, "CANARY-notes"); read != c.read {
					t.Errorf("%s: read: %v, want %v (%s; %s)", skill, read, c.read, said.Text, got.Text)
				}
			}
		})
	}
}

// overrides are settings that say the same of each text that approves reading.
func overrides(word string) string {
	all := map[string]any{}
	for _, name := range claude.ReadingTexts() {
		all[name] = word
	}
	b, _ := json.Marshal(map[string]any{claude.KeySkillOverrides.String(): all})
	return string(b)
}

// TestNoOtherSkillApprovesReading: each that the runtime has, used by the agent in one turn.
func TestNoOtherSkillApprovesReading(t *testing.T) {
	testenv.AsRoot(t)
	runtime := testenv.Claude(t)
	home := func() household {
		h := household{t, testenv.Home(t)}
		h.put(".claude/settings.json", overrides(claude.SkillOff), 0o600)
		h.put("p/x", "", 0o644)
		h.put("notes/plan", "CANARY-notes\n", 0o600)
		return h
	}
	h := home()
	first := sessions.Play(t, sessions.Session{Claude: runtime, Home: h.home, Dir: "p",
		Args: []string{"--output-format=stream-json", "--verbose"}})
	var told struct {
		Commands []string `json:"slash_commands"`
	}
	line, _, _ := strings.Cut(first.Out, "\n")
	if err := json.Unmarshal([]byte(line), &told); err != nil || len(told.Commands) < 20 {
		t.Fatalf("the runtime names its commands first: %v: %.300s", err, first.Out)
	}
	h = home()
	var all model.Turn
	for _, name := range told.Commands {
		all = append(all, model.Call{Tool: claude.ToolSkill, Input: map[string]any{"skill": name}})
	}
	server := sessions.Play(t, sessions.Session{Claude: runtime, Home: h.home, Dir: "p",
		Args: []string{"--allowedTools=Skill"}, Script: []model.Turn{all,
			{{Tool: claude.ToolRead, Input: map[string]any{"file_path": h.home + "/notes/plan"}}}}})
	started := 0
	for i := range told.Commands {
		if said, _ := server.Result(0, i); strings.Contains(said.Text, "Launching skill") {
			started++
		}
	}
	got, there := server.Result(1, 0)
	if !there || strings.Contains(got.Text, "CANARY-notes") || started < 5 {
		t.Errorf("%d of %q were started, asked: %v, read: %s", started, told.Commands, there, got.Text)
	}
}
