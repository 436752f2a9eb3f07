// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a text of the user's own that brings along a file which
// commands may write is named with its line, in whatever way it does.

package checks_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// ownNote writes a text of the user's own that names a note of the project.
func ownNote(name, text string) func(*Machine) {
	return func(m *Machine) {
		m.write("~/code/tracker/notes/a.md", "Notes.\n", 0o644)
		m.write(name, text, 0o644)
	}
}

// mentions is a warning about a text of the user's own that is sent as a prompt.
func mentions(name, where string, seed func(*Machine)) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Warn, Where: where, Break: seed}
}

var ownTextFaults = []Fault{
	ownFault("your CLAUDE.md imports a file of the project", "~/.claude/CLAUDE.md#@~",
		ownNote("~/.claude/CLAUDE.md", "Be brief.\n@~/code/tracker/notes/a.md\n")),
	ownFault("your CLAUDE.md imports a file that a command could make", "~/.claude/CLAUDE.md#@~",
		ownNote("~/.claude/CLAUDE.md", "Be brief.\n@~/code/tracker/NOTES\n")),
	ownFault("a file that your CLAUDE.md imports imports one of the project", "~/.claude/style.md#@~", func(m *Machine) {
		m.write("~/.claude/CLAUDE.md", "@style.md\n", 0o644)
		ownNote("~/.claude/style.md", "Be brief.\n@~/code/tracker/notes/a.md\n")(m)
	}),
	ownFault("your CLAUDE.md imports a symlink into the project", "~/.claude/CLAUDE.md#@a.md", func(m *Machine) {
		ownNote("~/.claude/CLAUDE.md", "Be brief.\n@a.md\n")(m)
		m.symlink(m.at("~/code/tracker/notes/a.md"), "~/.claude/a.md")
	}),
	ownFault("your CLAUDE.md lies in the project, and so does what it imports", "~/code/tracker/dots/CLAUDE.md#@a.md",
		func(m *Machine) {
			m.write("~/code/tracker/dots/CLAUDE.md", "Be brief.\n@a.md\n", 0o644)
			m.symlink(m.at("~/code/tracker/dots/CLAUDE.md"), "~/.claude/CLAUDE.md")
		}),
	ownFault("a rule of yours imports a file of the project", "~/.claude/rules/deep/r.md#@~",
		ownNote("~/.claude/rules/deep/r.md", "Be brief.\n@~/code/tracker/notes/a.md\n")),
	ownFault("a rule of yours is a symlink into the project", "~/.claude/rules/a.md",
		leadsTo("notes/a.md", "~/.claude/rules/a.md", "notes/a.md")),
	ownFault("a directory of your rules is a symlink into the project", "~/.claude/rules/team",
		leadsTo("notes", "~/.claude/rules/team", "notes/a.md")),
	mentions("a command of yours names with @ what is not there yet", "~/.claude/commands/c.md#@~", func(m *Machine) {
		m.write("~/.claude/commands/c.md", "Look.\n@~/code/tracker/nothere\n", 0o644)
	}),
	mentions("a command of yours names a file of the project with @", "~/.claude/commands/c.md#@~",
		ownNote("~/.claude/commands/c.md", "Look.\n@~/code/tracker/notes/a.md\n")),
	mentions("a skill of yours names a file of whatever project with @", "~/.claude/skills/x/SKILL.md#@docs",
		ownNote("~/.claude/skills/x/SKILL.md", ownText+"See @docs/style.md\n")),
	mentions("a skill of yours approves every write", "~/.claude/skills/x/SKILL.md#allowed-tools",
		ownNote("~/.claude/skills/x/SKILL.md", "---\nname: x\nallowed-tools: Bash(git log *), Write\n---\nHelp.\n")),
	mentions("a command of yours approves every read", "~/.claude/commands/x.md#allowed-tools",
		ownNote("~/.claude/commands/x.md", "---\nallowed-tools:\n  - Read\n---\nHelp.\n")),
	mentions("a command of your plugin approves writes in your home", "~/.claude/skills/p/commands/x.md#allowed-tools",
		func(m *Machine) {
			m.write("~/.claude/skills/p/.claude-plugin/plugin.json", `{"name": "p"}`, 0o644)
			m.write("~/.claude/skills/p/commands/x.md", "---\nallowed-tools: Edit(~/**)\n---\nHelp.\n", 0o644)
		}),
	mentions("an agent of yours works in a worktree", "~/.claude/agents/x.md#isolation",
		ownNote("~/.claude/agents/x.md", "---\nname: x\ndescription: x\nisolation: worktree\n---\nHelp.\n")),
	mentions("an agent that your plugin names works in a worktree", "~/.claude/skills/p/more/x.md#isolation",
		func(m *Machine) {
			m.write("~/.claude/skills/p/.claude-plugin/plugin.json", `{"name": "p", "agents": ["./more/x.md"]}`, 0o644)
			m.write("~/.claude/skills/p/more/x.md", "---\nname: x\ndescription: x\nisolation: worktree\n---\nHelp.\n", 0o644)
		}),
	mentions("an agent of yours works elsewhere", "~/.claude/agents/x.md#isolation",
		ownNote("~/.claude/agents/x.md", "---\nname: x\ndescription: x\nisolation: remote\n---\nHelp.\n")),
	{Name: "an agent of yours has a server under an alias", Breaks: "policy-invariants", Want: report.Unknown,
		Where: "~/.claude/agents/x.md#&model", Break: ownNote("~/.claude/agents/x.md",
			"---\nname: x\ndescription: &model mcpServers\n*model : [{s: {command: ~/code/tracker/run.sh}}]\n---\nHelp.\n")},
	mentions("your loop.md names a file of the project with @", "~/.claude/loop.md#@notes",
		ownNote("~/.claude/loop.md", "Look.\n@notes/a.md\n")),
	mentions("a CLAUDE.md above the project imports a file of it", "~/code/CLAUDE.md#@tracker",
		ownNote("~/code/CLAUDE.md", "Be brief.\n@tracker/notes/a.md\n")),
}

// TestOwnTextsThatBringNothingAlong: of the project's, that is.
func TestOwnTextsThatBringNothingAlong(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, seed := range map[string]func(*Machine){
		"imports of the user's own": func(m *Machine) {
			m.write("~/.claude/CLAUDE.md", "@style.md, @~/notes/me.md, @~/notes/missing.md, ana@example.org, @types/node, and "+
				"my code is in ~/code/tracker.\n", 0o644)
			m.write("~/.claude/style.md", "Short.\n@rules/r.md\n", 0o644)
			m.write("~/.claude/rules/r.md", "@../CLAUDE.md\n", 0o644)
			m.write("~/notes/me.md", "Ana.\n", 0o644)
			m.symlink(m.at("~/.claude/rules"), "~/.claude/rules/again")
		},
		"the file itself in the project": leadsTo("dots/CLAUDE.md", "~/.claude/CLAUDE.md", "dots/CLAUDE.md"),
		"all rules in the project":       leadsTo("dots/rules", "~/.claude/rules", "dots/rules/r.md"),
		"a directory of the project":     ownNote("~/.claude/CLAUDE.md", "My project: @~/code/tracker\n"),
		"words after @ in a command": ownNote("~/.claude/commands/c.md",
			"Ask @ana, take @types/node and @deprecated out.\n"),
		"a command that approves commands, pages that are asked about, and edits here": ownNote("~/.claude/commands/c.md",
			"---\nallowed-tools: Bash(git log:*), Bash, WebFetch, Edit(src/**), Glob\n---\nHelp.\n"),
		"a style, which imports nothing": ownNote("~/.claude/output-styles/s.md",
			"---\nname: s\n---\n@~/code/tracker/notes/a.md\n"),
		"an agent's text, which does neither": ownNote("~/.claude/agents/a.md",
			"---\nname: a\ndescription: d\n---\n@~/code/tracker/notes/a.md\n"),
		"reads outside the project are blocked": func(m *Machine) {
			ownNote("~/.claude/commands/c.md", "Look.\n@~/code/tracker/notes/a.md\n")(m)
			m.set(userFile, "permissions.blockReadsOutsideWorkingDirectories", true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			seed(m)
			if f := m.judged("policy-invariants"); f.Status != report.Pass {
				t.Errorf("policy-invariants is %s: %s", f.Status, told(m, []report.Finding{f}, nil))
			}
		})
	}
}
