// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what opens a path to commands without being called so, and
// what a command could then change that runs outside.

package checks_test

import "github.com/steward-setup/steward-setup/internal/report"

// overrides is an rc file in which a line has the last word on claude-iso.
func overrides(what, before, after, text string, want report.Status) Fault {
	return Fault{Name: what, Breaks: "clean-env", Want: want, Where: "~/.bashrc#" + text,
		Break: func(m *Machine) { m.write("~/.bashrc", before+m.read("~/.bashrc")+after, 0o644) }}
}

var overrideFaults = []Fault{
	overrides("claude-iso is taken away again", "", "unset -f claude-iso\n", "unset -f", report.Fail),
	overrides("claude-iso is defined anew", "", "claude-iso() { command claude \"$@\"; }\n", "claude-iso()", report.Warn),
	overrides("claude-iso is an alias of the plain claude", "alias claude-iso=claude\n", "", "alias", report.Fail),
	overrides("the rc file ends before the line", "return\n", "", "return", report.Fail),
	overrides("the shell ends before the line", "exit 0\n", "", "exit", report.Fail),
}

const (
	allowRules  = "permissions.allow"
	directories = "permissions.additionalDirectories"
)

// beside puts a file there first.
func (f Fault) beside(name string) Fault {
	seed := f.Break
	f.Break = func(m *Machine) {
		m.write(name, "", 0o644)
		seed(m)
	}
	return f
}

// openedBy is a value in a settings file that opens a path to commands.
func openedBy(name, file, key, value string, want report.Status, voids bool) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: want, Voids: voids, Where: file + `#"` + value + `"`,
		Break: func(m *Machine) { m.add(file, key, value) }}
}

// callsMissing is a hook of the user's own that calls a file in the project
// that is not there: a command could put it there.
func callsMissing(what, command string) Fault {
	return Fault{Name: what, Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: userFile + `#"` + command,
		Break: func(m *Machine) {
			m.add(userFile, "hooks.SessionStart",
				map[string]any{"hooks": []any{map[string]any{"type": "command", "command": command}}})
		}}
}

var openFaults = []Fault{
	callsMissing("a hook in the project that is not there", "~/code/tracker/hook.sh"),
	callsMissing("a script in the project that is not there", "python3 ~/code/tracker/hook.py"),
	openedBy("allowWrite of the approvals", projectFile, allowWrite, "~/.local/state/steward-setup", report.Fail, true),
	openedBy("allowWrite of the pins", projectFile, allowWrite, "~/.config/steward-setup", report.Fail, true),
	openedBy("allowWrite of programs of the machine", projectFile, allowWrite, "/usr/local/bin", report.Fail, true),
	openedBy("allowWrite of the configuration of the machine", projectFile, allowWrite, "/etc", report.Fail, true),
	openedBy("allowWrite of what the editor runs", projectFile, allowWrite, "~/.vscode", report.Fail, true),
	openedBy("allowRead of a browser's passwords", projectFile, allowRead, "~/.mozilla", report.Fail, true),
	openedBy("a rule opens the shell's start", userFile, allowRules, "Edit(~/.bashrc)", report.Fail, true),
	openedBy("a rule opens the home", localFile, allowRules, "Edit(~/**)", report.Fail, true),
	openedBy("a rule opens the hook scripts by a path of the user's settings, another keeps them", userFile, allowRules,
		"Edit(/scripts/**)", report.Warn, false),
	openedBy("a rule opens a path of the user's settings", userFile, allowRules, "Edit(/agents/**)", report.Fail, true),
	openedBy("a rule of the project opens where our program lies", projectFile, allowRules, "Edit(~/.local/bin/**)",
		report.Fail, true),
	openedBy("a rule opens what may not be read", userFile, allowRules, "Edit(~/notes/**)", report.Warn,
		false).beside("~/notes/today.txt"),
	openedBy("a rule approves what it does not open", userFile, allowRules, "Write(~/.bashrc)", report.Warn, false),
	openedBy("an additional directory is the home", userFile, directories, "~/", report.Fail, true),
	openedBy("an additional directory holds programs on PATH", localFile, directories, "~/.local/bin", report.Fail, true),
	openedBy("an additional directory", localFile, directories, "~/notes", report.Warn, false),
	{Name: "an additional directory is a link to the home", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: userFile + `#"~/all"`,
		Break: func(m *Machine) {
			m.symlink(m.Home, "~/all")
			m.add(userFile, directories, "~/all")
		}},
}
