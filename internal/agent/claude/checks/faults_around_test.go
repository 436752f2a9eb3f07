// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a session loads from outside of its work tree is named with its
// line, and what it does not load from there is not.

package checks_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestTextsOutsideOfTheWorkTree(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	const (
		agent = "---\nname: x\ndescription: y\nmcpServers: [{z: {command: sh}}]\n---\nHelp.\n"
		skill = "---\nname: x\nallowed-tools: Write\n---\nHelp.\n"
		main  = "~/code/tracker/.claude/"
	)
	notes := func(m *Machine) { m.Project = m.at("~/code/notes") }
	for name, c := range map[string]struct {
		at    string // where the text lies
		text  string
		start func(m *Machine)
		want  report.Status
		where string
	}{
		"an agent of the main checkout": {main + "agents/x.md", agent, func(m *Machine) { m.Project = m.Worktree },
			report.Fail, "agents/x.md:4:1"},
		"a skill of the main checkout": {main + "skills/x/SKILL.md", skill, func(m *Machine) { m.Project = m.Worktree },
			report.Warn, "skills/x/SKILL.md:3:1"},
		"a skill of the main checkout, where the worktree has skills": {main + "skills/x/SKILL.md", skill,
			func(m *Machine) {
				m.write("~/code/tracker-fix/.claude/skills/own/SKILL.md", "Help.\n", 0o644)
				m.Project = m.Worktree
			}, report.Pass, ""},
		"a skill of the main checkout, where the worktree has a broken symlink": {main + "skills/x/SKILL.md", skill,
			func(m *Machine) {
				m.symlink("nowhere", "~/code/tracker-fix/.claude/skills")
				m.Project = m.Worktree
			}, report.Warn, "skills/x/SKILL.md:3:1"},
		"a plugin of the main checkout": {main + "skills/x/.claude-plugin/plugin.json", `{"name":"x"}`,
			func(m *Machine) { m.Project = m.Worktree }, report.Pass, ""},
		"a skill in a bare repository": {"~/bare.git/.claude/skills/x/SKILL.md", skill, func(m *Machine) {
			m.git(m.Project, "init", "--quiet", "--bare", m.at("~/bare.git"))
			m.git(m.Project, "push", "--quiet", m.at("~/bare.git"), "HEAD:refs/heads/x")
			m.git(m.at("~/bare.git"), "worktree", "add", "--quiet", m.at("~/of-bare"), "x")
			m.Project = m.at("~/of-bare")
		}, report.Warn, "bare.git/.claude/skills/x/SKILL.md:3:1"},
		"an agent above a start without a repository": {"~/code/.claude/agents/x.md", agent, notes, report.Fail,
			"agents/x.md:4:1"},
		"a command above a start without a repository": {"~/code/.claude/commands/x.md", skill, notes, report.Warn,
			"x.md:3:1"},
		"a plugin above a start without a repository": {"~/code/.claude/skills/x/.claude-plugin/plugin.json", `{"name":"x"}`,
			notes, report.Pass, ""},
		"an agent above a repository": {"~/code/.claude/agents/x.md", agent, func(*Machine) {}, report.Pass, ""},
		"a skill of the user's own":   {"~/.claude/skills/x/SKILL.md", skill, notes, report.Pass, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			m.write("~/code/notes/x.md", "mine\n", 0o644)
			c.start(m)
			m.write(c.at, c.text, 0o644)
			f := m.judged("project-code")
			said := told(m, []report.Finding{f}, nil)
			if f.Status != c.want || !strings.Contains(said, c.where) {
				t.Error(said)
			}
		})
	}
}
