// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever a session starts by name outside the sandbox is
// put into the project, by every way that PATH may take there.

package checks_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// planted is a program of the project, at path, that PATH includes by its
// first entry.
func planted(name, path, entry string, also effects) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: "is the first on PATH",
		Also: also,
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
	planted("a socat by a relative entry of PATH", "~/code/tracker/node_modules/.bin/socat", "./node_modules/.bin",
		noProgram),
	planted("a bwrap by an empty entry of PATH", "~/code/tracker/bwrap", "", noProgram),
	planted("a bwrap of a linked worktree on PATH", "~/code/tracker-fix/bin/bwrap", "~/code/tracker-fix/bin", noProgram),
	planted("an agent of the project on PATH", "~/code/tracker/node_modules/.bin/claude",
		"~/code/tracker/node_modules/.bin", nil),
	planted("a git of the project on PATH", "~/code/tracker/bin/git", "~/code/tracker/bin", nil),
	{Name: "a link on PATH includes a bwrap of the project", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: "~/bin/bwrap", Also: noProgram,
		Break: func(m *Machine) {
			m.write("~/code/tracker/tools/bwrap", "#!/bin/sh\nexit 0\n", 0o755)
			m.write("~/bin/x", "", 0o644)
			m.symlink(m.at("~/code/tracker/tools/bwrap"), "~/bin/bwrap")
			m.first(m.at("~/bin"))
		}},
	{Name: "a program of the user's is a symlink into the project", Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/.local/bin/x", Break: func(m *Machine) { m.symlink("../../code/tracker/tools/x", "~/.local/bin/x") }},
	{Name: "an activated .venv, into which commands may write", Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/code/tracker/.venv/bin",
		Break: func(m *Machine) { activate(m) }},
	{Name: "a directory on PATH that is not there yet", Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/code/tracker/node_modules/.bin",
		Break: func(m *Machine) { m.first("node_modules/.bin") }},
	{Name: "allowWrite of a directory that is first on PATH", Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/tools/bin",
		Break: func(m *Machine) {
			m.add(projectFile, allowWrite, "~/tools/")
			m.write("~/tools/bin/x", "", 0o644)
			m.first(m.at("~/tools/bin"))
		}},
	{Name: "a package of the project brings its own rg", Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/code/tracker/node_modules/.bin/rg",
		Break: func(m *Machine) {
			m.write("~/code/tracker/node_modules/.bin/rg", "#!/bin/sh\n", 0o755)
			m.first(m.at("~/code/tracker/node_modules/.bin"))
		}},
}

// lastOnPath is an entry behind all others of PATH; DIR stands for the project.
func lastOnPath(name, entry, where string) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Warn, Where: where,
		Break: func(m *Machine) {
			m.Env["PATH"] = m.host().System().Get("PATH") + ":" + strings.ReplaceAll(entry, "DIR", m.at("~/code/tracker"))
		}}
}

// lastFaults are such entries, and what start files make of them.
var lastFaults = []Fault{
	lastOnPath("PATH ends in an empty entry", "", "~/code/tracker"),
	lastOnPath("PATH ends in a relative entry", "./node_modules/.bin", "~/code/tracker/node_modules/.bin"),
	lastOnPath("PATH ends in a directory of the project", "DIR/bin", "Commands can put pdftoppm there"),
	{Name: "PATH ends in a directory of the project, and what a session starts is installed", Breaks: "policy-invariants",
		Want: report.Warn, Where: "wherever that name is not installed",
		Break: func(m *Machine) {
			for _, name := range []string{"pdfinfo", "pdftoppm"} {
				m.write("~/tools/"+name, "#!/bin/sh\n", 0o755)
			}
			m.Env["PATH"] = m.host().System().Get("PATH") + ":" + m.at("~/tools") + ":" + m.at("~/code/tracker/bin")
		}},
	rcFault("an rc file puts the working directory last on PATH", "~/.bashrc", "export PATH=$PATH:.", "", report.Warn),
	rcFault("an rc file puts an empty entry last on PATH", "~/.bashrc", `export PATH="$PATH:$HOME/bin:"`, "", report.Warn),
	rcFault("an rc file puts a directory of the project last on PATH", "~/.bashrc", "PATH=${PATH}:~/code/tracker/bin", "",
		report.Warn),
	rcFault("an rc file makes an empty entry of PYTHONPATH", "~/.bashrc", "export PYTHONPATH=$PYTHONPATH:/opt/x", "",
		report.Warn),
	inShell(&zshSetup, rcFault("zsh's path ends in the working directory", "~/.zshrc", "path=($path .)", "", report.Warn)),
	rcFault("an rc file appends an empty entry to PATH", "~/.bashrc", `PATH+=":$HOME/bin:"`, "", report.Warn),
	rcFault("an rc file appends the working directory to PATH behind what a command prints", "~/.bashrc",
		`PATH="$(printf %s "$PATH" | (cat)):."`, "", report.Warn),
	inShell(&zshSetup, rcFault("zsh's path gets the working directory", "~/.zshrc", "path+=(.)", "", report.Warn)),
	inShell(&zshSetup, rcFault("zsh's path gets a directory of the project as a word", "~/.zshrc", "path+=./bin", "",
		report.Warn)),
	inShell(&fishSetup, rcFault("fish's PATH ends in the working directory", "~/.config/fish/config.fish",
		"set -gx PATH $PATH .", "", report.Warn)),
	{Name: "a hook starts what is not installed, and PATH ends in an empty entry", Breaks: "policy-invariants",
		Want: report.Warn, Where: userFile + "#notfound-fmt",
		Break: func(m *Machine) {
			m.Env["PATH"] = m.host().System().Get("PATH") + ":"
			m.userHook("notfound-fmt --all")
		}},
	{Name: "a hook starts a file of the project by its name, and PATH ends in an empty entry", Breaks: "policy-invariants",
		Want: report.Fail, Voids: true, Where: userFile + "#notfound-fmt",
		Break: func(m *Machine) {
			m.Env["PATH"] = m.host().System().Get("PATH") + ":"
			m.write("~/code/tracker/notfound-fmt", "#!/bin/sh\n", 0o755)
			m.userHook("notfound-fmt --all")
		}},
	{Name: "PYTHONPATH has an empty entry", Breaks: "policy-invariants", Want: report.Warn, Where: "~/code/tracker",
		Break: func(m *Machine) { m.Env["PYTHONPATH"] = ":/opt/x" }},
}

// TestClaudeIsoSearchesNothingOfTheProject: of what lies last on PATH, claude-iso
// drops the project's own.
func TestClaudeIsoSearchesNothingOfTheProject(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for _, f := range lastFaults {
		if f.On != nil || strings.HasPrefix(f.Where, "~/.bashrc") {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			m := copyOf(t, healthy)
			f.Break(m)
			finding := m.judged(f.Breaks)
			if l := finding.Launches; len(l) != 2 || l[0].Status != f.Want || l[1].Status != report.Pass {
				t.Errorf("judged for the launches as %+v", l)
			}
		})
	}
}

// ownPaths are searched in the order that users want, with nothing of a project
// in them.
var ownPaths = strings.TrimPrefix(`
PATH=$HOME/bin:$PATH
PATH="${HOME}/.local/bin${PATH:+:${PATH}}"
PATH=$(brew --prefix)/bin:$PATH
PATH+=":$HOME/bin"
export PATH+=:/opt/x/bin
PATH=$(printf %s "$PATH" | awk -v RS=: '!a[$1]++ { if (NR > 1) printf RS; printf $1 }')
PATH="$(echo "$PATH" | tr ':' '\n' | (grep -v "(x)" || true) | paste -sd:)"
export PYTHONPATH=/opt/x${PYTHONPATH:+:$PYTHONPATH}
export LD_LIBRARY_PATH="/opt/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
`, "\n")

// TestClaudeIsoIsNotLedIntoTheProject: what PATH finds in the project is held
// against the plain launch alone, as is what could be put there; a link of the
// user's own that leads there concerns both.
func TestClaudeIsoIsNotLedIntoTheProject(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for _, f := range searchFaults {
		t.Run(f.Name, func(t *testing.T) {
			m := copyOf(t, healthy)
			f.Break(m)
			m.approve()
			finding := m.judged(f.Breaks)
			both := f.Name == "a link on PATH includes a bwrap of the project" ||
				f.Name == "a program of the user's is a symlink into the project" ||
				f.Name == "allowWrite of a directory that is first on PATH"
			apart := len(finding.Launches) == 2 && finding.Launches[0].Status == f.Want &&
				finding.Launches[1].Status == report.Pass
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
