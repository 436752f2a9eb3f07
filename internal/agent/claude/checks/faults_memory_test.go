// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a directory for the model's notes that is not the runtime's
// own is named, and one that holds secrets or what runs is an escape.

package checks_test

import "github.com/steward-setup/steward-setup/internal/report"

// memory is a directory for notes that the user chose.
func memory(dir string, want report.Status) Fault {
	return Fault{Name: "notes of the model in " + dir, Breaks: "policy-invariants", Want: want, Voids: want == report.Fail,
		Where: userFile + "#autoMemoryDirectory",
		Break: func(m *Machine) { m.set(userFile, "autoMemoryDirectory", dir) }}
}

// opensToo: project-code warns of the key wherever it leads.
var opensToo = effects{"project-code": {report.Warn, "the project weakens protection with autoMemoryDirectory"}}

// agents is a directory that the agent writes without a prompt, and whose files the
// next session loads; plans is a symlink to it.
func agents(file, name, dir string, also effects) Fault {
	return Fault{Name: file + " sets " + name + " to " + dir, Breaks: "policy-invariants", Want: report.Fail,
		Where: file + `#"` + name + `"`, Also: also, Break: func(m *Machine) {
			m.write("~/code/tracker/.claude/agents/README.md", "Agents.\n", 0o644)
			m.symlink(".claude/agents", "~/code/tracker/plans")
			m.set(file, name, dir)
		}}
}

// plans is a directory of the project for plans, where commands may write.
func plans(file, dir string) Fault {
	return Fault{Name: file + " has plans of the project in " + dir, Breaks: "policy-invariants", Want: report.Warn,
		Where: file + `#"plansDirectory"`, Break: func(m *Machine) { m.set(file, "plansDirectory", dir) }}
}

var memoryFaults = []Fault{
	memory("~/notes", report.Warn),
	memory("~/code/tracker/notes", report.Warn),
	memory("~/.aws", report.Fail),
	memory("~", report.Fail),
	memory("~/.config/nvim", report.Fail),
	memory("~/.claude/agents", report.Fail),
	agents(userFile, "autoMemoryDirectory", "~/code/tracker/.claude/agents", nil),
	agents(projectFile, "autoMemoryDirectory", "~/code/tracker/.claude/commands", opensToo),
	agents(userFile, "plansDirectory", ".claude/skills", nil),
	agents(projectFile, "plansDirectory", ".claude/agents", nil),
	agents(projectFile, "plansDirectory", "./docs/../.claude/commands/team", nil),
	agents(projectFile, "plansDirectory", "plans", nil),
	plans(userFile, "./plans"),
	plans(projectFile, "docs/plans"),
	{Name: "the user's settings move the notes of the model", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: userFile + "#CLAUDE_COWORK",
		Break: func(m *Machine) {
			m.set(userFile, "env.CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", m.at("~/.ssh"))
		}},
	{Name: "the shell moves the notes of the model", Breaks: "policy-invariants", Want: report.Warn, Where: "~/notes",
		Break: func(m *Machine) { m.Env["CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"] = m.at("~/notes") }},
	{Name: "the runtime's notes of a project are a symlink into the project", Breaks: "policy-invariants",
		Want: report.Fail, Voids: true, Where: "~/.claude/projects/tracker/memory", Break: func(m *Machine) {
			m.write("~/code/tracker/docs/memory/MEMORY.md", "Be brief.\n", 0o644)
			m.write("~/.claude/projects/tracker/x.jsonl", "", 0o600)
			m.symlink(m.at("~/code/tracker/docs/memory"), "~/.claude/projects/tracker/memory")
		}},
	exports("CLAUDE_CODE_PLUGIN_SEED_DIR", "PROJECT/plugins", report.Fail),
}

// ownNotes keeps them where the runtime does.
var ownNotes = on(func(s *setup) {
	s.after = func(m *Machine) { m.set(userFile, "autoMemoryDirectory", "~/.claude/projects/tracker/memory") }
})
