// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what instructions import is named with its line.

package checks_test

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// imports is a line of the project's instructions that imports a file.
func imports(name, line string, want report.Status, files ...string) Fault {
	what := "the project's " + name + " imports " + strings.TrimPrefix(line, "@")
	name = "~/code/tracker/" + name
	return Fault{Name: what, Breaks: "project-code", Want: want, Where: name + "#" + line,
		Break: func(m *Machine) {
			for _, file := range files {
				m.write(file, "words\n", 0o600)
			}
			m.write(name, "# How we work\n\nBe brief.\n"+line+"\n", 0o644)
		}}
}

var placeFaults = []Fault{
	imports("CLAUDE.md", "@~/.ssh/id_ed25519", report.Fail, "~/.ssh/id_ed25519"),
	imports("CLAUDE.md", "@.env", report.Fail, "~/code/tracker/.env"),
	imports("CLAUDE.local.md", "@.npmrc", report.Fail, "~/code/tracker/.npmrc"),
	imports(".claude/CLAUDE.md", "@~/.aws/credentials", report.Fail, "~/.aws/credentials"),
	imports(".claude/rules/deep/a.md", "@../../../../notes.md", report.Warn, "~/code/notes.md"),
	imports("CLAUDE.md", "@~/notes.md", report.Warn, "~/notes.md"),
	{Name: "the project's CLAUDE.md imports a symlink to a private key", Breaks: "project-code", Want: report.Fail,
		Where: "~/code/tracker/CLAUDE.md#@docs/c.md",
		Break: func(m *Machine) {
			m.write("~/.ssh/id_ed25519", "a secret\n", 0o600)
			m.write("~/code/tracker/docs/x.md", "", 0o644)
			m.symlink(m.at("~/.ssh/id_ed25519"), "~/code/tracker/docs/c.md")
			m.write("~/code/tracker/CLAUDE.md", "Be brief.\n@docs/c.md\n", 0o644)
		}},
	{Name: "what the project's CLAUDE.md imports imports a credential file", Breaks: "project-code", Want: report.Fail,
		Where: "~/code/tracker/docs/a.md#@~/.netrc",
		Break: func(m *Machine) {
			m.write("~/.netrc", "a secret\n", 0o600)
			m.write("~/code/tracker/docs/a.md", "Also:\n@~/.netrc\n", 0o644)
			m.write("~/code/tracker/CLAUDE.md", "@docs/a.md\n", 0o644)
		}},
}
