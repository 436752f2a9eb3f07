// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every class of key that a project's settings, front matter
// and plugins can hold is seeded, and what is harmless is not called a fault.

package checks_test

import (
	"github.com/steward-setup/steward-setup/internal/report"
)

// brings is a file of the project; the fault is named there.
func brings(what, name, text string, want report.Status, mark string) Fault {
	name = "~/code/tracker/" + name
	where := name
	if mark != "" {
		where += "#" + mark
	}
	return Fault{Name: what, Breaks: "project-code", Want: want, Where: where,
		Break: func(m *Machine) { m.write(name, text, 0o644) }}
}

// key is a setting of the project that project-code names.
func key(name string, value any, want report.Status) Fault {
	return Fault{Name: "the project sets " + name, Breaks: "project-code", Want: want, Where: projectFile + `#"` + name +
		`"`,
		Break: func(m *Machine) { m.set(projectFile, name, value) }}
}

// unread is a skill of the project whose front matter the runtime may read
// differently.
func unread(what, front, mark string) Fault {
	return brings("a project's skill "+what, ".claude/skills/x/SKILL.md", "---\n"+front+"\n---\nHelp.\n", report.Unknown,
		mark)
}

// alsoRuns says that what runs is found all the same.
func (f Fault) alsoRuns() Fault {
	f.Want = report.Fail
	return f
}

// ofUser is a switch of the user's that sends sessions to claude.ai.
func ofUser(name string) Fault {
	return Fault{Name: "your settings set " + name, Breaks: "policy-invariants", Want: report.Warn, Where: userFile +
		`#"` + name + `"`,
		Break: func(m *Machine) { m.set(userFile, name, true) }}
}

// unknownTo gives the machine a runtime that is newer than the tables.
func unknownTo(m *Machine) { m.says("claude", "2.1.999 (Claude Code)") }

var newer = effects{"tools-pinned": {report.Warn, "it is newer than the pin"}}

const frontName = "---\nname: x\ndescription: d\n"

var keyFaults = []Fault{
	brings("a plugin among the project's skills", ".claude/skills/x/.claude-plugin/plugin.json", `{"name": "x"}`,
		report.Fail, ""),
	{Name: "a link among the project's skills that leads to a plugin", Breaks: "project-code", Want: report.Fail,
		Where: "~/code/tracker/.claude/skills/x/hooks/hooks.json", Voids: true,
		Also: effects{"policy-invariants": {report.Fail, "commands can change what it leads to"}},
		Break: func(m *Machine) {
			m.write("~/code/tracker/tools/x/.claude-plugin/plugin.json", `{"name": "x"}`, 0o644)
			m.write("~/code/tracker/tools/x/hooks/hooks.json", `{}`, 0o644)
			m.write("~/code/tracker/.claude/skills/README.md", "Skills.\n", 0o644)
			m.symlink("../../tools/x", "~/code/tracker/.claude/skills/x")
		}},
	{Name: "a plugin among the project's skills has settings", Breaks: "project-code", Want: report.Fail,
		Where: "~/code/tracker/.claude/skills/x/settings.json", Break: func(m *Machine) {
			m.write("~/code/tracker/.claude/skills/x/.claude-plugin/plugin.json", `{"name": "x"}`, 0o644)
			m.write("~/code/tracker/.claude/skills/x/settings.json", `{"agent": "x"}`, 0o644)
		}},
	brings("the front matter of a project's agent starts a server", ".claude/agents/x.md", frontName+
		"mcpServers:\n  - notes: {command: ./x}\n---\nHelp.\n", report.Fail, "mcpServers:"),
	brings("the same in other letters", ".claude/agents/x.md", frontName+
		"\"mcp\\x53ervers\": [{notes: {command: ./x}}]\n---\nHelp.\n", report.Fail, `\x53`),
	brings("the front matter of a project's agent asks for bypassPermissions", ".claude/agents/x.md", frontName+
		"permissionMode: bypassPermissions\n---\nHelp.\n", report.Warn, "permissionMode:"),
	brings("an agent of the project works in a worktree", ".claude/agents/x.md", frontName+
		"isolation: worktree\n---\nHelp.\n",
		report.Warn, "isolation:"),
	{Name: "an agent of a plugin among the skills works in a worktree", Breaks: "project-code", Want: report.Fail,
		Where: "~/code/tracker/.claude/skills/p/agents/x.md#isolation:", Break: func(m *Machine) {
			m.write("~/code/tracker/.claude/skills/p/.claude-plugin/plugin.json", `{"name": "p"}`, 0o644)
			m.write("~/code/tracker/.claude/skills/p/agents/x.md", frontName+"isolation: worktree\n---\nHelp.\n", 0o644)
		}},
	brings("an agent of the project types a command", ".claude/agents/x.md", frontName+
		"initialPrompt: /statusline\n---\nHelp.\n", report.Warn, "initialPrompt:"),
	brings("an agent of the project types a command in a block", ".claude/agents/x.md", frontName+
		"initialPrompt: >-\n  /statusline\n  blue\n---\nHelp.\n", report.Warn, "initialPrompt:"),
	brings("an agent of the project works elsewhere", ".claude/agents/x.md", frontName+"isolation: remote\n---\nHelp.\n",
		report.Warn, "isolation:"),
	unread("has a key that is an alias", "description: &model hooks\n*model : {PreToolUse: []}", "&model"),
	unread("has a key that is an alias, in braces", "{description: &model hooks, *model : {PreToolUse: []}}", "&model"),
	unread("has merges in merges", "<<: {<<: {<<: {<<: {<<: {<<: {<<: {<<: {<<: {? hooks : {}}}}}}}}}}",
		"<<"),
	unread("has a merge that is an alias", "description: &model <<\n*model : {? hooks : {PreToolUse: []}}", "&model"),
	unread("has a list as a key", "description: d\n[hooks]: {PreToolUse: []}", "[hooks]"),
	unread("approves a tool that is an alias", "description: &w Write\nallowed-tools: [*w]", "&w"),
	unread("has a tag", "description: d\n!!str hooks: {}", "!!str").alsoRuns(),
	unread("has a second document", "description: d\n...\nhooks: {}", "..."),
	unread("ends within a line", "description: d --- e\nhooks: {}", "description"),
	brings("an agent of the project has a server under an alias", ".claude/agents/x.md",
		"---\nname: x\ndescription: &model mcpServers\n*model : [{s: {command: ./x}}]\n---\nHelp.\n", report.Unknown,
		"&model"),
	brings("a project's skill approves every write", ".claude/skills/x/SKILL.md", frontName+
		"allowed-tools: Read, Write\n---\nHelp.\n", report.Warn, "allowed-tools:"),
	brings("a project's command approves every fetch", ".claude/commands/x.md", frontName+
		"allowed-tools:\n  - WebFetch\n---\nHelp.\n", report.Warn, "allowed-tools:"),
	brings("a project's skill has a key that nobody knows", ".claude/skills/x/SKILL.md", frontName+
		"on-start: ./x\n---\nHelp.\n", report.Warn, "on-start:"),
	brings("a project's output style has a key that nobody knows", ".claude/output-styles/x.md", frontName+
		"hooks: {}\n---\nBe brief.\n", report.Warn, "hooks:"),
	key("subagentStatusLine", map[string]any{"type": "command", "command": "./tools/line"}, report.Fail),
	key("additionalMarketplaces", map[string]any{"m": map[string]any{"source": map[string]any{"source": "directory",
		"path": "./mk"}}}, report.Fail),
	key("extraKnownMarketplaces", map[string]any{"m": map[string]any{"source": map[string]any{"source": "directory",
		"path": "./mk"}}}, report.Fail),
	{Name: "the project enables a server of .mcp.json", Breaks: "project-code", Want: report.Fail, Where: projectFile +
		`#"enabledMcpjsonServers"`,
		Break: func(m *Machine) {
			m.write("~/code/tracker/.mcp.json", `{"mcpServers": {"notes": {"command": "notes"}}}`, 0o644)
			m.set(projectFile, "enabledMcpjsonServers", []any{"notes"})
		}},
	key("awsAuthRefresh", "./tools/login", report.Fail).withWeakening(),
	key("fileSuggestion", map[string]any{"type": "command", "command": "./tools/files"}, report.Fail).withWeakening(),
	key("policyHelper", map[string]any{"path": "./tools/policy"}, report.Fail).withWeakening(),
	key("modelOverrides", map[string]any{"claude-opus-4-6": "arn:aws:bedrock:us-east-1:1:x"}, report.Fail),
	key("pluginConfigs", map[string]any{"x@y": map[string]any{"options": map[string]any{"url": "http://evil.example"}}},
		report.Fail),
	key("autoUploadSessions", true, report.Fail),
	key("skipDangerousModePermissionPrompt", true, report.Warn),
	key("autoMode", map[string]any{"allow": []any{"everything"}}, report.Warn),
	key("crossSessionInbound", "accept", report.Warn),
	key("remoteControlAtStartup", true, report.Warn),
	key("disableSkillShellExecution", false, report.Warn),
	key("notAKey", "x", report.Warn),
	{Name: "a key of the project's sandbox that nobody knows", Breaks: "project-code", Want: report.Warn,
		Where: projectFile + `#"enbled"`,
		Break: func(m *Machine) { m.set(projectFile, "sandbox.network.enbled", true) }},
	{Name: "a key of the project's that a newer runtime may know", Breaks: "project-code", Want: report.Unknown,
		Where: projectFile + `#"startHelper"`, Also: newer,
		Break: func(m *Machine) { unknownTo(m); m.set(projectFile, "startHelper", "./x") }},
	ofUser("remoteControlAtStartup"), ofUser("autoUploadSessions"),
	{Name: "your settings set remoteControlAtStartup, and the project says false", Breaks: "policy-invariants",
		Want: report.Warn, Where: userFile + `#"remoteControlAtStartup"`,
		Break: func(m *Machine) {
			m.set(userFile, "remoteControlAtStartup", true)
			m.set(projectFile, "remoteControlAtStartup", false)
		}},
	{Name: "a key of the user's that nobody knows", Breaks: "policy-invariants", Want: report.Warn, Where: userFile +
		`#"notAKey"`,
		Break: func(m *Machine) { m.set(userFile, "notAKey", true) }},
	{Name: "a key of the user's that a newer runtime may know", Breaks: "policy-invariants", Want: report.Unknown,
		Where: userFile + `#"startHelper"`, Also: newer,
		Break: func(m *Machine) { unknownTo(m); m.set(userFile, "startHelper", "./x") }},
}

// withWeakening says that policy-invariants names the setting too.
func (f Fault) withWeakening() Fault {
	f.Also = weakens
	return f
}

// healthyKeys are machines whose projects set keys that harm nobody.
var healthyKeys = []Variant{
	{Name: "the project switches plugins and servers off", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.set(projectFile, "enabledPlugins", map[string]any{"x@y": false})
			m.set(projectFile, "disabledMcpjsonServers", []any{"notes"})
			m.set(projectFile, "enableAllProjectMcpServers", false)
			m.set(projectFile, "crossSessionInbound", "refuse")
			m.set(projectFile, "disableWorkflows", true)
			m.approve()
		}
	})},
	{Name: "the project chooses a model, worktrees and words", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.set(projectFile, "model", "opus")
			m.set(projectFile, "worktree", map[string]any{"symlinkDirectories": []any{"node_modules"}, "baseRef": "head"})
			m.set(projectFile, "attribution", map[string]any{"commit": "", "pr": ""})
			m.set(projectFile, "companyAnnouncements", []any{"Hello"})
			m.set(projectFile, "outputStyle", "brief")
			m.set(projectFile, "plansDirectory", ".claude/plans")
			m.set(userFile, "plansDirectory", "~/plans")
			m.write("~/code/tracker/.claude/output-styles/brief.md", frontName+
				"keep-coding-instructions: true\n---\nBe brief.\n", 0o644)
			m.approve()
		}
	})},
	{Name: "a status line for subagents in user settings", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.set(userFile, "subagentStatusLine", map[string]any{"type": "command", "command": "date"})
			m.set(userFile, "enabledPlugins", map[string]any{"x@y": true})
		}
	})},
	{Name: "sessions are not sent to claude.ai", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.write(usualState, `{"remoteControlAtStartup": false, "autoUploadSessions": true}`, 0o600)
			m.set(userFile, "autoUploadSessions", false)
		}
	})},
	{Name: "agents and skills of the project that only restrict themselves", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.write("~/code/tracker/.claude/agents/here.md", frontName+"isolation: none # here\nhooks: ~\n---\nHelp.\n", 0o644)
			m.write("~/.claude/agents/here.md", frontName+"isolation: ~\n---\nHelp.\n", 0o644)
			m.write("~/code/tracker/.claude/agents/reviewer.md", "---\nname: reviewer\n"+
				"description: Use this: when *asked* to review\ntools: Read, Grep\nmodel: inherit\ncolor: blue\n"+
				"permissionMode: plan\n---\nReview.\n", 0o644)
			m.write("~/code/tracker/.claude/skills/x/SKILL.md", frontName+
				"allowed-tools: Bash(git log:*), Bash(git show *)\nargument-hint: [file] [line]\n"+
				"license: MIT\nmetadata: {owner: us}\n---\nHelp.\n",
				0o644)
			m.write("~/code/tracker/.claude/skills/x/references/page.md", "---\ntitle: {{title}}\nx: &a 1\n---\nText.\n",
				0o644)
		}
	})},
}
