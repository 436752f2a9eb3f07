// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the user's own directory loads is a way out as soon
// as commands can change it, or what it starts, in both launches.

package checks_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// ownFault is a fault of the user's own files.
func ownFault(name, where string, seed func(*Machine)) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: where, Break: seed}
}

const (
	ownHook = "---\nname: x\ndescription: d\nhooks:\n  Stop:\n    - hooks: [{type: command, command: " +
		"PROJECT/tools/x}]\n---\nHelp.\n"
	ownServer = "---\nname: x\ndescription: d\nmcpServers:\n  - notes:\n      command: node\n" +
		"      args: [PROJECT/tools/x.js]\n---\nHelp.\n"
	ownText = "---\nname: x\ndescription: d\n---\nHelp.\n"
	// pluginHook and pluginServer are what a plugin starts.
	pluginHook    = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\",\n\"command\": \"PROJECT/tools/x\"}]}]}}"
	pluginServer  = "{\"notes\": {\n\"command\": \"PROJECT/tools/x\", \"args\": []}}"
	pluginMonitor = "[{\"name\": \"m\",\n\"command\": \"PROJECT/tools/x\"}]"
)

// writes writes a file of the user's in which PROJECT stands for the project.
func writes(name, text string) func(*Machine) {
	return func(m *Machine) {
		m.write("~/code/tracker/tools/x", "#!/bin/sh\n", 0o755)
		m.write("~/code/tracker/tools/x.js", "\n", 0o644)
		if strings.Contains(name, "/skills/p/") {
			m.write("~/.claude/skills/p/.claude-plugin/plugin.json", `{"name": "p"}`, 0o644)
		}
		m.write(name, strings.ReplaceAll(text, "PROJECT", m.Project), 0o644)
	}
}

// LeadsTo puts a file of the project where a symlink of the user's leads to it,
// or to the directory that it is in.
func leadsTo(target, name, file string) func(*Machine) {
	return func(m *Machine) {
		m.write("~/code/tracker/"+file, ownText, 0o644)
		m.symlink(m.at("~/code/tracker/"+target), name)
	}
}

// switchesOn is a plugin of a marketplace that the user's settings switch on.
func switchesOn(market, installed string) func(*Machine) {
	return func(m *Machine) {
		fill := strings.NewReplacer("PROJECT", m.Project, "AGENT", m.at("~/.claude")).Replace
		m.write("~/.claude/plugins/known_marketplaces.json", fill("{\"team\": {\"source\": {\"source\": \"directory\",\n"+
			"\"path\": \""+market+"\"}}}"), 0o644)
		m.write("~/.claude/plugins/installed_plugins.json", fill("{\"version\": 2, \"plugins\": {\"lint@team\": "+
			"[{\"scope\": \"user\",\n\"installPath\": \""+installed+"\"}]}}"), 0o644)
		m.write("~/code/tracker/tools/lint/hooks/hooks.json", `{"hooks": {}}`, 0o644)
		m.write("~/.claude/plugins/cache/team/lint/1/hooks/hooks.json",
			`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/stop.sh"}]}]}}`, 0o644)
		m.write("~/.claude/plugins/cache/team/lint/1/stop.sh", "#!/bin/sh\n", 0o755)
		m.set(userFile, "enabledPlugins", map[string]any{"lint@team": true})
	}
}

// fetches is a plugin from a marketplace elsewhere, which user settings or, with
// "", the runtime's own file describe.
func fetches(file string, auto bool) func(*Machine) {
	return func(m *Machine) {
		switchesOn("AGENT/m", ownCache)(m)
		market := doc{"source": doc{"source": "github", "repo": "team/plugins"}, "autoUpdate": auto}
		if file != "" {
			m.set(file, "extraKnownMarketplaces", doc{"team": market})
			return
		}
		m.edit("~/.claude/plugins/known_marketplaces.json", func(d doc) { d["team"] = market })
	}
}

// entersAs is a plugin of a marketplace outside the project whose entry names this
// source, beside a symlink "lint" to a directory of the project. Bare names count from
// its directory "all", where "bare" is such a symlink, too.
func entersAs(source string) func(*Machine) {
	return func(m *Machine) {
		switchesOn("AGENT/m", ownCache)(m)
		m.replace("~/.claude/plugins/known_marketplaces.json", `{"source": {`, `{"installLocation": "`+m.at("~/market")+
			`", "source": {`)
		m.write(ownMarket, "{\"metadata\": {\"pluginRoot\": \"./all\"}, \"plugins\": [{\"name\": \"lint\",\n\"source\": "+
			strings.ReplaceAll(source, "PROJECT", m.Project)+"}]}", 0o644)
		m.symlink(m.Project+"/tools/lint", "~/market/lint")
		m.symlink(m.Project+"/tools/lint", "~/market/all/bare")
	}
}

// market is a plugin from a marketplace at a relative path.
func market(kind string) func(*Machine) {
	return func(m *Machine) {
		switchesOn("AGENT/m", ownCache)(m)
		m.set(userFile, "extraKnownMarketplaces", doc{"team": doc{"source": doc{"source": kind, "path": "./tools/m"}}})
	}
}

const (
	ownCache  = "AGENT/plugins/cache/team/lint/1"
	ownMarket = "~/market/.claude-plugin/marketplace.json"
)

// tellsOfOwn is a file of the user's own with a command that tells the model a file of
// the project.
func tellsOfOwn(what, name, text string) Fault {
	return Fault{Name: what + " prints a file of the project", Breaks: "policy-invariants", Want: report.Warn,
		Where: name + "#command", Break: writes(name, text)}
}

var ownFaults = []Fault{
	ownFault("your skill is a symlink into the project", "~/.claude/skills/x",
		leadsTo("notes/x", "~/.claude/skills/x", "notes/x/SKILL.md")),
	ownFault("the text of your skill is a symlink into the project", "~/.claude/skills/x/SKILL.md",
		leadsTo("x.md", "~/.claude/skills/x/SKILL.md", "x.md")),
	ownFault("a directory of your commands is a symlink into the project", "~/.claude/commands/team",
		leadsTo("cmds", "~/.claude/commands/team", "cmds/a.md")),
	ownFault("your agent is a symlink into the project", "~/.claude/agents/x.md",
		leadsTo("x.md", "~/.claude/agents/x.md", "x.md")),
	ownFault("your output style is a symlink into the project", "~/.claude/output-styles/x.md",
		leadsTo("x.md", "~/.claude/output-styles/x.md", "x.md")),
	ownFault("your output style in a directory is a symlink into the project", "~/.claude/output-styles/team/x.md",
		leadsTo("x.md", "~/.claude/output-styles/team/x.md", "x.md")),
	ownFault("a managed output style is a symlink into the project", managedDir+".claude/output-styles/x.md",
		leadsTo("x.md", managedDir+".claude/output-styles/x.md", "x.md")),
	ownFault("the file of your keys is a symlink into the project", "~/.claude/keybindings.json",
		leadsTo("dots/keys.json", "~/.claude/keybindings.json", "dots/keys.json")),
	ownFault("the file of your keys is a symlink to what is not there yet", "~/.claude/keybindings.json",
		leadsTo("dots/keys.json", "~/.claude/keybindings.json", "dots/other.json")),
	ownFault("your plugin is a symlink into the project", "~/.claude/skills/p",
		leadsTo("plug", "~/.claude/skills/p", "plug/.claude-plugin/plugin.json")),
	ownFault("your skill has a hook that lies in the project", "~/.claude/skills/x/SKILL.md#command:",
		writes("~/.claude/skills/x/SKILL.md", ownHook)),
	ownFault("your command has a hook that lies in the project", "~/.claude/commands/x.md#command:",
		writes("~/.claude/commands/x.md", ownHook)),
	ownFault("your agent starts a server that lies in the project", "~/.claude/agents/x.md#command:",
		writes("~/.claude/agents/x.md", ownServer)),
	ownFault("your plugin has a hook that lies in the project", "~/.claude/skills/p/hooks/hooks.json#command\": \"",
		writes("~/.claude/skills/p/hooks/hooks.json", pluginHook)),
	ownFault("your plugin has a server that lies in the project", "~/.claude/skills/p/.mcp.json#command",
		writes("~/.claude/skills/p/.mcp.json", pluginServer)),
	ownFault("your plugin has a language server that lies in the project", "~/.claude/skills/p/.lsp.json#command",
		writes("~/.claude/skills/p/.lsp.json", pluginServer)),
	ownFault("your plugin has a monitor that lies in the project", "~/.claude/skills/p/monitors/monitors.json#command",
		writes("~/.claude/skills/p/monitors/monitors.json", pluginMonitor)),
	tellsOfOwn("a hook of your plugin", "~/.claude/skills/p/hooks/hooks.json",
		`{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "cat NOTES.md"}]}]}}`),
	tellsOfOwn("a monitor of your plugin", "~/.claude/skills/p/monitors/monitors.json",
		`[{"name": "m", "description": "d", "command": "tail -f build.log"}]`),
	tellsOfOwn("a monitor in the manifest of your plugin", "~/.claude/skills/p/.claude-plugin/plugin.json",
		`{"name": "p", "experimental": {"monitors": [{"name": "m", "description": "d", "command": "tail -f build.log"}]}}`),
	tellsOfOwn("a hook of your skill", "~/.claude/skills/x/SKILL.md", "---\nname: x\ndescription: d\nhooks:\n"+
		"  UserPromptSubmit:\n    - hooks: [{type: command, command: cat NOTES.md}]\n---\nHelp.\n"),
	tellsOfOwn("a hook of your agent", "~/.claude/agents/x.md", "---\nname: x\ndescription: d\nhooks:\n"+
		"  SessionStart:\n    - hooks: [{type: command, command: cat NOTES.md}]\n---\nHelp.\n"),
	ownFault("an agent of your plugin has a hook that lies in the project", "~/.claude/skills/p/agents/x.md#command:",
		writes("~/.claude/skills/p/agents/x.md", ownHook)),
	ownFault("the manifest of your plugin has a hook that lies in the project",
		"~/.claude/skills/p/.claude-plugin/plugin.json#command\": \"",
		writes("~/.claude/skills/p/.claude-plugin/plugin.json", `{"name": "p", "hooks": `+pluginHook+`}`)),
	ownFault("your plugins come from a marketplace in the project", "~/.claude/plugins/known_marketplaces.json#path",
		switchesOn("PROJECT/tools", ownCache)),
	ownFault("your plugins come from a marketplace with a relative path", userFile+"#tools/m", market("directory")),
	ownFault("your plugins come from a file with a relative path", userFile+"#tools/m", market("file")),
	ownFault("the list of your marketplaces has a relative path", "~/.claude/plugins/known_marketplaces.json#path",
		switchesOn("tools/m", ownCache)),
	ownFault("your plugin is installed in the project", "~/.claude/plugins/installed_plugins.json#installPath",
		switchesOn("AGENT/m", "PROJECT/tools/lint")),
	ownFault("the marketplace gives your plugin a hook that lies in the project",
		"~/market/.claude-plugin/marketplace.json#command", func(m *Machine) {
			switchesOn("AGENT/m", ownCache)(m)
			m.replace("~/.claude/plugins/known_marketplaces.json", `{"source": {`, `{"installLocation": "`+m.at("~/market")+
				`", "source": {`)
			writes("~/market/.claude-plugin/marketplace.json", "{\"plugins\": [{\"name\": \"lint\", \"strict\": false, "+
				"\"hooks\": {\"Stop\": [{\"hooks\": [{\n\"command\": \"PROJECT/tools/x\"}]}]}}]}")(m)
		}),
	ownFault("your plugin is a symlink in its marketplace to the project", ownMarket+"#source", entersAs(`"./lint"`)),
	ownFault("your plugin is a symlink to the project in the directory of bare names", ownMarket+"#source",
		entersAs(`"bare"`)),
	ownFault("your plugin is what a command of the project says", ownMarket+"#command",
		entersAs(`{"source": "command", "command": "PROJECT/tools/x"}`)),
	ownFault("your plugin is updated from a repository in the project", ownMarket+"#source",
		entersAs(`{"source": "url", "url": "file://PROJECT"}`)),
	ownFault("your plugin is updated from a directory of a repository in the project", ownMarket+"#source",
		entersAs(`{"source": "git-subdir", "url": "file://PROJECT", "path": "tools/lint"}`)),
	{Name: "your plugins are updated at each start", Breaks: "policy-invariants", Want: report.Warn, Where: userFile +
		"#autoUpdate", Break: fetches(userFile, true)},
	{Name: "your plugins are updated at each start, by the runtime's own file", Breaks: "policy-invariants",
		Want:  report.Warn,
		Where: "~/.claude/plugins/known_marketplaces.json#autoUpdate", Break: fetches("", true)},
	{Name: "your plugin has a key that is unknown", Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/.claude/skills/p/.claude-plugin/plugin.json#start",
		Break: writes("~/.claude/skills/p/.claude-plugin/plugin.json", "{\"name\": \"p\",\n\"startup\": \"x\"}")},
	{Name: "the project schedules prompts", Breaks: "project-code", Want: report.Warn,
		Where: "~/code/tracker/.claude/scheduled_tasks.json",
		Break: func(m *Machine) { m.write("~/code/tracker/.claude/scheduled_tasks.json", `{"tasks": []}`, 0o644) }},
	{Name: "your skill has hooks that are not plain YAML", Breaks: "policy-invariants", Want: report.Unknown,
		Where: "~/.claude/skills/x/SKILL.md",
		Break: writes("~/.claude/skills/x/SKILL.md", "---\n\t- {\nhooks: {}\n---\n")},
	{Name: "your plugin's hooks are not JSON", Breaks: "policy-invariants", Want: report.Unknown,
		Where: "~/.claude/skills/p/hooks/hooks.json",
		Break: writes("~/.claude/skills/p/hooks/hooks.json", "{hooks}")},
}

// TestOwnFilesThatAreNoWayOut: what commands cannot change, or what is not
// loaded, is not named. The runtime keeps the directories themselves from
// being written, where they lead too (measured with 2.1.324 and 2.1.329).
func TestOwnFilesThatAreNoWayOut(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, seed := range map[string]func(*Machine){
		"all skills in the project": leadsTo("dots/skills", "~/.claude/skills", "dots/skills/x/SKILL.md"),
		"all skills in another project": func(m *Machine) {
			m.write("~/code/dots/x/SKILL.md", ownText, 0o644)
			m.symlink(m.at("~/code/dots"), "~/.claude/skills")
		},
		"material of a skill in the project": func(m *Machine) {
			m.write("~/.claude/skills/x/SKILL.md", ownText, 0o644)
			m.symlink(m.Project, "~/.claude/skills/x/docs")
		},
		"the file of your keys in another project": func(m *Machine) {
			m.write("~/code/dots/keys.json", "{}", 0o644)
			m.symlink(m.at("~/code/dots/keys.json"), "~/.claude/keybindings.json")
		},
		"all output styles in the project": leadsTo("dots/styles", "~/.claude/output-styles", "dots/styles/x.md"),
		"an output style of a plugin in the project": func(m *Machine) {
			writes("~/.claude/skills/p/SKILL.md", ownText)(m)
			leadsTo("x.md", "~/.claude/skills/p/output-styles/x.md", "x.md")(m)
		},
		"a hook of an output style": writes("~/.claude/output-styles/x.md", ownHook),
		"a hook of a skill in the home": func(m *Machine) {
			writes("~/.claude/skills/x/SKILL.md", strings.ReplaceAll(ownHook, "PROJECT/tools/x", "~/bin/x"))(m)
			m.write("~/bin/x", "#!/bin/sh\n", 0o755)
		},
		"a plugin from elsewhere":                    switchesOn("AGENT/m", ownCache),
		"a plugin from a marketplace elsewhere":      fetches(userFile, false),
		"a plugin from a repository elsewhere":       entersAs(`{"source": "url", "url": "https://example.org/PROJECT"}`),
		"a plugin of its marketplace":                entersAs(`"./own"`),
		"a plugin of its marketplace by a bare name": entersAs(`"lint"`),
		"a plugin from npm": entersAs(`{"source": "npm", "package": "@team/lint", "version": "1.0.0", "registry":
			"https://example.org/PROJECT"}`),
		"a plugin from GitHub": entersAs(`{"source": "github", "repo": "team/lint", "ref": "main"}`),
		"a plugin from a directory of a repository elsewhere": entersAs(`{"source": "git-subdir", "url":
			"git@example.org:team/all.git", "path": "tools/lint"}`),
		"a plugin from a repository in a directory of yours": entersAs(`{"source": "url", "url":
			"file:///srv/git/lint.git"}`),
		"a plugin that a command elsewhere says": entersAs(`{"source": "command", "command": "tools/x"}`),
		"the runtime's own marketplace": func(m *Machine) {
			fetches("", false)(m)
			at := "~/.claude/plugins/marketplaces/team"
			m.edit("~/.claude/plugins/known_marketplaces.json", func(d doc) {
				d["team"].(map[string]any)["installLocation"] = m.at(at)
			})
			m.write(at+"/.claude-plugin/marketplace.json",
				`{"plugins": [{"name": "lint", "source": "./plugins/lint"},
				{"name": "other", "source": "./plugins/other"}]}`, 0o644)
		},
		"a marketplace below a directory of a repository elsewhere": func(m *Machine) {
			switchesOn("AGENT/m", ownCache)(m)
			m.set(userFile, "extraKnownMarketplaces", doc{"team": doc{"source": doc{"source": "github", "repo": "team/plugins",
				"path": "tools/marketplace.json"}}})
		},
		"a marketplace that no plugin is of": func(m *Machine) {
			switchesOn("PROJECT/tools", ownCache)(m)
			m.set(userFile, "enabledPlugins", map[string]any{"lint@team": false})
		},
		"a command written into a user skill": writes("~/.claude/skills/x/SKILL.md", ownText+"!`PROJECT/tools/x`\n"),
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
