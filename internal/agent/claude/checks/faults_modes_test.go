// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what lets the agent act without a person is found in the
// scope that it counts in, and only where nothing closes it.

package checks_test

import "github.com/steward-setup/steward-setup/internal/report"

var modeFaults = []Fault{
	{Name: "the policy is of a time before auto mode", Breaks: "project-settings", Want: report.Fail,
		Where: "permissions.disableAutoMode",
		Break: func(m *Machine) { m.unset(projectFile, "permissions.disableAutoMode") }},
	{Name: "sessions start in auto mode, which nothing closes", Breaks: "project-settings", Want: report.Fail,
		Where: "permissions.disableAutoMode",
		Also:  effects{"policy-invariants": isOpen},
		Break: func(m *Machine) {
			m.unset(projectFile, "permissions.disableAutoMode")
			m.set(userFile, "permissions.defaultMode", "auto")
		}},
	{Name: "the policy lets commands change .claude itself", Breaks: "project-settings", Want: report.Warn,
		Where: "no entry ./.claude in sandbox.filesystem.denyWrite", Break: keepNothing},
	{Name: "the policy lets commands change .claude itself, and your settings only switch the sandbox on",
		Breaks: "project-settings", Want: report.Warn, Where: "no entry ./.claude in sandbox.filesystem.denyWrite",
		Break: func(m *Machine) {
			keepNothing(m)
			m.set(userFile, "sandbox.enabled", true)
		}},
	{Name: "strictAllowlist voids a host of the project's", Breaks: "effective-sandbox", Want: report.Warn,
		Where: projectFile + `#"docs.example.org"`,
		Break: func(m *Machine) {
			m.set(userFile, "sandbox.network.strictAllowlist", true)
			m.add(projectFile, "sandbox.network.allowedDomains", "docs.example.org")
		}},
	{Name: "sessions start in acceptEdits", Breaks: "policy-invariants", Want: report.Warn, Where: userFile +
		`#"acceptEdits"`,
		Break: func(m *Machine) { m.set(userFile, "permissions.defaultMode", "acceptEdits") }},
	openedBy("a rule approves the Read tool for every file", userFile, allowRules, "Read", report.Fail, false),
	openedBy("a rule of the project's approves the Read tool for every file", projectFile, allowRules, "Read", report.Fail,
		false),
	openedBy("a rule approves reading the whole machine", localFile, allowRules, "Read(//**)", report.Fail, false),
	openedBy("a rule approves reading the whole home", userFile, allowRules, "Read(~/**)", report.Fail, false),
	openedBy("a rule approves reading one directory of the home", userFile, allowRules, "Read(~/notes/**)", report.Warn,
		false),
	openedBy("a rule approves the Write tool for every file", userFile, allowRules, "Write", report.Fail, false),
	openedBy("a rule approves the Edit tool for every file", localFile, allowRules, "Edit", report.Fail, false),
}
