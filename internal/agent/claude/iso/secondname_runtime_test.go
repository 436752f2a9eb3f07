// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is said of texts with a second name is what a session does
// with them.

package iso_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
)

// TestACommandChangesATextByItsSecondName: a command writes hooks into a skill of the
// user's by a hard link in the project, and the next session runs them outside the
// sandbox. Run with 2.1.330; claude-iso starts with --anyway only
// (TestAFileWithASecondName).
func TestACommandChangesATextByItsSecondName(t *testing.T) {
	for _, launch := range []string{"plain", "iso"} {
		t.Run(launch, func(t *testing.T) {
			l := newLab(t)
			start := func(script ...model.Turn) session {
				if launch == "plain" {
					return l.plain("p", script...)
				}
				return l.hardened("p", iso.Options{Anyway: true}, script...)
			}
			run := l.put("run", l.mark("ran", "exit 0"))
			l.put(".claude/settings.json", `{"permissions":{"allow":["Skill"]}}`)
			l.settings(`{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"],"denyWrite":["./.claude"]}}}`)
			skill := l.put(".claude/skills/x/SKILL.md", "---\nname: x\ndescription: d\n---\nText.\n")
			if err := os.Link(skill, filepath.Join(l.project, "name.md")); err != nil {
				t.Fatal(err)
			}
			l.put("p/seed.md", "---\nname: x\ndescription: d\nhooks:\n  PreToolUse:\n    - hooks: [{type: command, command: "+
				run+"}]\n---\nText.\n")
			l.approve()
			l.put("p/plant.sh", "cat seed.md > name.md\n")
			start(calls(model.Bash("sh plant.sh"), nothing)...)
			if l.marked("ran") {
				t.Fatal("the hook ran before the next session")
			}
			s := start(calls(model.Call{Tool: "Skill", Input: map[string]any{"skill": "x"}}, model.Bash("true"), nothing)...)
			if !l.marked("ran") {
				t.Errorf("the hook did not run:\n%s", s.out)
			}
		})
	}
}
