// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the shim of a version manager is named where files of the
// project may choose another program, and nowhere else.

package checks_test

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// shims puts the files of version managers on a machine.
func (m *Machine) shims() {
	const exec = "#!/usr/bin/env bash\n# asdf-plugin: nodejs 22.1.0\nexec "
	m.write("~/.asdf/bin/asdf", "#!/usr/bin/env bash\n", 0o755)
	m.write("~/.asdf/shims/node", exec+m.at("~/.asdf/bin/asdf")+` exec "node" "$@" # asdf_allow: ' asdf '`+"\n", 0o755)
	m.write("~/.local/bin/asdf", "\x7fELF", 0o755)
	m.write("~/newer/node", exec+m.at("~/.local/bin/asdf")+` exec "node" "$@"`+"\n", 0o755)
	m.write("~/.local/bin/mise", "\x7fELF", 0o755)
	m.write("~/tools/mise/shims/x", "", 0o644)
	m.symlink(m.at("~/.local/bin/mise"), "~/tools/mise/shims/python")
	m.write("~/.volta/bin/note", "\x7fELF", 0o755)
	m.write("~/.proto/shims/note", "\x7fELF", 0o755)
	m.write("~/.jenv/shims/note", "\x7fELF", 0o755)
	for _, name := range []string{"pyenv", "rbenv", "nodenv", "goenv"} {
		m.write("~/."+name+"/shims/note", "#!/usr/bin/env bash\nset -e\nprogram=\"${0##*/}\"\nexec \""+
			m.at("~/."+name+"/bin/"+name)+"\" exec \"$program\" \"$@\"\n", 0o755)
	}
	m.write("~/srv/x.js", "#!"+m.at("~/.asdf/shims/node")+"\n", 0o755)
}

// shimmed is a hook of the user's own that a shim starts.
func shimmed(command string) Fault {
	f := startsFault(command)
	f.Want, f.Voids = report.Warn, false
	f.Break = func(m *Machine) {
		m.shims()
		m.userHook(command)
	}
	return f
}

// shimServer is an MCP server that a shim starts.
func shimServer() Fault {
	f := server("a shim of asdf", `"command": "HOME/.asdf/shims/node", "args": ["HOME/srv/x.js"]`, report.Warn)
	put := f.Break
	f.Break = func(m *Machine) {
		m.shims()
		put(m)
	}
	return f
}

var shimFaults = append(each(shimmed, "~/.asdf/shims/node ~/srv/x.js", "~/tools/mise/shims/python ~/srv/x.py",
	"~/.volta/bin/note", "timeout 5 ~/.proto/shims/note", "~/.jenv/shims/note", "~/srv/x.js"),
	shimServer(),
	Fault{Name: "a hook's program is found on PATH as a shim", Breaks: "policy-invariants", Want: report.Warn,
		Where: userFile + `#"Stop"#command`,
		Break: func(m *Machine) {
			m.shims()
			m.Env["PATH"] = m.at("~/.asdf/shims") + ":" + m.host().System().Get("PATH")
			m.userHook("node ~/srv/y.js")
		}},
	Fault{Name: "a program that every session starts is a shim", Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/tools/mise/shims/ps",
		Break: func(m *Machine) {
			m.shims()
			m.symlink(m.at("~/.local/bin/mise"), "~/tools/mise/shims/ps")
			m.Env["PATH"] = m.at("~/tools/mise/shims") + ":" + m.host().System().Get("PATH")
		}})

// choosingShims take installed versions alone, or run elsewhere.
var choosingShims = on(func(s *setup) {
	s.after = func(m *Machine) {
		m.shims()
		for _, command := range strings.Split("~/.pyenv/shims/note|~/.rbenv/shims/note|~/.nodenv/shims/note|"+
			"~/.goenv/shims/note|~/newer/node ~/srv/y.js|cd / && ~/.asdf/shims/node ~/srv/y.js", "|") {
			m.userHook(command)
		}
	}
})
