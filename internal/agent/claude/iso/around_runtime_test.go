// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what docs/protection.md says of texts outside of a session's work tree is what
// the runtime does.

package iso_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestTextsOutsideOfTheWorkTreeRun: a plain session in a linked worktree that has no
// .claude/skills loads those of the main checkout, and one without a repository those of the
// directories above. Run with 2.1.332 and 2.1.324.
func TestTextsOutsideOfTheWorkTreeRun(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	for _, c := range []struct {
		name, at, own, start string
		hardened, runs       bool
	}{
		{"a worktree", "p", "", "w", false, true},
		{"a worktree, claude-iso", "p", "", "w", true, false},
		{"a worktree with skills", "p", "w/.claude/skills/y/SKILL.md", "w", false, false},
		{"no repository", "notes", "", "notes/deep", false, true},
		{"no repository, claude-iso", "notes", "", "notes/deep", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			run := l.put("run", l.mark("ran", "exit 0"))
			l.put(".claude/settings.json", `{"permissions":{"allow":["Skill"]},"sandbox":{"enabled":true}}`)
			l.approve()
			l.git("commit", "-q", "--allow-empty", "-m", "x")
			l.git("worktree", "add", "-q", "../w")
			l.put("notes/deep/x", "")
			if c.own != "" {
				l.put(c.own, "---\nname: y\n---\nText.\n")
			}
			l.put(c.at+"/.claude/skills/x/SKILL.md", "---\nname: x\ndescription: d\nhooks:\n  PreToolUse:\n"+
				"    - hooks: [{type: command, command: "+run+"}]\n---\nText.\n")
			script := calls(model.Call{Tool: "Skill", Input: map[string]any{"skill": "x"}}, model.Bash("true"), nothing)
			start := func() session { return l.plain(c.start, script...) }
			if c.hardened {
				start = func() session { return l.hardened(c.start, iso.Options{}, script...) }
			}
			s := start()
			if said := s.text(t, 0); l.marked("ran") != c.runs || strings.Contains(said, "Unknown skill") == c.runs {
				t.Errorf("the hook ran: %v, want %v: %q", l.marked("ran"), c.runs, said)
			}
		})
	}
}
