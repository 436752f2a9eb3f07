// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a machine that attaches the files that a skill names is
// told so, for the launch that does, and one that does not is left alone.

package checks_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

const mentionsKey = "env." + claude.MentionsVariable

var mentionFaults = []Fault{
	{Name: "files that a skill names are attached: the variable is not set", Breaks: "user-wiring", Want: report.Fail,
		Where: userFile,
		Break: func(m *Machine) { m.unset(userFile, mentionsKey) }},
	{Name: "files that a skill names are attached: the user's settings say 0", Breaks: "user-wiring", Want: report.Fail,
		Where: userFile + "#" + claude.MentionsVariable,
		Break: func(m *Machine) { m.set(userFile, mentionsKey, "0") }},
	{Name: "files that a skill names are attached: the project alone sets the variable", Breaks: "user-wiring",
		Want: report.Fail, Where: userFile,
		Break: func(m *Machine) {
			m.unset(userFile, mentionsKey)
			m.set(projectFile, mentionsKey, "1")
		}},
	{Name: "files that a skill names are attached: every skill is a prompt", Breaks: "user-wiring", Want: report.Warn,
		Where: userFile,
		Break: func(m *Machine) {
			m.unset(userFile, mentionsKey)
			m.add(userFile, "permissions.ask", "Skill")
		}},
}

// TestFilesThatASkillNames: what keeps them from being attached, and in which
// launch (measured, see TestFilesThatASkillAttaches).
func TestFilesThatASkillNames(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, c := range map[string]struct {
		seed       func(*Machine)
		plain, iso report.Status
	}{
		"not set":    {func(m *Machine) { m.unset(userFile, mentionsKey) }, report.Fail, report.Pass},
		"a number":   {func(m *Machine) { m.set(userFile, mentionsKey, "2") }, report.Fail, report.Fail},
		"in capital": {func(m *Machine) { m.set(userFile, mentionsKey, "TRUE") }, report.Pass, report.Pass},
		"the project says 0": {func(m *Machine) {
			m.set(projectFile, mentionsKey, "0")
			m.set("~/code/tracker/.claude/settings.local.json", mentionsKey, "0")
		}, report.Pass, report.Pass},
		"the shell exports it": {func(m *Machine) {
			m.unset(userFile, mentionsKey)
			m.Env[claude.MentionsVariable] = "1"
		}, report.Pass, report.Pass},
		"the shell exports it, the settings say 0": {func(m *Machine) {
			m.set(userFile, mentionsKey, "0")
			m.Env[claude.MentionsVariable] = "1"
		}, report.Fail, report.Fail},
		"reads are held in the project": {func(m *Machine) {
			m.unset(userFile, mentionsKey)
			m.set(projectFile, "permissions.blockReadsOutsideWorkingDirectories", true)
		}, report.Pass, report.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			c.seed(m)
			m.approve()
			f := m.judged("user-wiring")
			plain, iso := f.Status, f.Status
			for _, l := range f.Launches {
				switch l.Launch {
				case report.Plain:
					plain = l.Status
				case report.Iso:
					iso = l.Status
				}
			}
			if plain != c.plain || iso != c.iso {
				t.Errorf("plain claude %s, want %s; claude-iso %s, want %s: %s", plain, c.plain, iso, c.iso,
					told(m, []report.Finding{f}, nil))
			}
		})
	}
}

// TestWhatClaudeIsoReadsOfAProjectIsAWarningThere: it loads what is approved, and these
// files as well.
func TestWhatClaudeIsoReadsOfAProjectIsAWarningThere(t *testing.T) {
	testenv.AsUser(t)
	for name, does := range map[string]func(m *Machine, path string){
		"loop.md": func(m *Machine, path string) {
			m.write("~/notes.md", "a secret\n", 0o600)
			m.symlink(m.at("~/notes.md"), path)
		},
		"scheduled_tasks.json": func(m *Machine, path string) { m.write(path, `{"tasks": []}`, 0o644) },
	} {
		m := build(t, usualSetup)
		does(m, "~/code/tracker/.claude/"+name)
		f := m.judged("project-code")
		if got := f.Launches[1]; got.Status != report.Warn || !strings.Contains(got.Summary, name) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
