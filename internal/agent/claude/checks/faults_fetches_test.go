// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: pages of the hosts that the runtime lists itself are fetched,
// and worktrees are entered, without a prompt unless a rule asks; which rules do is
// measured.

package checks_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// unaskedFor is a policy without one of its rules that ask; instead is another
// rule of a list, if it is not "".
func unaskedFor(name, rule, list, instead string) Fault {
	return Fault{Name: name, Breaks: "project-settings", Want: report.Warn, Where: projectFile, Break: func(m *Machine) {
		m.drop(projectFile, "permissions.ask", rule)
		if instead != "" {
			m.add(projectFile, "permissions."+list, instead)
		}
	}}
}

var fetchFaults = []Fault{
	unaskedFor("no rule asks before pages are fetched: a policy of an earlier version", claude.FetchPages, "", ""),
	unaskedFor("no rule asks before pages are fetched: one names a single host", claude.FetchPages,
		"ask", "WebFetch(domain:"+claude.FetchedHost+")"),
	unaskedFor("no rule asks before the agent enters a worktree", claude.EntersWorktree, "", ""),
	unaskedFor("no rule asks before the agent enters a worktree: one denies leaving it", claude.EntersWorktree,
		"deny", "ExitWorktree"),
	unaskedFor("no rule asks before agents in worktrees", claude.IsolatesAgents, "", ""),
	unaskedFor("no rule asks before agents in worktrees: one names a kind of agent", claude.IsolatesAgents,
		"ask", "Agent(Explore)"),
	unaskedFor("no rule asks before agents in worktrees: one names one isolation", claude.IsolatesAgents,
		"ask", "Agent(isolation:worktree)"),
	{Name: "commands can close the directory of the policy: a policy of an earlier version", Breaks: "project-settings",
		Want: report.Warn, Where: projectFile, Break: func(m *Machine) {
			m.drop(projectFile, "sandbox.filesystem.denyWrite", claude.KeepsDir)
		}},
	{Name: "commands can close the directory of the policy: an entry names a file in it", Breaks: "project-settings",
		Want: report.Warn, Where: projectFile, Break: func(m *Machine) {
			m.drop(projectFile, "sandbox.filesystem.denyWrite", claude.KeepsDir)
			m.add(projectFile, "sandbox.filesystem.denyWrite", "./.claude/settings.json")
		}},
	unaskedFor("no rule asks before resources of MCP servers are read", claude.ReadsResources, "", ""),
	unaskedFor("no rule asks before resources of MCP servers are read: one names a server", claude.ReadsResources,
		"ask", "ReadMcpResourceTool(server:fs)"),
	unaskedFor("no rule asks before the agent writes .claude/launch.json", claude.WritesServers, "", ""),
	unaskedFor("no rule asks before the agent writes .claude/launch.json: one names the tool", claude.WritesServers,
		"ask", "Edit(*)"),
}

// TestPagesThatAreFetched: which rules ask, and that claude-iso asks unless the
// user's own settings approve pages of some host.
func TestPagesThatAreFetched(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, c := range map[string]struct {
		list, rule string
		plain, iso report.Status
	}{
		"none":                      {"ask", "", report.Warn, report.Pass},
		"the tool is asked":         {"ask", "WebFetch", report.Pass, report.Pass},
		"it is denied":              {"deny", "WebFetch", report.Pass, report.Pass},
		"any page":                  {"ask", "WebFetch(*)", report.Pass, report.Pass},
		"any host with a dot":       {"ask", "WebFetch(domain:*.*)", report.Pass, report.Pass},
		"a space behind :":          {"ask", "WebFetch(domain: *)", report.Warn, report.Pass},
		"a space before the domain": {"ask", "WebFetch( domain:*)", report.Warn, report.Pass},
		"two stars":                 {"ask", "WebFetch(domain:**)", report.Warn, report.Pass},
		"any address":               {"ask", "WebFetch(url:*)", report.Warn, report.Pass},
		"another tool":              {"ask", "WebSearch", report.Warn, report.Pass},
		"the user approves a host":  {"allow", "WebFetch(domain:github.com)", report.Warn, report.Warn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			m.drop(projectFile, "permissions.ask", claude.FetchPages)
			if c.rule != "" {
				m.add(userFile, "permissions."+c.list, c.rule)
			}
			m.approve()
			f := m.judged("project-settings")
			plain, iso := f.Status, f.Status
			if len(f.Launches) == 2 {
				plain, iso = f.Launches[0].Status, f.Launches[1].Status
			}
			if plain != c.plain || iso != c.iso {
				t.Errorf("plain claude %s, want %s; claude-iso %s, want %s: %s", plain, c.plain, iso, c.iso,
					told(m, []report.Finding{f}, nil))
			}
		})
	}
}
