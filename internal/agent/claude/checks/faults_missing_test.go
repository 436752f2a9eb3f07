// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a symlink to a file of the project that is not there yet is
// judged as one to a file that is: a command creates it.

package checks_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// creatable puts a symlink to what is not in the project at name.
func creatable(target, name string) func(*Machine) {
	return func(m *Machine) { m.symlink(m.at("~/code/tracker/"+target), name) }
}

// there puts a symlink to a file of the project at name.
func there(target, name, text string) func(*Machine) {
	return func(m *Machine) {
		m.write("~/code/tracker/"+target, text, 0o644)
		m.symlink(m.at("~/code/tracker/"+target), name)
	}
}

const dropIns = managedDir + "managed-settings.d/"

var missingFaults = []Fault{
	ownFault("your skill is a symlink to what a command could create", "~/.claude/skills/x",
		creatable("notes/x", "~/.claude/skills/x")),
	ownFault("your skill is a symlink to a file that a command could make a directory", "~/.claude/skills/x",
		func(m *Machine) {
			m.write("~/code/tracker/notes/x", "", 0o644)
			creatable("notes/x", "~/.claude/skills/x")(m)
		}),
	ownFault("the text of your skill is a symlink to what a command could create", "~/.claude/skills/x/SKILL.md",
		creatable("x.md", "~/.claude/skills/x/SKILL.md")),
	ownFault("the manifest that makes your skill a plugin is a symlink to what a command could create",
		"~/.claude/skills/x/.claude-plugin", creatable("plug", "~/.claude/skills/x/.claude-plugin")),
	ownFault("your agent is a symlink to what a command could create", "~/.claude/agents/x.md",
		creatable("x.md", "~/.claude/agents/x.md")),
	ownFault("your output style is a symlink to what a command could create", "~/.claude/output-styles/x.md",
		creatable("x.md", "~/.claude/output-styles/x.md")),
	ownFault("a directory of your commands is a symlink to what a command could create", "~/.claude/commands/team",
		creatable("cmds", "~/.claude/commands/team")),
	ownFault("the list of your plugins is a symlink into the project", "~/.claude/plugins/installed_plugins.json",
		func(m *Machine) {
			m.set(userFile, "enabledPlugins", map[string]any{"lint@team": true})
			there("installed.json", "~/.claude/plugins/installed_plugins.json", `{"version": 2, "plugins": {}}`)(m)
		}),
	ownFault("the list of your marketplaces is a symlink to what a command could create",
		"~/.claude/plugins/known_marketplaces.json", func(m *Machine) {
			m.set(userFile, "enabledPlugins", map[string]any{"lint@team": true})
			creatable("known.json", "~/.claude/plugins/known_marketplaces.json")(m)
		}),
	ownFault("the managed agents are a symlink to what a command could create", managedDir+".claude/agents",
		creatable("agents", managedDir+".claude/agents")),
	ownFault("a file of managed-settings.d is a symlink into the project", dropIns+"a.json",
		there("org/a.json", dropIns+"a.json", `{"cleanupPeriodDays": 9}`)),
	ownFault("a file of managed-settings.d is a symlink to what a command could create", dropIns+"a.json",
		creatable("org/a.json", dropIns+"a.json")),
	{Name: "the file with the managed MCP servers is a symlink into the project", Breaks: "policy-invariants",
		Want: report.Fail, Voids: true, Where: managedServers,
		Break: there("org/mcp.json", managedServers, `{"mcpServers": {}}`),
		Also:  map[report.ID]Effect{"mcp-servers": {report.Pass, "there is such a file"}}},
	ownFault("the file with the managed MCP servers is a symlink to what a command could create", managedServers,
		creatable("org/mcp.json", managedServers)),
	ownFault("managed settings lie behind a symlink of the project", "~/code/tracker/org", func(m *Machine) {
		m.write("~/org/settings.json", `{"cleanupPeriodDays": 9}`, 0o644)
		m.symlink(m.at("~/org"), "~/code/tracker/org")
		m.symlink(m.at("~/code/tracker/org/settings.json"), managedDir+"managed-settings.json")
	}),
	ownFault("managed-settings.d lies behind a symlink of the project", "~/code/tracker/org", func(m *Machine) {
		m.write("~/org/d/a.json", `{"cleanupPeriodDays": 9}`, 0o644)
		m.symlink(m.at("~/org"), "~/code/tracker/org")
		m.symlink(m.at("~/code/tracker/org/d"), managedDir+"managed-settings.d")
	}),
}

// TestSymlinksThatLeadElsewhere: what is not there outside the project nobody in the
// sandbox creates, the runtime keeps managed-settings.json and managed-settings.d
// where they lead to (measured with 2.1.330), and it reads no other names there.
func TestSymlinksThatLeadElsewhere(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, seed := range map[string]func(*Machine){
		"own": func(m *Machine) {
			m.symlink(m.at("~/dotfiles/x"), "~/.claude/skills/x")
			m.symlink("/opt/team/agents/x.md", "~/.claude/agents/x.md")
			creatable("agents", "~/.claude/commands")(m)
		},
		"lists of plugins, of which none is switched on": creatable("installed.json",
			"~/.claude/plugins/installed_plugins.json"),
		"material of a skill": func(m *Machine) {
			m.write("~/.claude/skills/x/SKILL.md", ownText, 0o644)
			creatable("notes/table.csv", "~/.claude/skills/x/table.csv")(m)
		},
		"managed": func(m *Machine) {
			m.symlink("/opt/team/a.json", dropIns+"a.json")
			creatable("org/README.md", dropIns+"README.md")(m)
			creatable("org/b.json", dropIns+".b.json")(m)
			creatable("org/settings.json", managedDir+"managed-settings.json")(m)
		},
		"managed directory": creatable("org", managedDir+"managed-settings.d"),
	} {
		m := copyOf(t, healthy)
		seed(m)
		f := m.judged("policy-invariants")
		if f.Status != report.Pass {
			t.Errorf("%s: %s: %s", name, f.Status, told(m, []report.Finding{f}, nil))
		}
	}
}
