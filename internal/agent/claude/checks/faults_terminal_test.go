// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what only a session on a terminal shows is a fault like
// any other, in the launch that it is in.

package checks_test

import (
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// withoutAutoModeKey takes the key that switches auto mode off out of the
// project's policy. claude-iso sets it itself.
func (m *Machine) withoutAutoModeKey() {
	m.edit(projectFile, func(d doc) {
		delete(d.get("permissions").(map[string]any), "disableAutoMode")
	})
}

var terminalFaults = []liveFault{
	{"auto mode is not switched off", "denials", report.Fail,
		"claude in the project, on a terminal: the agent reads ~/notes/private.txt, which no rule names, with the Read tool",
		[]string{verify.PlainTerminal},
		(*Machine).withoutAutoModeKey},
	{"in auto mode a call names its own host", "denials", report.Fail, "succeeded: reaches a host that is not allowed " +
		"by naming it in the call",
		[]string{verify.PlainTerminal}, (*Machine).withoutAutoModeKey},
	{"a rule is misspelt, about which the runtime asks you first", "denials", report.Unknown,
		"permissions.allow.0 is wrong", []string{verify.PlainTerminal},
		func(m *Machine) { m.add(userFile, "permissions.allow", "Bash(:*") }},
	{"the Read tool is allowed everywhere", "denials", report.Fail, "succeeded: reads ~/notes/private.txt",
		[]string{verify.PlainTerminal},
		func(m *Machine) { m.add(userFile, "permissions.allow", "Read") }},
}
