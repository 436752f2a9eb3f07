// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the directories around the start bring is named like
// what the start directory brings, with the directory that it is in.

package checks_test

import (
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
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
	testenv.AsUser(t)
	m := build(t, usualSetup)
	m.write("~/notes.md", "mine\n", 0o644)
	m.write("~/code/tracker/docs/CLAUDE.md", "Read @~/notes.md and @../README.md\n", 0o644)
	m.write("~/code/tracker/pkg/.claude/rules/a.md", "Rule.\n", 0o644)
	m.write("~/code/tracker/shared.md", "Shared.\n", 0o644)
	m.symlink("../shared.md", "~/code/tracker/pkg/CLAUDE.md")
	m.write("~/code/tracker/pkg/.mcp.json", `{"mcpServers": {}}`, 0o644)
	if f := m.judged("project-code"); f.Status != report.Pass {
		t.Errorf("project-code is %s: %s", f.Status, told(m, []report.Finding{f}, nil))
	}
}

// TestARepositoryAroundTheProject: its commands may put anything there, as those of a
// project may at its own root, so that only what its instructions lead to is named.
func TestARepositoryAroundTheProject(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, c := range map[string]struct {
		seed  func(m *Machine)
		where string
	}{
		"a repository": {func(*Machine) {}, ""},
		"with instructions of its own": {func(m *Machine) {
			m.write("~/code/CLAUDE.md", "Read @docs/a.md\n", 0o644)
		}, ""},
		"its instructions are a symlink to the home": {func(m *Machine) {
			m.symlink(m.at("~/notes.md"), "~/code/CLAUDE.md")
		}, "~/code/CLAUDE.md"},
		"its instructions import a file of the home": {func(m *Machine) {
			m.write("~/code/CLAUDE.md", "Be brief.\n@~/notes.md\n", 0o644)
		}, "~/code/CLAUDE.md:2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			m.write("~/notes.md", "mine\n", 0o644)
			m.write("~/code/docs/a.md", "ours\n", 0o644)
			m.git(m.at("~/code"), "init", "--quiet")
			c.seed(m)
			f := m.judged("policy-invariants")
			named := slices.ContainsFunc(f.Evidence, func(e report.Evidence) bool { return e.Where == m.at(c.where) })
			if (f.Status == report.Warn) != (c.where != "") || c.where != "" && !named {
				t.Error(told(m, []report.Finding{f}, nil))
			}
		})
	}
}
