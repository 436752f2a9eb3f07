// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is said of an agent that does not start, and of what a
// framework left on the machine.

package checks_test

import (
	"encoding/binary"
	"os"

	"github.com/steward-setup/steward-setup/internal/report"
)

// idle are the effects of an agent that does not start.
var idle = effects{
	"effective-sandbox":  {report.Unknown, "what its settings say was never in force"},
	"runtime-advisories": {report.Unknown, "no version, no answer"},
}

// foreignELF is the head of an executable for a processor that no test has.
func foreignELF() string {
	head := make([]byte, 64)
	copy(head, "\x7fELF\x02\x01\x01")
	for at, v := range map[int]uint16{16: 2, 18: 22 /* s390 */, 20: 1, 52: 64} {
		binary.LittleEndian.PutUint16(head[at:], v)
	}
	return string(head)
}

var startFaults = []Fault{
	{Name: "claude is npm's placeholder", Breaks: "tools-pinned", Want: report.Fail, Where: "could not be started",
		Also: idle,
		Break: func(m *Machine) {
			m.write(m.dir+"/bin/claude", "echo \"Error: claude native binary not installed.\" >&2\nexit 1\n", 0o755)
		}},
	{Name: "claude's launcher finds no native binary", Breaks: "tools-pinned", Want: report.Fail,
		Where: "native binary not installed", Also: idle,
		Break: func(m *Machine) {
			m.write(m.dir+"/bin/claude", "#!/bin/sh\necho \"Error: claude native binary not installed.\" >&2\nexit 1\n", 0o755)
		}},
	{Name: "claude is built for another processor", Breaks: "tools-pinned", Want: report.Fail,
		Where: "another platform: s390", Also: idle,
		Break: func(m *Machine) { m.write(m.dir+"/bin/claude", foreignELF(), 0o755) }},
	{Name: "claude's interpreter is not there", Breaks: "tools-pinned", Want: report.Fail, Where: "interpreter or loader",
		Also:  idle,
		Break: func(m *Machine) { m.write(m.dir+"/bin/claude", "#!/nowhere/node\n", 0o755) }},
	{Name: "claude is empty", Breaks: "tools-pinned", Want: report.Fail, Where: "it is empty", Also: idle,
		Break: func(m *Machine) { m.write(m.dir+"/bin/claude", "", 0o755) }},
	{Name: "claude is not executable", Breaks: "tools-pinned", Want: report.Fail,
		Where: "it is not executable (mode 0644)", Also: idle,
		Break: func(m *Machine) { m.write(m.dir+"/bin/claude", "#!/bin/sh\necho 2.1.329\n", 0o644) }},
	{Name: "claude is a symlink that leads nowhere", Breaks: "tools-pinned", Want: report.Fail,
		Where: "which does not exist", Also: idle,
		Break: func(m *Machine) {
			target, err := os.Readlink(m.dir + "/bin/claude")
			if err == nil { // npm's
				m.remove(target)
				return
			}
			_ = os.Remove(m.dir + "/bin/claude")
			m.symlink("/opt/gone/claude", m.dir+"/bin/claude")
		}},
	{Name: "claude prints no version", Breaks: "tools-pinned", Want: report.Fail, Where: "claude --version", Also: idle,
		Break: func(m *Machine) { m.write(m.dir+"/bin/claude", "#!/bin/sh\necho hello\n", 0o755) }},
	{Name: "claude prints nothing", Breaks: "tools-pinned", Want: report.Fail, Where: "exit code 0, no output", Also: idle,
		Break: func(m *Machine) { m.write(m.dir+"/bin/claude", "#!/bin/sh\n", 0o755) }},
	{Name: "claude ends with an error", Breaks: "tools-pinned", Want: report.Fail, Where: "Illegal instruction",
		Also: idle,
		Break: func(m *Machine) {
			m.write(m.dir+"/bin/claude", "#!/bin/sh\necho Illegal instruction\nexit 132\n", 0o755)
		}},
}

// agentIso is a wrapper as the framework has it, in small: its heading, the
// words that only zsh splits, the functions behind a condition.
const agentIso = `#!/usr/bin/env bash
# Licensed to the Apache Software Foundation (ASF) under one
# or more contributor license agreements.
#
# agent-iso.sh - launch an agent CLI with a clean environment.
agent_iso_run() {
  if [[ -n "${ZSH_VERSION-}" ]]; then
    names=(${=NAMES})
  fi
  env -i HOME="$HOME" PATH="$PATH" "$@"
}
if [[ "${BASH_SOURCE[0]}" != "${0}" ]]; then
  claude-iso() { agent_iso_run claude "$@"; }
fi
`

// dispatcher is a hook in a shared directory that runs the repository's own.
const dispatcher = `#!/bin/sh
name=$(basename "$0")
[ "$name" = post-checkout ] && "$HOME/.claude/scripts/sandbox-add-project-root.sh"
own="$(git rev-parse --git-common-dir)/hooks/$name"
[ -x "$own" ] && exec "$own" "$@"
exit 0
`

// sourcesFramework makes an rc file source the framework's wrapper.
func sourcesFramework(m *Machine, rc string) {
	m.write("~/magpie/tools/agent-isolation/agent-iso.sh", agentIso, 0o644)
	m.write(rc, ". ~/magpie/tools/agent-isolation/agent-iso.sh\n", 0o644)
}

var wrapperOfFramework = map[report.ID]string{
	"clean-env": "the framework's claude-iso does not start steward-setup iso",
}

// healthyFrames are machines with what a framework left on them.
var healthyFrames = []Variant{
	{Name: "the framework's agent-iso.sh in bash", Warns: wrapperOfFramework, Setup: on(func(s *setup) {
		s.after = func(m *Machine) { sourcesFramework(m, "~/.bashrc") }
	})},
	{Name: "the framework's agent-iso.sh in zsh", Warns: wrapperOfFramework, Setup: on(func(s *setup) {
		s.env = map[string]string{"SHELL": "/usr/bin/zsh"}
		s.after = func(m *Machine) { sourcesFramework(m, "~/.zshrc") }
	})},
	{Name: "a status line that is not wired was deleted", Setup: on(func(s *setup) {
		s.after = func(m *Machine) { m.remove("~/.claude/scripts/sandbox-status-line-rich.sh") }
	})},
	{Name: "a dispatcher under a global core.hooksPath adds roots and runs the repository's hooks",
		Setup: on(func(s *setup) {
			s.after = func(m *Machine) {
				m.write("~/.githooks/dispatch", dispatcher, 0o755)
				for _, name := range []string{"post-checkout", "pre-commit"} {
					m.symlink("dispatch", "~/.githooks/"+name)
				}
				m.write("~/code/tracker/.git/hooks/pre-commit", "#!/bin/sh\n", 0o755)
				m.write("~/.gitconfig", m.read("~/.gitconfig")+"[core]\n\thooksPath = ~/.githooks\n", 0o644)
			}
		})},
}
