// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is said of an agent that does not start, and of what a
// framework left on the machine.

package verify_test

import (
	"encoding/binary"

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
	{Name: "claude is npm's placeholder", Breaks: "tools-pinned", Want: report.Fail, Where: "could not be started", Also: idle,
		Break: func(m *Machine) {
			m.write(m.dir+"/bin/claude", "echo \"Error: claude native binary not installed.\" >&2\nexit 1\n", 0o755)
		}},
	{Name: "claude's launcher finds no native binary", Breaks: "tools-pinned", Want: report.Fail, Where: "native binary not installed", Also: idle,
		Break: func(m *Machine) {
			m.write(m.dir+"/bin/claude", "#!/bin/sh\necho \"Error: claude native binary not installed.\" >&2\nexit 1\n", 0o755)
		}},
	{Name: "claude is built for another processor", Breaks: "tools-pinned", Want: report.Fail, Where: "another platform: s390", Also: idle,
		Break: func(m *Machine) { m.write(m.dir+"/bin/claude", foreignELF(), 0o755) }},
	{Name: "claude's interpreter is not there", Breaks: "tools-pinned", Want: report.Fail, Where: "interpreter or loader", Also: idle,
		Break: func(m *Machine) { m.write(m.dir+"/bin/claude", "#!/nowhere/node\n", 0o755) }},
	{Name: "claude is empty", Breaks: "tools-pinned", Want: report.Fail, Where: "it is empty", Also: idle,
		Break: func(m *Machine) { m.write(m.dir+"/bin/claude", "", 0o755) }},
	{Name: "claude ends with an error", Breaks: "tools-pinned", Want: report.Fail, Where: "Illegal instruction", Also: idle,
		Break: func(m *Machine) {
			m.write(m.dir+"/bin/claude", "#!/bin/sh\necho Illegal instruction\nexit 132\n", 0o755)
		}},
}
