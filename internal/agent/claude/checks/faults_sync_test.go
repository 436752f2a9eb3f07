// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the sync repository is a real one, and every way in which
// commands could change it, or what leads to it, is seen.

package checks_test

import (
	"github.com/steward-setup/steward-setup/internal/report"
)

// withSync is the usual machine with a sync repository, linked from here.
var withSync = on(func(s *setup) {
	s.before = func(m *Machine) {
		m.write("~/.claude-config/memory/code-p/MEMORY.md", "notes\n", 0o644)
		m.write("~/.claude-config/bin/tool", "#!/bin/sh\n", 0o755)
		m.git(m.at("~/.claude-config"), "init", "--quiet")
		m.symlink(m.at("~/.claude-config/memory/code-p"), "~/.claude/projects/-x/memory")
		m.symlink(m.at("~/.claude-config/bin/tool"), "~/.local/bin/tool")
	}
})

const syncWrite = "sandbox.filesystem.allowWrite"

var syncFaults = []Fault{
	{Name: "commands may write a part of the sync repository", On: &withSync, Breaks: "sync", Want: report.Fail,
		Voids: true, Where: "~/.claude-config/memory",
		Also:  effects{"policy-invariants": {report.Fail, "sessions send the notes there to the model"}},
		Break: func(m *Machine) { m.add(userFile, syncWrite, "~/.claude-config/memory") }},
	{Name: "commands may write the whole sync repository", On: &withSync, Breaks: "sync", Want: report.Fail, Voids: true,
		Where: "~/.claude-config",
		Also: effects{"policy-invariants": {report.Fail,
			"it is another repository, whose git hooks run outside the sandbox"}},
		Break: func(m *Machine) { m.add(userFile, syncWrite, "~/.claude-config") }},
	{Name: "commands may replace a symlink into the sync repository", On: &withSync, Breaks: "sync", Want: report.Fail,
		Voids: true, Where: "~/.claude/projects/-x",
		Also:  effects{"policy-invariants": {report.Fail, "the transcripts of every project lie there"}},
		Break: func(m *Machine) { m.add(userFile, syncWrite, "~/.claude/projects/-x") }},
	{Name: "the sync repository lies in the project", On: &withSync, Breaks: "sync", Want: report.Fail, Voids: true,
		Where: "~/.claude-config",
		Also:  effects{"policy-invariants": {report.Fail, "sessions send the notes there to the model"}},
		Break: func(m *Machine) { m.moveTo("~/.claude-config", m.Project+"/config") }},
	{Name: "a credential is tracked in the sync repository", On: &withSync, Breaks: "sync", Want: report.Fail,
		Where: ".credentials.json",
		Break: func(m *Machine) { m.track(".credentials.json") }},
	{Name: "three files that must not be are tracked in the sync repository", On: &withSync, Breaks: "sync",
		Want: report.Fail, Where: "settings.json",
		Break: func(m *Machine) { m.track(".credentials.json", "settings.json", "a.pem") }},
	{Name: "the tracked files of the sync repository cannot be listed", On: &withSync, Breaks: "sync",
		Want: report.Unknown, Where: "filter.x.clean",
		Break: func(m *Machine) {
			m.track(".credentials.json", "settings.json", "a.pem")
			m.git(m.at("~/.claude-config"), "config", "filter.x.clean", "cat")
		}},
	{Name: "two symlinks into the sync repository lead nowhere", On: &withSync, Breaks: "sync", Want: report.Warn,
		Where: "~/.local/bin/tool",
		Break: func(m *Machine) {
			for _, name := range []string{"bin/tool", "memory/code-p/MEMORY.md", "memory/code-p"} {
				m.remove("~/.claude-config/" + name)
			}
		}},
	{Name: "a symlink into the sync repository leads nowhere", On: &withSync, Breaks: "sync", Want: report.Warn,
		Where: "~/.local/bin/tool",
		Break: func(m *Machine) { m.remove("~/.claude-config/bin/tool") }},
}

// track stages files of the sync repository that it must never hold.
func (m *Machine) track(names ...string) {
	for _, name := range names {
		m.write("~/.claude-config/"+name, "{}\n", 0o600)
	}
	m.git(m.at("~/.claude-config"), append([]string{"add", "-f"}, names...)...)
}
