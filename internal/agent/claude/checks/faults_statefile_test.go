// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime's own state sets and starts is judged, in
// the file that the runtime takes.

package checks_test

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

const (
	usualState = "~/.claude.json"
	otherState = "~/.claude/.config.json"
)

// keepsState writes the runtime's state, PROJECT in it the project.
func keepsState(name, text string) func(m *Machine) {
	return func(m *Machine) {
		m.write(usualState, "{}\n", 0o600)
		m.write(name, strings.ReplaceAll(text, "PROJECT", m.at("~/code/tracker")), 0o600)
	}
}

var stateFileFaults = []Fault{
	{Name: "the runtime's state sets BASH_ENV", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: usualState + "#\"BASH_ENV",
		Break: keepsState(usualState, "{\n \"numStartups\": 3,\n \"env\": {\n  \"BASH_ENV\": \"PROJECT/tools/x\"}}\n")},
	{Name: "the runtime's state sets EDITOR to a program of the project", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: usualState + "#\"EDITOR",
		Break: keepsState(usualState, "{\"env\": {\"EDITOR\": \"PROJECT/tools/edit\"}}\n")},
	{Name: "the runtime's state in .config.json sets EDITOR to a program of the project", Breaks: "policy-invariants",
		Want: report.Fail, Voids: true, Where: otherState + "#\"EDITOR",
		Break: keepsState(otherState, "{\"numStartups\": 3,\n \"env\": {\"EDITOR\": \"PROJECT/tools/edit\"}}\n")},
	{Name: "the runtime's state in .config.json has a server of the project", Breaks: "mcp-servers", Want: report.Fail,
		Voids: true, Where: otherState + "#\"s\"",
		Break: keepsState(otherState, "{\"mcpServers\": {\n \"s\": {\"command\": \"PROJECT/tools/x\"}}}\n")},
	{Name: "the runtime's state starts remote control", Breaks: "policy-invariants", Want: report.Warn, Where: usualState +
		"#remoteControl",
		Break: keepsState(usualState, "{\n \"remoteControlAtStartup\": true}\n")},
	{Name: "you allowed imports from outside the project", Breaks: "policy-invariants", Want: report.Warn,
		Where: usualState + "#hasClaudeMdExternalIncludesApproved",
		Break: keepsState(usualState, "{\"projects\": {\"PROJECT\": {\"hasTrustDialogAccepted\": true,\n"+
			"\"hasClaudeMdExternalIncludesApproved\": true}}}\n")},
}
