// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestWhatMustNotLeaveStopsThePush(t *testing.T) {
	testenv.AsUser(t)
	token := "gh" + "p_" + strings.Repeat("aB3dE6gH9", 4)
	for name, c := range map[string]struct {
		make    func(m *peer)
		finding string
	}{
		"a token": {func(m *peer) { m.put("memory/x.md", "one\n"+token+"\n") },
			"memory/x.md, line 2, looks like a secret"},
		"a token in a name": {func(m *peer) { m.put("memory/"+token+".md", "x\n") },
			"the name of a file in memory looks like a secret"},
		"a token in the name of a directory": {func(m *peer) { m.put("memory/"+token+"/x.md", "x\n") },
			"the name of a file in . looks like a secret"},
		"a token in a name in a commit": {func(m *peer) {
			m.put(token, "x\n")
			m.git("add", "-A")
			m.git("commit", "-qm", "x")
			m.git("mv", token, "plain")
			m.git("commit", "-qm", "y")
		}, "the name of a file in . looks like a secret"},
		"a token in a commit": {func(m *peer) { m.put("x.md", token); m.git("add", "-A"); m.git("commit", "-qm", "x") },
			"looks like a secret"},
		"a token in a message": {func(m *peer) { m.git("commit", "-q", "--allow-empty", "-m", "x\n\nwith "+token) },
			"line 3, looks like a secret"},
		"a token, taken out again": {func(m *peer) {
			m.put("x.md", token)
			m.git("add", "-A")
			m.git("commit", "-qm", "x")
			m.put("x.md", "none")
			m.git("commit", "-qam", "y")
		}, "looks like a secret"},
		"settings, added by force": {func(m *peer) { m.put("settings.json", "{}"); m.git("add", "-f", "settings.json") },
			"settings.json is tracked and must not be"},
		"a credential in a commit": {func(m *peer) {
			m.put(".credentials.json", "{}")
			m.git("add", "-f", "-A")
			m.git("commit", "-qm", "x")
		}, "must never be tracked"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newExchangeWorld(t)
			c.make(w.ada)
			w.ada.put("memory/harmless.md", "x\n")
			head, remote := w.ada.git("rev-parse", "HEAD"), w.run(w.top, w.remote, "rev-parse", "main")
			out, err := w.ada.push(PushOptions{})
			if err != nil || !out.Stopped {
				t.Fatal("not stopped:", words(err))
			}
			s := out.Section()
			text := ""
			for _, f := range s.Findings {
				text += f.Summary + "\n"
				for _, e := range f.Evidence {
					text += e.Where + e.Text + "\n"
				}
			}
			if !strings.Contains(text, c.finding) || strings.Contains(text, token) || len(s.Items) > 0 ||
				report.NewPlan([]report.Section{s}).LeftForUser() == 0 {
				t.Errorf("says %s and would do %d things", text, len(s.Items))
			}
			if w.ada.git("rev-parse", "HEAD") != head || w.run(w.top, w.remote, "rev-parse", "main") != remote {
				t.Error("something was committed or pushed")
			}
		})
	}
}
