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
	f := m.allowances()
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
		{servers, "the MCP server weather: /opt/weather --api-key [redacted] is outside the sandbox"},
		{servers, "the MCP server local: /opt/local (in " + m.Project + ") is outside the sandbox (plain claude)"},
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

// TestWhatNoSettingAllowsIsListedOnce: the project is one line, however many entries open it,
// no place is named that this platform has not, and the hosts whose pages WebFetch fetches
// by itself are those that no rule names.
func TestWhatNoSettingAllowsIsListedOnce(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	const own, unasked = "~/.claude/settings.json", "WebFetch needs no prompt for pages of "
	m := build(t, usualSetup)
	m.add("~/p/.claude/settings.local.json", "sandbox.filesystem.allowRead", m.Project)
	m.add(own, "sandbox.filesystem.allowRead", "~/notes")
	texts := func() (list []string) {
		for _, e := range m.allowances().Evidence {
			if strings.Contains(e.Where+e.Text, "/private/") {
				t.Errorf("%s: %s", e.Where, e.Text)
			}
			list = append(list, e.Where+": "+e.Text)
		}
		return list
	}
	count := func(list []string, part string) (n int) {
		for _, s := range list {
			if strings.Contains(s, part) {
				n++
			}
		}
		return n
	}
	list := texts()
	if n := count(list, "can read "+m.Project); n != 0 || count(list, m.Project+": the directory that") != 1 ||
		count(list, "commands can read ~/notes") != 1 || count(list, unasked) != 0 {
		t.Errorf("%d lines of the project as readable:\n%s", n, strings.Join(list, "\n"))
	}
	m.drop(projectFile, "permissions.ask", "WebFetch(domain:*)")
	m.approve()
	m.add(own, "permissions.deny", "WebFetch(domain:docs.python.org)")
	list = texts()
	if count(list, unasked) != 1 || count(list, " go.dev/doc go.dev/ref ") != 1 || count(list, "docs.python.org") != 0 {
		t.Errorf("%s", strings.Join(list, "\n"))
	}
}

// TestWhatTwoFilesAllowIsCountedOnce: each place is listed, for both must change; the host
// is one.
func TestWhatTwoFilesAllowIsCountedOnce(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := build(t, usualSetup)
	m.add(projectFile, "sandbox.network.allowedDomains", "paste.example")
	m.approve()
	once := m.allowances()
	m.add("~/.claude/settings.json", "sandbox.network.allowedDomains", "paste.example")
	twice := m.allowances()
	if once.Summary != twice.Summary || len(twice.Evidence) != len(once.Evidence)+1 {
		t.Errorf("%s: %d lines; then %s: %d", once.Summary, len(once.Evidence), twice.Summary, len(twice.Evidence))
	}
}

// allowances is what verify --doors adds.
func (m *Machine) allowances() report.Finding {
	list := verify.Checks(verify.Options{Agent: checks.Claude{}, Project: m.Project, Doors: true})
	at := slices.IndexFunc(list, func(c engine.Check) bool { return c.ID == "allowances" })
	return list[at].Run(m.t.Context(), m.host())
}

// TestWhatIsTakenBackIsNoAllowance: no line says that something is allowed which another
// entry denies, or which opens nothing.
func TestWhatIsTakenBackIsNoAllowance(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	const own = "~/.claude/settings.json"
	m := build(t, usualSetup)
	m.add(projectFile, "permissions.allow", "Bash(npm run x)")
	hook := func(kind, key, value string) any {
		return map[string]any{"hooks": []any{map[string]any{"type": kind, key: value}}}
	}
	m.add(projectFile, "hooks.Stop", hook("command", "command", "/bin/true"))
	m.write(m.Project+"/.mcp.json", `{"mcpServers": {"refused": {"command": "/opt/x"}, "kept": {"command": "/opt/y"}}}`,
		0o600)
	m.approveAll()
	m.write("~/real/x", "", 0o600)
	m.symlink(m.at("~/real"), "~/link")
	for key, entries := range map[string][]any{
		"disabledMcpjsonServers":            {"refused"},
		"sandbox.network.allowedDomains":    {"denied.example", "*.denied.example"},
		"sandbox.network.deniedDomains":     {"*.denied.example", "denied.example"},
		"sandbox.filesystem.allowWrite":     {"~/link", "~/a/*/b", "~/kept"},
		"sandbox.filesystem.denyWrite":      {"~/kept"},
		"permissions.additionalDirectories": {"./beside"},
		"permissions.allow": {"Edit", "Edit(~/notes/**)", "Edit(~/*.txt)", "WebSearch", "Bash(git push)",
			"WebFetch(domain:no.example)", "WebFetch(domain:asked.example)"},
		"permissions.ask":  {"Bash(git push)", "WebFetch(domain:asked.example)", "Edit(~/notes/**)"},
		"permissions.deny": {"WebSearch", "WebFetch(domain:no.example)"},
		"hooks.PreToolUse": {hook("http", "url", "https://hook.example/mcp")},
	} {
		for _, e := range entries {
			m.add(own, key, e)
		}
	}
	m.set(own, "enabledPlugins", map[string]any{"a@b": true, "off@b": false})
	f := m.allowances()
	times := map[string]int{}
	for _, e := range f.Evidence {
		times[e.Text]++
	}
	for _, want := range []string{"Edit needs no prompt", "Edit(~/*.txt) needs no prompt",
		"commands can reach asked.example",
		"commands can write where Edit(~/notes/**) matches", "the hook on Stop runs outside the sandbox: /bin/true",
		"the hook on PreToolUse sends what it gets to https://hook.example/mcp",
		"hooks and servers of the plugin a@b run outside the sandbox", "Bash(npm run x) needs no prompt",
		"commands and the agent's tools can read and write " + m.Project + "/beside",
		"the MCP server kept is outside the sandbox", "the agent can ask to run a command outside the sandbox"} {
		if times[want] != 1 {
			t.Errorf("%d lines: %s", times[want], want)
		}
	}
	for text := range times {
		for _, not := range []string{"denied.example", "no.example", "~/link", "~/a/", "~/kept", "git push", "WebSearch",
			"refused", "off@b"} {
			if strings.Contains(text, not) {
				t.Errorf("%s is allowed: %s", not, text)
			}
		}
	}
	m.set(own, "sandbox.filesystem.disabled", true)
	if f = m.allowances(); !slices.ContainsFunc(f.Evidence, func(e report.Evidence) bool {
		return e.Text == "commands can read and write every file that you can"
	}) {
		t.Errorf("an open file system is not listed")
	}
	m.set(projectFile, "sandbox.enabled", false)
	f = m.allowances()
	if first := f.Evidence[0].Text; !strings.HasPrefix(first, "no command is sandboxed") ||
		!strings.HasPrefix(f.Summary, "allowed: no sandbox, ") {
		t.Errorf("%s: %s", f.Summary, first)
	}
}
