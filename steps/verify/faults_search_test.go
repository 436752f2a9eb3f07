// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever a session starts by name outside the sandbox is
// put into the project, by every way that PATH may take there.

package verify_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

// planted is a program of the project, at path, that PATH leads to by its
// first entry.
func planted(name, path, entry string, also effects) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: "is the first on PATH", Also: also,
		Break: func(m *Machine) {
			m.write(path, "#!/bin/sh\nexit 0\n", 0o755)
			if strings.HasPrefix(entry, "~") {
				m.first(m.at(entry))
			} else {
				m.first(entry)
			}
		}}
}

var searchFaults = []Fault{
	planted("a bwrap in the activated .venv", "~/code/tracker/.venv/bin/bwrap", "~/code/tracker/.venv/bin", noProgram),
	planted("a socat by a relative entry of PATH", "~/code/tracker/node_modules/.bin/socat", "./node_modules/.bin", noProgram),
	planted("a bwrap by an empty entry of PATH", "~/code/tracker/bwrap", "", noProgram),
	planted("a bwrap of a linked worktree on PATH", "~/code/tracker-fix/bin/bwrap", "~/code/tracker-fix/bin", noProgram),
	planted("an agent of the project on PATH", "~/code/tracker/node_modules/.bin/claude", "~/code/tracker/node_modules/.bin", nil),
	planted("a git of the project on PATH", "~/code/tracker/bin/git", "~/code/tracker/bin", nil),
	{Name: "a link on PATH leads to a bwrap of the project", Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: "~/bin/bwrap", Also: noProgram,
		Break: func(m *Machine) {
			m.write("~/code/tracker/tools/bwrap", "#!/bin/sh\nexit 0\n", 0o755)
			m.write("~/bin/x", "", 0o644)
			m.symlink(m.at("~/code/tracker/tools/bwrap"), "~/bin/bwrap")
			m.first(m.at("~/bin"))
		}},
	{Name: "an activated .venv, into which commands may write", Breaks: "policy-invariants", Want: report.Warn, Where: "~/code/tracker/.venv/bin",
		Break: func(m *Machine) { activate(m) }},
	{Name: "a directory on PATH that is not there yet", Breaks: "policy-invariants", Want: report.Warn, Where: "~/code/tracker/node_modules/.bin",
		Break: func(m *Machine) { m.first("node_modules/.bin") }},
	{Name: "allowWrite of a directory that is first on PATH", Breaks: "policy-invariants", Want: report.Warn, Where: "~/tools/bin",
		Break: func(m *Machine) {
			m.add(projectFile, allowWrite, "~/tools/")
			m.write("~/tools/bin/x", "", 0o644)
			m.first(m.at("~/tools/bin"))
		}},
	{Name: "a package of the project brings its own rg", Breaks: "policy-invariants", Want: report.Warn, Where: "~/code/tracker/node_modules/.bin/rg",
		Break: func(m *Machine) {
			m.write("~/code/tracker/node_modules/.bin/rg", "#!/bin/sh\n", 0o755)
			m.first(m.at("~/code/tracker/node_modules/.bin"))
		}},
}

// TestClaudeIsoIsNotLedIntoTheProject: what PATH finds in the project is held
// against the plain launch alone, as is what could be put there; a link of the
// user's own that leads there concerns both.
func TestClaudeIsoIsNotLedIntoTheProject(t *testing.T) {
	healthy := build(t, usualSetup)
	for _, f := range searchFaults {
		t.Run(f.Name, func(t *testing.T) {
			m := copyOf(t, healthy)
			f.Break(m)
			m.approve()
			finding := find(m.verify(), f.Breaks)
			both := f.Name == "a link on PATH leads to a bwrap of the project" || f.Name == "allowWrite of a directory that is first on PATH"
			apart := len(finding.Launches) == 2 && finding.Launches[0].Status == f.Want && finding.Launches[1].Status == report.Pass
			if both && finding.Launches != nil || !both && !apart {
				t.Errorf("judged for the launches as %+v", finding.Launches)
			}
			if len(finding.Remedies) == 0 {
				t.Error("nothing is said of what to do")
			}
		})
	}
}

// activate activates a virtual environment of Python's in the project.
func activate(m *Machine) {
	m.write("~/code/tracker/.venv/bin/python", "#!/bin/sh\n", 0o755)
	m.first(m.at("~/code/tracker/.venv/bin"))
}
