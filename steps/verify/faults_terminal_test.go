// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what only a session on a terminal shows is a fault like
// any other, in the launch that it is in.

package verify_test

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// The keys that keep auto mode and reads outside of the project from deciding
// in place of a person.
const (
	noAutoMode = "permissions.disableAutoMode"
	noOutside  = "permissions.blockReadsOutsideWorkingDirectories"
)

// asksPeople sets both keys for both launches.
func (m *Machine) asksPeople() {
	m.set(userFile, noAutoMode, "disable")
	m.set(userFile, noOutside, true)
}

// withoutKeys takes keys of permissions out of every settings file.
func (m *Machine) withoutKeys(keys ...string) {
	for _, file := range []string{userFile, projectFile} {
		m.edit(file, func(d doc) {
			for _, key := range keys {
				if permissions, ok := d.get("permissions").(map[string]any); ok {
					delete(permissions, strings.TrimPrefix(key, "permissions."))
				}
			}
		})
	}
}

var terminalFaults = []liveFault{
	{"neither auto mode nor reads outside are switched off", "denials", report.Fail,
		"claude in the project, on a terminal: a command reads ~/notes/private.txt, which no rule names, with the Read tool", []string{verify.PlainTerminal},
		func(m *Machine) { m.withoutKeys(noAutoMode, noOutside) }},
	{"the same with claude-iso", "denials", report.Fail,
		"claude-iso in the project, on a terminal: a command reads ~/notes/private.txt, which no rule names, with the Read tool", []string{verify.IsoTerminal},
		func(m *Machine) { m.withoutKeys(noAutoMode, noOutside) }},
	{"auto mode is not switched off", "denials", report.Fail, "got through: reaches a host that is not allowed by naming it in the call", []string{verify.PlainTerminal},
		func(m *Machine) { m.withoutKeys(noAutoMode) }},
	{"the Read tool is allowed everywhere", "denials", report.Fail, "got through: reads ~/notes/private.txt", []string{verify.PlainTerminal},
		func(m *Machine) { m.withoutKeys(noOutside); m.add(userFile, "permissions.allow", "Read") }},
}
