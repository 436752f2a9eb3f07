// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package trial

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
)

// TestAPlantThatDidNotRunProvesNothing: that no hook of it ran says something only
// where it was laid, or a known layer kept it from being.
func TestAPlantThatDidNotRunProvesNothing(t *testing.T) {
	p := facts().PlantedHook("/home/u/p")
	p.Neighbour = ""
	twin := New(rehearsal.Session{}, []Probe{p})
	twin.Raw = rehearsal.Raw{Results: map[string]model.Result{}, Files: map[string]string{p.Through.File: p.Through.Text}}
	for t, turn := range twin.Session.Turns {
		for i := range turn {
			twin.Raw.Results[model.ID(t, i)] = model.Result{Text: "ok"}
		}
	}
	for reply, want := range map[string]report.Status{
		rehearsal.Planted: report.Pass,
		"mkdir /home/u/p/steward-below: read-only file system": report.Pass,
		"Exit code 137": report.Unknown,
		"open /home/u/p/steward-below/.claude/skills/steward-planted: no space left":      report.Unknown,
		"claude could not start it: /home/u/p/steward-below/steward-planted.txt: timeout": report.Unknown,
	} {
		s := New(rehearsal.Session{}, []Probe{p})
		s.Raw = rehearsal.Raw{Results: map[string]model.Result{}, Files: map[string]string{}}
		for t, turn := range s.Session.Turns {
			for i, c := range turn {
				text := "ok"
				if c.Act == model.Run {
					text = reply
				}
				s.Raw.Results[model.ID(t, i)] = model.Result{Text: text}
			}
		}
		if got := s.Judge(twin)[0]; got.Status != want {
			t.Errorf("%q: %s (%s)", reply, got.Status, got.Why)
		}
	}
}

// TestAControlHasAReplyOfItsOwn: of a command that was killed, the words of one
// part are not the control's.
func TestAControlHasAReplyOfItsOwn(t *testing.T) {
	say := func(id, word string, control bool) Probe {
		return Probe{ID: id, Call: model.Bash(rehearsal.Tool(rehearsal.ToolSay, word)), Through: Through{Reply: "hello"},
			Control: control}
	}
	probes := []Probe{say("works", "hello", true), say("other", "other", false)}
	for reply, want := range map[string]report.Status{
		"hello\n(part 0 has ended)\nno\n(part 1 has ended)\n(the tool has ended)": report.Pass,
		"hello\nterminated": report.Unknown,
	} {
		s := New(rehearsal.Session{}, probes)
		if len(s.Session.Turns) != 1 || len(s.Session.Turns[0]) != 1 {
			t.Fatalf("they do not share a command: %v", s.Session.Turns)
		}
		s.Raw = rehearsal.Raw{Results: map[string]model.Result{model.ID(0, 0): {Text: reply}}}
		if got := s.Judge(s)[0]; got.Status != want {
			t.Errorf("%q: %s (%s)", reply, got.Status, got.Why)
		}
	}
}
