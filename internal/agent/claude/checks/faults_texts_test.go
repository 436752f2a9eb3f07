// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever text brings a file of the home to the model is
// named with its line, however the line is written.

package checks_test

import (
	"github.com/steward-setup/steward-setup/internal/report"
)

// texts writes a text of the project in which a line leads to ~/notes.md, or to
// a credential file. where is the part of the line that is named.
func texts(what, name, text, where string, want report.Status) Fault {
	if where != "" {
		where = "#" + where
	}
	return Fault{Name: what, Breaks: "project-code", Want: want, Where: "~/code/tracker/" + name + where,
		Break: func(m *Machine) {
			m.write("~/notes.md", "mine\n", 0o644)
			m.write("~/.ssh/id_ed25519", "key\n", 0o600)
			m.write("~/code/tracker/"+name, text, 0o644)
		}}
}

// attached is a text on a machine that attaches the files that it names.
func attached(f Fault) Fault {
	seed := f.Break
	f.Name += ", where it is attached"
	f.Also = map[report.ID]Effect{"user-wiring": {report.Warn, "the switch that keeps files from being attached is off, " +
		"and skills are prompts"}}
	f.Break = func(m *Machine) {
		m.unset(userFile, mentionsKey)
		m.add(userFile, "permissions.ask", "Skill")
		seed(m)
	}
	return f
}

// throughName is an import of a file with an at sign in its name.
func throughName() Fault {
	f := texts("an imported file with an at sign in its name imports a file of the home", "docs/a@b.md", "\n@~/notes.md\n",
		"@~", report.Warn)
	seed := f.Break
	f.Break = func(m *Machine) {
		seed(m)
		m.write("~/code/tracker/CLAUDE.md", "see @docs/a@b.md\n", 0o644)
	}
	return f
}

// rulesElsewhere makes the .claude of a subdirectory a symlink to a directory that has rules.
func rulesElsewhere(target string, want report.Status) Fault {
	at := "~/code/tracker/docs/.claude"
	return Fault{Name: "a subdirectory's .claude is a symlink to " + target + ", which has rules", Breaks: "project-code",
		Want: want, Where: at, Break: func(m *Machine) {
			m.write(target+"/rules/deep/mine.md", "mine\n", 0o600)
			m.symlink(m.at(target), at)
		}}
}

var textFaults = []Fault{
	rulesElsewhere("~/work", report.Warn),
	rulesElsewhere("~/.aws", report.Fail),
	throughName(),
	texts("an import ends at a no-break space", "CLAUDE.md", "\nsee @~/notes.md\u00a0ok\n", "@~", report.Warn),
	texts("an import ends at a backslash", "CLAUDE.md", "\nsee @~/.ssh/id_ed25519\\x\n", "@~", report.Fail),
	instructs("AGENTS.md", "~/notes.md", report.Warn),
	instructs(".claude/AGENTS.md", "~/.ssh/id_ed25519", report.Fail),
	instructs("docs/AGENTS.md", "~/.ssh/id_ed25519", report.Fail),
	texts("AGENTS.md imports a file of the home", "AGENTS.md", "\n@~/notes.md\n", "@~", report.Warn),
	instructs("vendor/CLAUDE.md", "~/notes.md", report.Warn),
	instructs("node_modules/x/AGENTS.md", "~/.ssh/id_ed25519", report.Fail),
	attached(texts("a skill names a file of the home", ".claude/skills/x/SKILL.md",
		"---\nname: x\n---\nRead\n@~/notes.md first.\n", "@~", report.Warn)),
	attached(texts("a command names a credential file", ".claude/commands/x.md", "See @\"~/.ssh/id_ed25519\" first.\n",
		"@", report.Fail)),
	attached(texts("the first prompt of an agent names a file of the home", ".claude/agents/x.md",
		"---\nname: x\ninitialPrompt: read @~/notes.md\n---\nHelp.\n", "@~", report.Warn)),
	instructs(".claude/loop.md", "~/notes.md", report.Warn),
	texts("front matter opens with a space of Unicode", ".claude/skills/x/SKILL.md",
		"---\u00a0\nname: x\nallowed-tools: Write\n---\n", "allowed-tools", report.Warn),
	texts("front matter that is not plain YAML", ".claude/skills/x/SKILL.md",
		"---\nname: x\nallowed-tools: Write\nmetadata:\n- [a\n---\n", "", report.Unknown),
}
