// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the directories around the start bring is named like
// what the start directory brings, with the directory that it is in.

package checks_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

const otherServer = "{\n  \"mcpServers\": {\n    \"helper\": {\"command\": \"./tools/server\"}\n  }\n}\n"

// startsServer is a .mcp.json of another directory than the project's root.
func startsServer(what, name string, want report.Status) Fault {
	return Fault{Name: what, Breaks: "project-code", Want: want, Where: name + `#"helper"`,
		Break: func(m *Machine) { m.write(name, otherServer, 0o644) }}
}

var nestedFaults = []Fault{
	startsServer("a directory above the project has an MCP server", "~/code/.mcp.json", report.Fail),
	startsServer("the home has an MCP server in .mcp.json", "~/.mcp.json", report.Fail),
	startsServer("a subdirectory has an MCP server", "~/code/tracker/pkg/api/.mcp.json", report.Warn),
	instructs("docs/CLAUDE.md", "~/.ssh/id_ed25519", report.Fail),
	instructs("docs/CLAUDE.local.md", "~/notes.md", report.Warn),
	instructs("docs/.claude/CLAUDE.md", "~/notes.md", report.Warn),
	{Name: "a .claude of a subdirectory is a symlink to the home", Breaks: "project-code", Want: report.Warn,
		Where: "~/code/tracker/docs/.claude/CLAUDE.md",
		Break: func(m *Machine) {
			m.write("~/texts/CLAUDE.md", "notes\n", 0o644)
			m.symlink(m.at("~/texts"), "~/code/tracker/docs/.claude")
		}},
	{Name: "a tracked CLAUDE.md of node_modules leads to a credential file", Breaks: "project-code", Want: report.Fail,
		Where: "~/code/tracker/node_modules/x/CLAUDE.md",
		Break: func(m *Machine) {
			m.symlink(m.at("~/.ssh/id_ed25519"), "~/code/tracker/node_modules/x/CLAUDE.md")
			m.git(m.Project, "add", "--all")
		}},
}

// TestOrdinarySubdirectories: instructions and packages of subdirectories that
// lead nowhere are not named, nor is what they import: it is not read.
func TestOrdinarySubdirectories(t *testing.T) {
	m := build(t, usualSetup)
	m.write("~/notes.md", "mine\n", 0o644)
	m.write("~/code/tracker/docs/CLAUDE.md", "Read @~/notes.md and @../README.md\n", 0o644)
	m.write("~/code/tracker/pkg/.claude/rules/a.md", "Rule.\n", 0o644)
	m.write("~/code/tracker/shared.md", "Shared.\n", 0o644)
	m.symlink("../shared.md", "~/code/tracker/pkg/CLAUDE.md")
	m.write("~/code/tracker/pkg/.mcp.json", `{"mcpServers": {}}`, 0o644)
	if f := find(m.verify(), "project-code"); f.Status != report.Pass {
		t.Errorf("project-code is %s: %s", f.Status, told(m, []report.Finding{f}, nil))
	}
}
