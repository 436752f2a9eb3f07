// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what lies beside managed settings is judged as the user's own
// is: it starts and reads the same, in both launches.

package checks_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// managed are the places beside managed settings.
const (
	managedDir     = "/etc/claude-code/"
	managedServers = managedDir + "managed-mcp.json"
)

// managedWarning is a warning about instructions there.
func managedWarning(name, where string, seed func(*Machine)) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Warn, Where: where, Break: seed}
}

var managedFaults = []Fault{
	{Name: "a managed MCP server lies in the project", Breaks: "mcp-servers", Want: report.Fail, Voids: true,
		Where: managedServers + "#x",
		Break: writes(managedServers, "{\"mcpServers\": {\n\"x\": {\"command\": \"./tools/x\"}}}")},
	{Name: "the managed MCP servers are not JSON", Breaks: "mcp-servers", Want: report.Unknown, Where: managedServers,
		Break: writes(managedServers, "{,}")},
	{Name: "managed settings count no rules but their own, and have none", Breaks: "project-settings", Want: report.Fail,
		Where: managedFile + "#allowManagedPermissionRulesOnly", Also: effects{"effective-sandbox": {report.Fail,
			"the agent's own tools follow no policy"}},
		Break: func(m *Machine) { m.set(managedFile, "allowManagedPermissionRulesOnly", true) }},
	{Name: "managed settings count no rules but their own, and lack those of the policy in your settings",
		On: &wholeUser, Breaks: "project-settings", Want: report.Fail,
		Where: managedDir + "managed-settings.d/a.json#allowManagedPermissionRulesOnly", Break: func(m *Machine) {
			m.write(managedFile, `{"permissions": {"deny": ["Read(~/.ssh/**)"]}}`, 0o644)
			m.write(managedDir+"managed-settings.d/a.json", `{"allowManagedPermissionRulesOnly": true}`, 0o644)
			m.write(managedDir+"managed-settings.d/b.json", `{"allowManagedPermissionRulesOnly": false}`, 0o644)
		}},
	{Name: "managed settings take hooks from plugins alone", Breaks: "user-wiring", Want: report.Fail,
		Where: managedFile + "#strictPluginOnlyCustomization",
		Break: func(m *Machine) {
			m.set(managedFile, "strictPluginOnlyCustomization", []string{"skills", "hooks"})
		}},
	ownFault("a managed skill has a hook that lies in the project", managedDir+".claude/skills/x/SKILL.md#command:",
		writes(managedDir+".claude/skills/x/SKILL.md", ownHook)),
	ownFault("a managed command has a hook that lies in the project", managedDir+".claude/commands/x.md#command:",
		writes(managedDir+".claude/commands/x.md", ownHook)),
	ownFault("a managed agent starts a server that lies in the project", managedDir+".claude/agents/x.md#command:",
		writes(managedDir+".claude/agents/x.md", ownServer)),
	ownFault("a managed plugin has a hook that lies in the project",
		managedDir+".claude/skills/q/hooks/hooks.json#command\": \"",
		func(m *Machine) {
			m.write(managedDir+".claude/skills/q/.claude-plugin/plugin.json", `{"name": "q"}`, 0o644)
			writes(managedDir+".claude/skills/q/hooks/hooks.json", pluginHook)(m)
		}),
	ownFault("a managed agent is a symlink into the project", managedDir+".claude/agents/x.md",
		leadsTo("x.md", managedDir+".claude/agents/x.md", "x.md")),
	managedWarning("managed instructions import a file of the project", managedDir+"CLAUDE.md#@~",
		ownNote(managedDir+"CLAUDE.md", "Be brief.\n@~/code/tracker/notes/a.md\n")),
	managedWarning("a managed rule imports a file of the project", managedDir+".claude/rules/r.md#@~",
		ownNote(managedDir+".claude/rules/r.md", "Be brief.\n@~/code/tracker/notes/a.md\n")),
	managedWarning("a managed command names a file of the project with @", managedDir+".claude/commands/c.md#@~",
		ownNote(managedDir+".claude/commands/c.md", "Look.\n@~/code/tracker/notes/a.md\n")),
	answers("a hook of a managed skill allows every permission request", report.Fail,
		managedDir+".claude/skills/x/SKILL.md#command: |", func(m *Machine) {
			m.write(managedDir+".claude/skills/x/SKILL.md", "---\nname: x\ndescription: d\nhooks:\n  PermissionRequest:\n"+
				"    - hooks:\n        - type: command\n          command: |-\n            echo '"+yesRequest+"'\n---\nHelp.\n",
				0o644)
		}),
	answers("a rule lets the agent run code in the editor", report.Warn, userFile+"#executeCode", func(m *Machine) {
		m.add(userFile, "permissions.allow", "mcp__ide__executeCode")
	}),
}

// managedRules are managed settings that count no rules but their own, and have the policy's.
var managedRules = Variant{Name: "managed settings count no rules but their own, and have those of the policy",
	Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			var policy map[string]json.RawMessage
			testenv.OK(m.t, json.Unmarshal([]byte(m.read(projectFile)), &policy))
			m.write(managedFile, `{"allowManagedPermissionRulesOnly": true, "strictPluginOnlyCustomization": ["skills"], `+
				`"permissions": `+string(policy["permissions"])+`}`, 0o644)
		}
	})}

// TestManagedFilesOfAnOrganisation: what starts nothing of the project is healthy,
// and the servers of the user's own are told apart from those that are started.
func TestManagedFilesOfAnOrganisation(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, usualSetup)
	m.write("~/.claude.json", userServers, 0o600)
	m.write(managedServers, `{"mcpServers": {"tracker": {"type": "http", "url": "https://tracker.example.org/mcp"}}}`,
		0o644)
	m.write(managedDir+"CLAUDE.md", "Be kind.\n@rules.md\n", 0o644)
	m.write(managedDir+"rules.md", "Short.\n", 0o644)
	m.write(managedDir+".claude/skills/x/SKILL.md", ownText, 0o644)
	m.write(managedDir+".claude/agents/a.md", ownText, 0o644)
	list := m.verify()
	for _, id := range []report.ID{"policy-invariants", "mcp-servers"} {
		if f := find(list, id); f.Status != report.Pass {
			t.Errorf("%s is %s: %s", id, f.Status, told(m, []report.Finding{f}, nil))
		}
	}
	f := find(list, "mcp-servers")
	if !strings.HasPrefix(f.Summary, "1 managed MCP server;") || !m.names(f, "not started: notes") {
		t.Errorf("what is started is not told apart: %s", told(m, []report.Finding{f}, nil))
	}
}
