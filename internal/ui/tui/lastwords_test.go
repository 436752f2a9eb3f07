// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what outlives the screen is as readable as the screen was,
// and there is always a way to leave that one can see.

package tui

import (
	"context"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// TestTheLastWordsOfTheDoctorFitTheTerminal: words go on in the next row, whole;
// a command and a line of a file stay on one, to be copied.
func TestTheLastWordsOfTheDoctorFitTheTerminal(t *testing.T) {
	const command = "steward-setup doctor ssh-agent --try-fix --project /home/user/code/a-project-with-a-name-that-is-long"
	const why = "try every known fix on a stage, and see which works and what it costs; nothing is changed"
	run := newSick().run(true)
	run.Next = func([]report.Finding) []report.NextStep {
		return []report.NextStep{{Command: &report.Command{Line: command, Why: why}}}
	}
	for _, width := range []int{40, 60, 80} {
		d, p := consult(t, run, width, 24)
		d.press("q")
		lines := p.lastWords(d.v.end)
		for _, line := range lines {
			whole := strings.Contains(line, command) || strings.HasPrefix(line, "      +") ||
				strings.HasPrefix(line, "      -") || strings.HasPrefix(line, "       ")
			if text.Width(line) > width && !whole {
				t.Errorf("%d cells in %d: %q", text.Width(line), width, line)
			}
		}
		if !slices.Contains(lines, "    "+command) {
			t.Errorf("at %d the command is broken:\n%s", width, strings.Join(lines, "\n"))
		}
		flat := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
		for _, words := range []string{why, agentSays} {
			if !strings.Contains(flat, strings.Join(strings.Fields(words), " ")) {
				t.Errorf("at %d the user does not read %q in\n%s", width, words, strings.Join(lines, "\n"))
			}
		}
	}
}

// TestASmallWindowSaysHowToLeave, and lets one leave.
func TestASmallWindowSaysHowToLeave(t *testing.T) {
	for _, size := range [][2]int{{30, 10}, {20, 3}, {14, 1}} {
		d, _ := consult(t, newSick().run(false), 80, 24)
		d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		rows := strings.Split(d.v.View().Content, "\n")
		if !strings.HasPrefix(rows[0], "ctrl-c quits") || len(rows) > size[1] {
			t.Errorf("at %v the screen is %q", size, rows)
		}
		for _, row := range rows {
			if text.Width(row) > size[0] {
				t.Errorf("at %v a row is %d cells: %q", size, text.Width(row), row)
			}
		}
		if d.press("q"); !d.quit || d.v.end != Quit {
			t.Errorf("at %v q does not leave: %q", size, d.v.end)
		}
	}
}

// inHome speaks of a file in the home, as it is written there.
type inHome struct{ *fake }

func (f inHome) Propose(ctx context.Context, a report.Answers, tell func(engine.Progress)) (report.Proposal, error) {
	p, err := f.fake.Propose(ctx, a, tell)
	for i := range p.Plan.Sections {
		p.Plan.Sections[i].Why = "git looks in " + home + "/hooks"
		for n, it := range p.Plan.Sections[i].Items {
			if c, ok := it.(report.Change); ok {
				c.Why = "changes " + home + "/hooks"
				p.Plan.Sections[i].Items[n] = c
			}
		}
	}
	p.Plan = report.NewPlan(p.Plan.Sections)
	return p, err
}

func TestSentencesOfASectionShortenTheHome(t *testing.T) {
	d := setOut(t, inHome{&fake{toolsThere: true}}, Options{StepByStep: true}, 80, 24)
	d.sees("git looks in ~/hooks")
	d.press("w").sees("changes ~/hooks")
	d.seesNot(home + "/hooks")
}

// TestWhoLeavesBeforeTheChecksAreOverHasTheirLine, and nobody else.
func TestWhoLeavesBeforeTheChecksAreOverHasTheirLine(t *testing.T) {
	const line = "steward-setup verify"
	d := drive(t, &fake{}, Options{Unchecked: &report.Command{Line: line}}, 80, 24).press(toReview)
	for _, findings := range [][]report.Finding{nil, {{Check: "scope", Status: report.Pass}}} {
		words := d.m.lastWords(Outcome{End: Applied, Written: 1, Findings: findings})
		if slices.Contains(words, "    "+line) != (findings == nil) {
			t.Errorf("%d findings: %q", len(findings), words)
		}
	}
}

// TestAPlanThatWasConfirmedLeadsOn: who said yes to it is told the next step.
func TestAPlanThatWasConfirmedLeadsOn(t *testing.T) {
	c := undoPage(&fake{})
	c.Then = []report.Command{{ID: "sync-init", Line: "steward-setup sync init ADDRESS", Why: "connect it"}}
	d := confirming(t, c, 80, 24)
	for end, want := range map[End]bool{Applied: true, Quit: false} {
		words := d.m.lastWords(Outcome{End: end, Written: 1})
		if slices.Contains(words, "    steward-setup sync init ADDRESS") != want {
			t.Errorf("%v: %q", end, words)
		}
	}
}
