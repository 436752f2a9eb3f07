// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an entry that leads out of the project is found in each
// spelling; rules that have no effect, and rules that approve a whole server,
// are named; what starts nothing is no fault.

package checks_test

import "github.com/steward-setup/steward-setup/internal/report"

// beside is an entry of the project's settings; another repository lies beside
// the project.
func beside(key, entry string, want report.Status) Fault {
	return Fault{Name: key + " holds " + entry + ", beside another repository", Breaks: "policy-invariants", Want: want,
		Voids: want == report.Fail, Where: projectFile + "#" + key[len(key)-5:] + "#\"" + entry,
		Break: func(m *Machine) {
			m.write("~/code/other/.git/HEAD", "ref: refs/heads/main\n", 0o644)
			m.add(projectFile, key, entry)
		}}
}

// openConfig is an entry of allowWrite and allowRead that opens the directory of a
// program's configuration, where the file is not there yet.
func openConfig(entry, file string) Fault {
	f := openProject("the configuration of a program that is not there yet", entry, entry+"/x")
	f.Where = file
	return f
}

// openProject is an entry of allowWrite and allowRead that opens something of another
// project; the files are seeded.
func openProject(what, entry string, files ...string) Fault {
	return Fault{Name: "allowWrite opens " + what, Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: projectFile + "#allowWrite#\"" + entry,
		Break: func(m *Machine) {
			for _, name := range files {
				m.write(name, "{}\n", 0o644)
			}
			m.add(projectFile, allowWrite, entry)
			m.add(projectFile, allowRead, entry)
		}}
}

// rule is a rule of the project's permissions that policy-invariants names.
func rule(list, text string) Fault {
	return Fault{Name: "permissions." + list + " holds " + text, Breaks: "policy-invariants", Want: report.Warn,
		Where: "permissions." + list + ".",
		Break: func(m *Machine) { m.add(projectFile, "permissions."+list, text) }}
}

var besideFaults = []Fault{
	beside("permissions.additionalDirectories", "../", report.Fail),
	beside("permissions.additionalDirectories", "../other", report.Fail),
	beside("permissions.additionalDirectories", "~/code", report.Fail),
	beside(allowWrite, "../other", report.Fail),
	beside(allowWrite, "~/code", report.Fail),
	beside(allowWrite, "~/code/*", report.Fail),
	beside(allowWrite, "~/code/*/.git", report.Fail),
	openProject("the hooks of another repository", "~/code/other/.git/hooks", "~/code/other/.git/hooks/x"),
	openProject("a repository deep below", "~/src", "~/src/host/x/repo/.git/HEAD"),
	openProject("a bare repository", "~/src/x.git", "~/src/x.git/HEAD", "~/src/x.git/config", "~/src/x.git/objects/info/x",
		"~/src/x.git/refs/x"),
	openProject("the settings of another project", "~/notes", "~/notes/.claude/settings.json"),
	openConfig("~/.config/kitty", "~/.config/kitty/kitty.conf"),
	openProject("the servers of another project", "~/notes/.mcp.json", "~/notes/.mcp.json"),
	beside(allowRead, "../", report.Warn),
	beside(allowRead, "../other", report.Warn),
	beside(allowRead, "~/code", report.Warn),
	rule("deny", "Read(secrets:*)"),
	rule("deny", "read(x)"),
	rule("ask", "Bash("),
	rule("deny", "Raed(~/notes/**)"),
	rule("ask", "webFetch"),
	rule("allow", "mcp__server"),
	rule("allow", "mcp__server__*"),
	{Name: "denyRead is empty", Breaks: "project-settings", Want: report.Fail, Voids: true,
		Where: "sandbox.filesystem.denyRead",
		Break: func(m *Machine) { m.set(projectFile, "sandbox.filesystem.denyRead", []any{}) }},
}

// healthyIdle are machines whose projects name what starts nothing.
var healthyIdle = []Variant{
	{Name: "the project enables servers without a .mcp.json, and asks a model in a hook", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.set(projectFile, "enabledMcpjsonServers", []any{"notes"})
			m.set(projectFile, "hooks.Stop", []any{map[string]any{"hooks": []any{map[string]any{"type": "prompt",
				"prompt": "Are the tests green?"}}}})
			m.approve()
		}
	})},
	{Name: "rules name tools of other versions, of MCP servers and of plugins", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			for _, of := range []string{"MultiEdit", "KillShell", "mcp__reed__write", "TeamCreate", "Teleport(x)"} {
				m.add(projectFile, "permissions.deny", of)
			}
			m.approve()
		}
	})},
	{Name: "allowWrite holds paths and patterns of other machines, which match nothing", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.write("~/code/other/.git/HEAD", "ref: refs/heads/main\n", 0o644)
			for _, path := range []string{"~/nonexist/*/build", "~/nonexist", "~/code/*/build", "../*/build"} {
				m.add(projectFile, allowWrite, path)
			}
			m.approve()
		}
	})},
}
