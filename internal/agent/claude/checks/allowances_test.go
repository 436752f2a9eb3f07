// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package checks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// TestAllowancesAreListed: what settings allow is listed with its line, for the launch that
// it holds in, and judged by nobody here.
func TestAllowancesAreListed(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := build(t, usualSetup)
	m.add(projectFile, "sandbox.network.allowedDomains", "paste.example")
	m.add(projectFile, "sandbox.excludedCommands", "docker *")
	m.approve()
	m.add("~/.claude/settings.json", "permissions.allow", "WebFetch(domain:docs.example)")
	m.add("~/.claude/settings.json", "permissions.allow", "Edit(~/notes/**)")
	m.add("~/.claude/settings.json", "sandbox.filesystem.allowWrite", "~/out")
	m.write("~/.claude.json", `{"mcpServers": {"weather": {"command": "/opt/weather", "args": ["--api-key", "s3cret-s3cret"]}},
		"projects": {"`+m.Project+`": {"mcpServers": {"local": {"command": "/opt/local"}}}}}`, 0o600)
	list := verify.Checks(verify.Options{Agent: checks.Claude{}, Project: m.Project, Doors: true})
	f := list[slices.IndexFunc(list, func(c engine.Check) bool { return c.ID == "allowances" })].Run(t.Context(), m.host())
	var seen []string
	for _, e := range f.Evidence {
		seen = append(seen, e.Where+" "+e.Text)
	}
	project, own, servers := m.at(projectFile)+":", m.at("~/.claude/settings.json")+":", m.at("~/.claude.json")+":"
	for _, want := range [][2]string{
		{project, "commands can reach paste.example"},
		{project, "commands that match docker * run outside the sandbox (plain claude)"},
		{own, "commands and WebFetch can reach docs.example"},
		{own, "Edit(~/notes/**) needs no prompt, and commands can write there"},
		{own, "commands can read and write ~/out"},
		{own, "the hook on PreToolUse runs outside the sandbox: ~/.claude/scripts/sandbox-bypass-warn.sh"},
		{servers, "the MCP server weather: /opt/weather --api-key [redacted] runs outside the sandbox"},
		{servers, "the MCP server local: /opt/local (in " + m.Project + ") runs outside the sandbox (plain claude)"},
		{m.Project, "the directory that the session starts in can be read and written"},
	} {
		if !slices.ContainsFunc(f.Evidence, func(e report.Evidence) bool {
			return strings.HasPrefix(e.Where, want[0]) && e.Text == want[1]
		}) {
			t.Errorf("not listed: %s\n%s", want, strings.Join(seen, "\n"))
		}
	}
	if f.Status != report.Pass || !strings.HasPrefix(f.Summary, "allowed: ") {
		t.Errorf("%s %s", f.Status, f.Summary)
	}
}
