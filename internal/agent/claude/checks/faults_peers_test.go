// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: messages of other sessions are delivered unless the user's
// own settings say otherwise; no project's settings count. Skills of the runtime's
// own approve reading unless they are left out. Once the runtime has registered
// itself, links start it.

package checks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

const linkHandler = "~/.local/share/applications/claude-code-url-handler.desktop"

// registered leaves what a session on a desktop left.
func registered(m *Machine) {
	m.write(linkHandler, "[Desktop Entry]\nExec=claude --handle-uri %u\n", 0o644)
}

var peerFaults = []Fault{
	{Name: "messages of other sessions are delivered: nothing is said", Breaks: "user-wiring", Want: report.Warn,
		Where: userFile,
		Break: func(m *Machine) { m.unset(userFile, claude.InboundKey) }},
	{Name: "messages of other sessions are delivered: the user's settings say accept", Breaks: "user-wiring",
		Want: report.Warn, Where: userFile + "#" + claude.InboundKey,
		Break: func(m *Machine) { m.set(userFile, claude.InboundKey, "accept") }},
	{Name: "skills of the runtime's own approve reading: nothing is said", Breaks: "user-wiring", Want: report.Warn,
		Where: userFile,
		Break: func(m *Machine) { m.unset(userFile, claude.KeySkillOverrides.String()) }},
	{Name: "skills of the runtime's own approve reading: the project switches them on", Breaks: "user-wiring",
		Want: report.Warn, Where: projectFile + "#update-config",
		Break: func(m *Machine) {
			m.set(projectFile, claude.KeySkillOverrides.String(), map[string]any{"update-config": "on"})
		}},
	{Name: "copies for /rewind: nothing is said", Breaks: "user-wiring", Want: report.Warn, Where: userFile,
		Break: func(m *Machine) { m.unset(userFile, "env."+claude.CheckpointsVariable) }},
	{Name: "copies for /rewind: your settings want them", Breaks: "user-wiring", Want: report.Warn,
		Where: userFile + "#" + claude.CheckpointsVariable,
		Break: func(m *Machine) { m.set(userFile, "env."+claude.CheckpointsVariable, "0") }},
	{Name: "copies for /rewind: the project wants them, which wins over your word", Breaks: "user-wiring",
		Want: report.Warn, Where: projectFile + "#" + claude.CheckpointsVariable,
		Break: func(m *Machine) { m.set(projectFile, "env."+claude.CheckpointsVariable, "0") }},
	{Name: "copies for /rewind: the project ends them, whose word does not count", Breaks: "user-wiring",
		Want: report.Warn, Where: userFile,
		Also: map[report.ID]Effect{"project-code": {report.Warn, "a project takes a protection away"}},
		Break: func(m *Machine) {
			m.unset(userFile, "env."+claude.CheckpointsVariable)
			m.set(projectFile, "fileCheckpointingEnabled", false)
		}},
	{Name: "links start plain claude: it registered itself before the setup", Breaks: "user-wiring", Want: report.Warn,
		Where: linkHandler, Break: registered},
	{Name: "no rule asks before messages to sockets: a policy of an earlier version", Breaks: "project-settings",
		Want: report.Warn, Where: projectFile,
		Break: func(m *Machine) { m.drop(projectFile, "permissions.ask", claude.SocketMessages) }},
	{Name: "no rule asks before messages to sessions elsewhere: an earlier policy", Breaks: "project-settings",
		Want: report.Warn, Where: projectFile,
		Break: func(m *Machine) { m.drop(projectFile, "permissions.ask", claude.BridgeMessages) }},
	{Name: "no rule asks before messages to sessions elsewhere: one names a single session", Breaks: "project-settings",
		Want: report.Warn, Where: projectFile,
		Break: func(m *Machine) {
			m.drop(projectFile, "permissions.ask", claude.BridgeMessages)
			m.add(projectFile, "permissions.ask", "SendMessage(to:bridge:1)")
		}},
	{Name: "no rule asks before a page is published: one allows it", Breaks: "project-settings", Want: report.Warn,
		Where: projectFile,
		Break: func(m *Machine) {
			m.drop(projectFile, "permissions.ask", claude.PublishesPages)
			m.add("~/code/tracker/.claude/settings.local.json", "permissions.allow", "Artifact")
		}},
	{Name: "no rule asks before messages to sockets: one names a single socket", Breaks: "project-settings",
		Want: report.Warn, Where: projectFile,
		Break: func(m *Machine) {
			m.drop(projectFile, "permissions.ask", claude.SocketMessages)
			m.add(projectFile, "permissions.ask", "SendMessage(to:uds:/run/x.sock)")
		}},
	{Name: "no rule asks before messages to sockets: one allows them", Breaks: "project-settings", Want: report.Warn,
		Where: projectFile,
		Break: func(m *Machine) {
			m.drop(projectFile, "permissions.ask", claude.SocketMessages)
			m.add("~/code/tracker/.claude/settings.local.json", "permissions.allow", "SendMessage")
		}},
}

// TestMessagesToSockets: which rules ask, and that claude-iso always does.
func TestMessagesToSockets(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, c := range map[string]struct {
		list, rule string
		plain      report.Status
	}{
		"none":              {"ask", "", report.Warn},
		"the tool is asked": {"ask", "SendMessage", report.Pass},
		"it is denied":      {"deny", "SendMessage(to:uds:*)", report.Pass},
		"any recipient":     {"ask", "SendMessage(to:*)", report.Pass},
		"another tool":      {"ask", "SendMessages", report.Warn},
		"another argument":  {"ask", "SendMessage(summary:*)", report.Warn},
		"anything":          {"ask", "SendMessage(*)", report.Pass},
		"a space behind :":  {"ask", "SendMessage(to: uds:*)", report.Pass},
		"a space before :":  {"ask", "SendMessage(to :uds:*)", report.Pass},
		"spaces in the end": {"ask", "SendMessage(to:uds: *)", report.Warn},
		"spaces everywhere": {"ask", "SendMessage( to : uds : * )", report.Warn},
		"spaces around all": {"ask", "SendMessage( * )", report.Warn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			m.drop(projectFile, "permissions.ask", claude.SocketMessages)
			if c.rule != "" {
				m.add(userFile, "permissions."+c.list, c.rule)
			}
			m.approve()
			f := m.judged("project-settings")
			plain, iso := f.Status, f.Status
			if len(f.Launches) == 2 {
				plain, iso = f.Launches[0].Status, f.Launches[1].Status
			}
			if plain != c.plain || iso != report.Pass {
				t.Errorf("plain claude %s, want %s; claude-iso %s: %s", plain, c.plain, iso, told(m, []report.Finding{f}, nil))
			}
		})
	}
}

// TestMessagesToSocketsBesideOtherFaults: what else the policy lacks hides nothing.
func TestMessagesToSocketsBesideOtherFaults(t *testing.T) {
	m := copyOf(t, build(t, usualSetup))
	m.drop(projectFile, "permissions.ask", claude.SocketMessages)
	m.drop(projectFile, "permissions.deny", "Read(~/.ssh/**)")
	f := m.judged("project-settings")
	if f.Status != report.Fail || !strings.Contains(told(m, []report.Finding{f}, nil),
		"SendMessage connects to any unix socket") {
		t.Errorf("not said: %s", told(m, []report.Finding{f}, nil))
	}
}

// TestWhatReachesPlainClaude: claude-iso holds messages whatever the user says, and no
// link starts it.
func TestWhatReachesPlainClaude(t *testing.T) {
	healthy := build(t, usualSetup)
	for name, c := range map[string]struct {
		seed       func(*Machine)
		plain, iso report.Status
	}{
		"not set": {func(m *Machine) { m.unset(userFile, claude.InboundKey) }, report.Warn, report.Pass},
		"the project lets you type one of them again": {func(m *Machine) {
			m.set(projectFile, claude.KeySkillOverrides.String(), map[string]any{"debug": claude.SkillTyped})
		}, report.Warn, report.Pass},
		"one that nobody can type is left to what is typed": {func(m *Machine) {
			m.set(userFile, claude.KeySkillOverrides.String()+"."+claude.HelpsWithKeys, claude.SkillTyped)
		}, report.Pass, report.Pass},
		"one of them is not left out": {func(m *Machine) {
			m.unset(userFile, claude.KeySkillOverrides.String()+".debug")
		}, report.Warn, report.Pass},
		"bundled skills are switched off": {func(m *Machine) {
			m.set(userFile, claude.KeySkillOverrides.String(), map[string]any{claude.SetsStatusLine: claude.SkillOff})
			m.set(userFile, "disableBundledSkills", true)
		}, report.Pass, report.Pass},
		"bundled skills are switched off, and that is none": {func(m *Machine) {
			m.unset(userFile, claude.KeySkillOverrides.String())
			m.set(userFile, "disableBundledSkills", true)
		}, report.Warn, report.Pass},
		"each read is a prompt": {func(m *Machine) {
			m.unset(userFile, claude.KeySkillOverrides.String())
			m.add(projectFile, "permissions.ask", "Read(~/**)")
		}, report.Pass, report.Pass},
		"refused": {func(m *Machine) { m.set(userFile, claude.InboundKey, "refuse") }, report.Pass, report.Pass},
		"links":   {registered, report.Warn, report.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			c.seed(m)
			m.approve()
			f := m.judged("user-wiring")
			plain, iso := f.Status, f.Status
			if len(f.Launches) == 2 {
				plain, iso = f.Launches[0].Status, f.Launches[1].Status
			}
			if plain != c.plain || iso != c.iso {
				t.Errorf("plain claude %s, want %s; claude-iso %s, want %s: %s", plain, c.plain, iso, c.iso,
					told(m, []report.Finding{f}, nil))
			}
		})
	}
}

// TestWhatSwitchesASkillOnIsNamed: install leaves alone what is said of it.
func TestWhatSwitchesASkillOnIsNamed(t *testing.T) {
	healthy := build(t, usualSetup)
	const remove, install = "remove the key skillOverrides.debug", "add what is missing"
	for file, steps := range map[string][]string{projectFile: {remove}, userFile: {remove, install}, "": {install}} {
		m := copyOf(t, healthy)
		m.unset(userFile, claude.KeySkillOverrides.String()+".debug")
		if file != "" {
			m.set(userFile, claude.KeySkillOverrides.String()+".debug", claude.SkillOff)
			m.set(file, claude.KeySkillOverrides.String()+".debug", "on")
		}
		m.approve()
		var said []string
		for _, r := range m.judged("user-wiring").Remedies {
			switch r := r.(type) {
			case report.DocLink:
				said = append(said, r.Title)
			case report.Command:
				said = append(said, r.Why)
			}
		}
		if !slices.Equal(said, steps) {
			t.Errorf("%q: %q, want %q", file, said, steps)
		}
	}
}

// TestWhoseWordOnCopiesCounts: for each launch the strongest word on copies for /rewind that it
// reads, with what it takes to end them.
func TestWhoseWordOnCopiesCounts(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, c := range map[string]struct {
		user, project, local string
		plain, iso           bool
		remedy               string
	}{
		"the project off, you off":           {"0", "0", "", true, true, projectFile},
		"the project off, local settings on": {"1", "0", "1", false, false, ""},
		"local settings off, the project on": {"1", "1", "0", true, false, localFile},
		"you off":                            {"0", "", "", true, true, userFile},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			for file, value := range map[string]string{userFile: c.user, projectFile: c.project, localFile: c.local} {
				if value != "" {
					m.set(file, "env."+claude.CheckpointsVariable, value)
				}
			}
			f := m.judged("user-wiring")
			plain, _ := f.In(report.Plain)
			iso, _ := f.In(report.Iso)
			if (plain.Status == report.Warn) != c.plain || (iso.Status == report.Warn) != c.iso {
				t.Errorf("%+v", f)
			}
			if c.remedy != "" && !slices.ContainsFunc(f.Remedies, func(r report.Remedy) bool {
				link, is := r.(report.DocLink)
				return is && strings.HasPrefix(link.Title, "remove the key ") && strings.HasPrefix(link.Target, m.at(c.remedy))
			}) {
				t.Errorf("what to remove is not named: %+v", f.Remedies)
			}
		})
	}
}
