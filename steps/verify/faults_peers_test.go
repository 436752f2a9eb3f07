// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: messages of other sessions are delivered unless the user's
// own settings say otherwise; no project's settings count.

package verify_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
)

var peerFaults = []Fault{
	{Name: "messages of other sessions are delivered: nothing is said", Breaks: "user-wiring", Want: report.Warn, Where: userFile,
		Break: func(m *Machine) { m.unset(userFile, claude.InboundKey) }},
	{Name: "messages of other sessions are delivered: the user's settings say accept", Breaks: "user-wiring", Want: report.Warn, Where: userFile + "#" + claude.InboundKey,
		Break: func(m *Machine) { m.set(userFile, claude.InboundKey, "accept") }},
}

// TestMessagesOfOtherSessions: claude-iso holds them whatever the user says.
func TestMessagesOfOtherSessions(t *testing.T) {
	healthy := build(t, usualSetup)
	for name, c := range map[string]struct {
		seed       func(*Machine)
		plain, iso report.Status
	}{
		"not set": {func(m *Machine) { m.unset(userFile, claude.InboundKey) }, report.Warn, report.Pass},
		"refused": {func(m *Machine) { m.set(userFile, claude.InboundKey, "refuse") }, report.Pass, report.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			c.seed(m)
			m.approve()
			f := find(m.verify(), "user-wiring")
			plain, iso := f.Status, f.Status
			if len(f.Launches) == 2 {
				plain, iso = f.Launches[0].Status, f.Launches[1].Status
			}
			if plain != c.plain || iso != c.iso {
				t.Errorf("plain claude %s, want %s; claude-iso %s, want %s: %s", plain, c.plain, iso, c.iso, told(m, []report.Finding{f}, nil))
			}
		})
	}
}
