// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a symlink on the way to what the runtime keeps is a way
// out, wherever it leads, as long as a command may remove it.

package checks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// linkFault moves name to another place and leads there by a symlink.
func linkFault(name, path, to, where string) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: where, Also: effects{},
		Break: func(m *Machine) { m.moveTo(path, to) }}
}

// textLink is a text of the project that leads to where commands may write, or could
// create it.
func textLink(what, name, target string) Fault {
	at := "~/code/tracker/.claude/" + name
	return Fault{Name: "the project's " + what + " is a symlink into the project", Breaks: "policy-invariants",
		Want: report.Fail, Voids: true, Where: at, Break: func(m *Machine) { m.symlink(target, at) }}
}

// keepNothing leaves out that commands may not change .claude itself.
func keepNothing(m *Machine) { m.unset(projectFile, "sandbox.filesystem.denyWrite") }

// keptNot is a fault of a policy that lets commands change .claude itself, which
// project-settings warns of.
func keptNot(f Fault) Fault {
	then := f.Break
	f.Break = func(m *Machine) {
		keepNothing(m)
		then(m)
	}
	return also(f, effects{"project-settings": {report.Warn, "a command can make .claude unreadable"}})
}

// moveTo moves a file or directory and leaves a symlink to it in its place.
func (m *Machine) moveTo(name, to string) {
	m.t.Helper()
	for _, err := range []error{os.MkdirAll(filepath.Dir(m.at(to)), 0o755), os.Rename(m.at(name), m.at(to))} {
		if err != nil {
			m.t.Fatal(err)
		}
	}
	m.symlink(m.at(to), name)
}

// moveBy leads from name to another place by way of a symlink of its own.
func moveBy(m *Machine, name, to, link, by string) {
	m.moveTo(name, to)
	m.symlink(strings.TrimSuffix(m.at(to), by), link)
	m.remove(name)
	m.symlink(m.at(link)+by, name)
}

var linkFaults = []Fault{
	keptNot(linkFault("the project's settings are a symlink into the project", projectFile,
		"~/code/tracker/conf/agent.json", projectFile)),
	keptNot(linkFault("the project's settings are a symlink in .claude", projectFile, "~/code/tracker/.claude/base.json",
		projectFile)),
	keptNot(linkFault("the project's settings are a symlink out of the project", projectFile, "~/conf/agent.json",
		projectFile)),
	keptNot(linkFault("local settings are a symlink", localFile, "~/conf/agent.json", localFile)),
	linkFault(".claude is a symlink into the project", "~/code/tracker/.claude", "~/code/tracker/conf/claude",
		"~/code/tracker/.claude"),
	also(linkFault(".claude is a symlink out of the project", "~/code/tracker/.claude", "~/conf/claude",
		"~/code/tracker/.claude"),
		effects{"project-code": {report.Unknown, "what a project loads is not opened outside of it"}}),
	textLink("skill", "skills/x", "../../.agents/skills/x"),
	textLink("text of a skill", "skills/x/SKILL.md", "../../../docs/x.md"),
	textLink("agent", "agents/x.md", "../../docs/x.md"),
	textLink("command in a directory", "commands/team/x.md", "../../../docs/x.md"),
	textLink("output style", "output-styles/x.md", "../../docs/x.md"),
	linkFault(".git is a symlink", "~/code/tracker/.git", "~/git/tracker", "~/code/tracker/.git"),
	{Name: "the hooks of git are a symlink", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: "~/code/tracker/.git/hooks",
		Break: func(m *Machine) {
			m.write("~/hooks/x", "", 0o644)
			m.symlink(m.at("~/hooks"), "~/code/tracker/.git/hooks")
		}},
	linkFault("the configuration of git is a symlink", "~/code/tracker/.git/config", "~/gitconfig",
		"~/code/tracker/.git/config"),
	{Name: "a symlink on the way to the project's settings", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: "~/code/tracker/a/l",
		Break: func(m *Machine) { moveBy(m, projectFile, "~/conf/claude.json", "~/code/tracker/a/l", "/claude.json") }},
	{Name: "the project's .mcp.json is a symlink", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: "~/code/tracker/.mcp.json",
		Break: func(m *Machine) {
			m.write("~/code/tracker/conf/mcp.json", `{"mcpServers": {}}`, 0o644)
			m.symlink("conf/mcp.json", "~/code/tracker/.mcp.json")
		}},
	keptNot(Fault{Name: "the project's agents are a symlink", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: "~/code/tracker/.claude/agents", Also: effects{},
		Break: func(m *Machine) {
			m.write("~/code/tracker/docs/agents/x.md", ownText, 0o644)
			m.symlink("../docs/agents", "~/code/tracker/.claude/agents")
		}}),
	{Name: "your settings are reached by a symlink in the project", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: "~/code/tracker/dots",
		Break: func(m *Machine) { moveBy(m, userFile, "~/dots/settings.json", "~/code/tracker/dots", "/settings.json") }},
	{Name: "your skills are reached by a symlink in the project", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: "~/code/tracker/dots",
		Break: func(m *Machine) {
			m.write("~/dots/skills/x/SKILL.md", ownText, 0o644)
			m.symlink(m.at("~/dots"), "~/code/tracker/dots")
			m.symlink(m.at("~/code/tracker/dots/skills"), "~/.claude/skills")
		}},
	{Name: "the project's settings have a second name", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: projectFile,
		Break: func(m *Machine) { m.hardLink(projectFile, "~/code/tracker/conf.json") }},
	{Name: "your settings have a second name in the project", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: userFile, Also: isoStops,
		Break: func(m *Machine) { m.hardLink(userFile, "~/code/tracker/conf.json") }},
	secondName("your start file", "~/.bashrc"),
	secondName("the configuration of git", "~/.gitconfig"),
	secondName("a hook of ours", "~/.claude/scripts/sandbox-bypass-warn.sh"),
	secondName("the launch of claude-iso", "~/.claude/agent-isolation/claude-iso.sh"),
	secondName("your approvals", "~/.local/state/steward-setup/approvals.json"),
	secondName("the key of the results", "~/.local/state/steward-setup/result.key"),
	secondName("the runtime's own state", "~/.claude.json"),
	secondName("the file of your keys", "~/.claude/keybindings.json"),
	secondName("a skill of yours", "~/.claude/skills/x/SKILL.md"),
	secondName("the hooks of a plugin of yours", "~/.claude/skills/x/hooks/hooks.json"),
	secondName("an agent of yours", "~/.claude/agents/team/x.md"),
	secondName("a script of an installed plugin", "~/.claude/plugins/cache/m/x/1.0/run.sh"),
	linkedFile("the configuration of vim", "~/.vimrc", "hard link to ~/.vimrc", "", ""),
	linkedFile("what ssh runs", "~/bin/x", "hard link to ~/bin/x", "~/.ssh/config", "Host *\n  ProxyCommand ~/bin/x\n"),
	linkedFile("what a unit of systemd runs", "~/bin/x", "hard link to ~/bin/x", "~/.config/systemd/user/x.service",
		"[Service]\nExecStart=%h/bin/x\n"),
	linkedFile("a filter of git", "~/bin/x", "~/code/tracker/node_modules/x/name", "~/.config/git/config",
		"[filter \"x\"]\n\tsmudge = ~/bin/x\n"),
	linkedFile("what your git configuration includes", "~/more", "hard link to ~/more", "~/.config/git/config",
		"[include]\n\tpath = ~/more\n"),
	linkedFile("what your own instructions import", "~/notes.md", "imports ~/notes.md", "~/.claude/CLAUDE.md",
		"@~/notes.md\n"),
	linkedFile("what your shell runs", "~/bin/x", "hard link to ~/bin/x", "~/.bash_profile", "~/bin/x\n"),
	{Name: "an agent of the project has a second name", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: "~/code/tracker/.claude/agents/x.md",
		Break: func(m *Machine) {
			m.write("~/code/tracker/.claude/agents/x.md", ownText, 0o644)
			m.hardLink("~/code/tracker/.claude/agents/x.md", "~/code/tracker/x.md")
		}},
	secondName("a private key", "~/.ssh/id_rsa"),
	secondName("the login of the agent", "~/.claude/.credentials.json"),
	{Name: "a .env in a directory whose name is not UTF-8", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: "its path is not UTF-8", Also: isoStops,
		Break: func(m *Machine) { m.write("~/code/tracker/d\xff/.env", "TOKEN=1\n", 0o600) }},
	{Name: "a .env has a second name that no rule covers", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: "~/code/tracker/sub/.env", Also: isoStops,
		Break: func(m *Machine) {
			m.write("~/code/tracker/sub/.env", "TOKEN=1\n", 0o600)
			m.hardLink("~/code/tracker/sub/.env", "~/code/tracker/sub/prod.txt")
		}},
	sharedPackage("pnpm", "~/.local/share/pnpm/global/5/.pnpm/fmtx@1.0.0/node_modules/@s/fmtx/lib/cli.js",
		"~/code/tracker/node_modules/.pnpm/fmtx@1.1.0/node_modules/@s/fmtx/lib/cli.js"),
	sharedPackage("pnpm without symlinks", "~/.local/share/pnpm/global/5/.pnpm/fmtx@1.0.0/node_modules/fmtx/cli.js",
		"~/code/tracker/node_modules/fmtx/cli.js"),
	sharedPackage("uv", "~/.local/share/uv/tools/fmt/lib/python3.11/site-packages/fmt/cli.py",
		"~/code/tracker/.venv/lib/python3.11/site-packages/fmt/cli.py"),
}

// sharedPackage is a file of a global program that the project has, too.
func sharedPackage(by, global, project string) Fault {
	return Fault{Name: "a global program shares its files with the project: " + by, Breaks: "policy-invariants",
		Want: report.Warn, Where: project,
		Break: func(m *Machine) {
			m.write(global, "x\n", 0o755)
			m.write(filepath.Dir(project)+"/other", "", 0o644)
			m.hardLink(global, project)
		}}
}

// isoStops: claude-iso does not start.
var isoStops = effects{"effective-sandbox": {report.Warn, "claude-iso does not start"}}

// secondName gives a file of the user's another name deep in the project.
func secondName(what, path string) Fault {
	return Fault{Name: what + " has a second name in the project", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: path, Also: isoStops,
		Break: func(m *Machine) {
			if _, err := os.Lstat(m.at(path)); err != nil {
				m.write(path, m.readOr(path), 0o600)
			}
			if name, plugin := strings.CutSuffix(path, "hooks/hooks.json"); plugin {
				m.write(name+".claude-plugin/plugin.json", `{"name":"x"}`, 0o644)
				m.write(path, `{"hooks":{}}`, 0o644)
			}
			m.write("~/code/tracker/node_modules/x/y", "", 0o644)
			m.hardLink(path, "~/code/tracker/node_modules/x/name")
		}}
}

// linkedFile gives a file that runs from where no session looks another name deep in the project; config,
// with its text, names it.
func linkedFile(what, path, where, config, text string) Fault {
	return Fault{Name: what + " has a hard link in the project", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: where,
		Break: func(m *Machine) {
			m.write(path, "", 0o755)
			if config != "" {
				m.write(config, text, 0o600)
			}
			m.write("~/code/tracker/node_modules/x/y", "", 0o644)
			m.hardLink(path, "~/code/tracker/node_modules/x/name")
		}}
}

// hardLink gives a file a second name.
func (m *Machine) hardLink(name, other string) {
	m.t.Helper()
	if err := os.Link(m.at(name), m.at(other)); err != nil {
		m.t.Fatal(err)
	}
}

// TestLinksThatNoCommandCanReplace: what lies where no command writes is not
// named.
func TestLinksThatNoCommandCanReplace(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, seed := range map[string]func(*Machine){
		"your settings lead into the project": func(m *Machine) {
			m.moveTo(userFile,
				"~/code/tracker/conf/user.json")
		},
		"your settings have a second name elsewhere": func(m *Machine) { m.hardLink(userFile, "~/backup.json") },
		"a skill of the project is a symlink to what the policy keeps": func(m *Machine) {
			m.write("~/code/tracker/.agents/skills/x/SKILL.md", ownText, 0o644)
			m.symlink("../../.agents/skills/x", "~/code/tracker/.claude/skills/x")
			m.set(projectFile, "sandbox.filesystem.denyWrite", []any{"./.claude", "./.agents"})
		},
		"a skill of the project has material that is a symlink": func(m *Machine) {
			m.write("~/code/tracker/.claude/skills/x/SKILL.md", ownText, 0o644)
			m.symlink("../../../docs", "~/code/tracker/.claude/skills/x/docs")
		},
		"all skills of the project are a symlink": func(m *Machine) {
			m.write("~/code/tracker/.agents/skills/x/SKILL.md", ownText, 0o644)
			m.symlink("../.agents/skills", "~/code/tracker/.claude/skills")
		},
		"a global program has a store alone in common with the project": func(m *Machine) {
			const global = "~/.local/share/pnpm/global/5/.pnpm/fmtx@1.0.0/node_modules/fmtx/cli.js"
			m.write(global, "x\n", 0o755)
			m.write("~/.local/share/pnpm/store/v3/files/ab/.keep", "", 0o644)
			m.hardLink(global, "~/.local/share/pnpm/store/v3/files/ab/1-exec")
			m.write("~/code/tracker/node_modules/fmtx/cli.js", "x\n", 0o755)
		},
		"the policy keeps the symlink": func(m *Machine) {
			m.moveTo(projectFile, "~/code/tracker/conf/agent.json")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			seed(m)
			m.approve()
			if f := m.judged("policy-invariants"); strings.Contains(told(m, []report.Finding{f}, nil), "ink") {
				t.Errorf("policy-invariants is %s:\n%s", f.Status, told(m, []report.Finding{f}, nil))
			}
		})
	}
}

// TestAnEnvFileThatIsASymlink: it is named until a rule names what it leads to.
func TestAnEnvFileThatIsASymlink(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, usualSetup)
	m.write("~/code/tracker/vault/prod.txt", "TOKEN=1\n", 0o600)
	m.symlink("../vault/prod.txt", "~/code/tracker/sub/.env")
	m.symlink(".env.local", "~/code/tracker/.env.production.local")
	said := func() string { return told(m, []report.Finding{m.judged("policy-invariants")}, nil) }
	if got := said(); !strings.Contains(got,
		"~/code/tracker/sub/.env  This symlink points to vault/prod.txt") || strings.Contains(got, ".production") {
		t.Errorf("says %s", got)
	}
	m.add(projectFile, "permissions.deny", "Read(./vault/prod.txt)")
	if got := said(); strings.Contains(got, "vault") {
		t.Errorf("with a rule that names it: %s", got)
	}
}
