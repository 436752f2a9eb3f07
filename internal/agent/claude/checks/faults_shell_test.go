// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that is called by its name is the file that its
// symlinks lead to, and a start file that is not there yet counts as soon as a
// command could create it.

package checks_test

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/report"
)

// linked is a fault with a program on PATH that is a symlink into the project;
// there says whether its target exists.
func linked(f Fault, there bool) Fault {
	seed := f.Break
	f.Break = func(m *Machine) {
		if there {
			m.write("~/code/tracker/bin/mytool", "#!/bin/sh\n", 0o755)
			m.write("~/code/tracker/other/othertool", "#!/bin/sh\n", 0o755)
		}
		m.symlink(m.at("~/code/tracker/bin/mytool"), "~/.tools/mytool")
		m.Env["PATH"] = m.host().System().Get("PATH") + ":" + m.at("~/.tools")
		seed(m)
	}
	return f
}

// appears is a fault with a symlink to a file of the project that is not there.
func appears(name, link string) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: link,
		Break: func(m *Machine) {
			m.write(filepath.Dir(link)+"/.keep", "", 0o644)
			m.symlink(m.at("~/code/tracker/later"), link)
		}}
}

var shellFileFaults = []Fault{
	linked(rcFault("an rc file evaluates what a program prints that is a symlink into the project", "~/.bashrc",
		`eval "$(mytool init bash)"`, "", report.Fail), true),
	linked(rcFault("an rc file runs a program whose symlink leads to no file of the project yet", "~/.bashrc",
		`eval "$(mytool init bash)"`, "", report.Fail), false),
	linked(rcFault("an alias puts a symlink into the project in the place of ls", "~/.bashrc", "alias ls=mytool", "",
		report.Fail), true),
	linked(rcFault("an rc file runs a program that is found in a directory of the project, last on PATH", "~/.bashrc",
		`export PATH="$PATH:$HOME/code/tracker/other"; eval "$(othertool init)"`, "", report.Fail), true),
	linked(Fault{Name: "a hook runs a program that is a symlink into the project", Breaks: "policy-invariants",
		Want: report.Fail, Voids: true, Where: userFile,
		Break: func(m *Machine) { m.userHook("mytool log") }}, true),
	linked(Fault{Name: "a hook runs a program whose symlink leads to no file of the project yet",
		Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: userFile,
		Break: func(m *Machine) { m.userHook("mytool log") }}, false),
	linked(Fault{Name: "git's credential helper is a symlink into the project", Breaks: "policy-invariants",
		Want: report.Fail, Where: "~/.gitconfig#helper",
		Break: func(m *Machine) {
			m.symlink(m.at("~/code/tracker/bin/mytool"), "~/.tools/git-credential-mine")
			m.write("~/.gitconfig", m.readOr("~/.gitconfig")+"[credential]\n\thelper = mine --all\n", 0o644)
		}}, true),
	{Name: "a file that an rc file sources by a pattern of directories sources one of the project",
		Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: "~/.parts/work/env.sh",
		Break: func(m *Machine) {
			m.write("~/.parts/work/env.sh", ". ~/code/tracker/env.sh\n", 0o644)
			m.write("~/.bashrc", m.read("~/.bashrc")+"for f in ~/.parts/*/env.sh; do . $f; done\n", 0o644)
		}},
	appears("bash's login file is a symlink to a file of the project that is not there", "~/.bash_profile"),
	inShell(&zshSetup, appears("zsh's login file is a symlink to a file of the project that is not there", "~/.zlogin")),
	inShell(&fishSetup, appears("a snippet of fish is a symlink to a file of the project that is not there",
		"~/.config/fish/conf.d/later.fish")),
	inShell(&fishSetup, appears("fish's prompt is a symlink to a file of the project that is not there",
		"~/.config/fish/functions/fish_prompt.fish")),
	inShell(&fishSetup, appears("a completion of fish is a symlink to a file of the project that is not there",
		"~/.config/fish/completions/git.fish")),
	appears("a completion of bash is a symlink to a file of the project that is not there",
		"~/.local/share/bash-completion/completions/git"),
	rcFault("bash's own completions source a file of the project", "~/.bash_completion", ". ~/code/tracker/env.sh", "",
		report.Fail),
	inShell(&fishSetup, Fault{Name: "fish's completions are a directory of the project", Breaks: "policy-invariants",
		Want: report.Fail, Voids: true, Where: "~/.config/fish/completions",
		Break: func(m *Machine) {
			m.write("~/.config/fish/.keep", "", 0o644)
			m.symlink(m.at("~/code/tracker/completions"), "~/.config/fish/completions")
		}}),
	inShell(&fishSetup, rcFault("fish's prompt sources a file of the project", "~/.config/fish/functions/fish_prompt.fish",
		"function fish_prompt; source ~/code/tracker/p.fish; end", "", report.Fail)),
	inShell(&fishSetup, rcFault("fish loads functions of the project", "~/.config/fish/config.fish",
		"set -p fish_function_path ~/code/tracker/functions", "", report.Fail)),
}
