// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime's own state sets and starts is judged, in
// the file that the runtime takes.

package checks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
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
	{Name: "another project has its notes in the directory of this one's", Breaks: "policy-invariants", Want: report.Warn,
		Where: usualState + "#code-tracker", Break: func(m *Machine) {
			m.write("~/code-tracker/README.md", "x\n", 0o644)
			keepsState(usualState, "{\"projects\": {\"PROJECT\": {},\n\""+m.at("~/code-tracker")+"\": {}}}\n")(m)
		}},
	{Name: "another project has outputs of its commands in the directory of this one's, notes are off",
		Breaks: "policy-invariants", Want: report.Warn, Where: usualState + "#code-tracker", Break: func(m *Machine) {
			m.write("~/code-tracker/README.md", "x\n", 0o644)
			m.set(userFile, "autoMemoryEnabled", false)
			keepsState(usualState, "{\"projects\": {\"PROJECT\": {},\n\""+m.at("~/code-tracker")+"\": {}}}\n")(m)
		}},
	{Name: "you allowed imports from outside the project", Breaks: "policy-invariants", Want: report.Warn,
		Where: usualState + "#hasClaudeMdExternalIncludesApproved",
		Break: keepsState(usualState, "{\"projects\": {\"PROJECT\": {\"hasTrustDialogAccepted\": true,\n"+
			"\"hasClaudeMdExternalIncludesApproved\": true}}}\n")},
}

// TestNotesThatNobodyShares: projects with other names, and those that are gone, are not named.
func TestNotesThatNobodyShares(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, seed := range map[string]func(m *Machine, other string){
		"another name":     func(m *Machine, other string) { m.write(other+"s/x", "", 0o644) },
		"gone":             func(*Machine, string) {},
		"the same project": func(m *Machine, other string) { m.symlink(m.at("~/code/tracker"), other) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			seed(m, "~/code-tracker")
			keepsState(usualState, "{\"projects\": {\"PROJECT\": {}, \""+m.at("~/code-tracker")+"\": {}, \""+
				m.at("~/code-trackers")+"\": {}}}\n")(m)
			if f := m.judged("policy-invariants"); f.Status != report.Pass {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestOutputsThatOthersRead: of a start below the root the project is named that has its name,
// and of one at the root no project that has the name of a directory below it.
func TestOutputsThatOthersRead(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, usualSetup)
	m.write("~/code/tracker/api/x", "", 0o644)
	m.write("~/code/tracker-api/x", "", 0o644)
	keepsState(usualState, "{\"projects\": {\"PROJECT\": {}, \""+m.at("~/code/tracker-api")+"\": {}}}\n")(m)
	if f := m.judged("policy-invariants"); f.Status != report.Pass {
		t.Errorf("at the root: %+v", f)
	}
	m.Project += "/api"
	f := m.judged("policy-invariants")
	if !slices.ContainsFunc(f.Evidence, func(e report.Evidence) bool {
		return strings.Contains(e.Text, "outputs of commands of sessions started here and in "+m.at("~/code/tracker-api"))
	}) {
		t.Errorf("below the root: %+v", f)
	}
}
