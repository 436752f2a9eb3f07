// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a file that a skill's arguments name is sent in a plain
// start, and not in the launch, with the real runtime.

package iso_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestFilesNamedForASkillAreNotSentInTheLaunch(t *testing.T) {
	testenv.AsUser(t)
	const canary = "CANARY-of-the-notes"
	l := newLab(t)
	l.approve()
	l.put("notes.txt", canary+"\n")
	l.put(".claude/skills/told/SKILL.md", "---\nname: told\ndescription: d\n---\n$ARGUMENTS\n")
	l.put(".claude/settings.json", `{"permissions":{"allow":["Skill"]}}`)
	script := calls(model.Call{Tool: "Skill", Input: map[string]any{"skill": "told", "args": "@~/notes.txt"}},
		model.Bash("true"))
	for name, c := range map[string]struct {
		start func() session
		sent  bool
	}{
		"plain claude": {func() session { return l.plain("p", script...) }, true},
		"claude-iso":   {func() session { return l.hardened("p", iso.Options{}, script...) }, false},
	} {
		s := c.start()
		if got := s.text(t, 0); !strings.Contains(got, "Launching skill") {
			t.Errorf("%s: the skill did not start: %s", name, got)
		}
		if sent := s.Told(canary); sent != c.sent {
			t.Errorf("%s: the model was sent the file: %v, want %v\n%s", name, sent, c.sent, s.out)
		}
	}
}
