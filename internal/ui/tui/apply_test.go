// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is on disk is what the screen says, whatever ends the
// writing.

package tui

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

func TestAFailureSaysWhatIsWritten(t *testing.T) {
	b := &fake{applyErr: errDisk, failAt: 3}
	d := drive(t, b, Options{}, 80, 24).press(toReview + " enter")
	d.sees("Stopped: 3 of 10 written", "✗ failed  could not be written: no space left on device",
		"where     ~/.claude/scripts/sandbox-error-hint.sh", "why       the changes before this one are written",
		"next      free some space")
	out := d.press("enter").outcome()
	if out.End != Failed || out.Written != 3 || !errors.Is(d.m.err, errDisk) {
		t.Errorf("%+v, error %v", out, d.m.err)
	}
}

// Once a plan is applied, the help speaks of none that may be.
func TestHelpAfterWriting(t *testing.T) {
	d := drive(t, &fake{}, Options{}, 80, 24).press(toReview)
	d.press("?").sees("before you apply the plan")
	d.press("esc enter ?").sees("quit at once")
	d.seesNot("before you apply the plan", "if something was approved")
}

// What to do next is said as it can be done here, of a plan that could not be
// made and of one that could not be written.
func TestAnErrorLeadsOnAsCalled(t *testing.T) {
	called := func(error) error { return &report.Error{What: "is held", Next: "run: /opt/ss verify"} }
	for _, b := range []*fake{{applyErr: errDisk, failAt: 3}, {proposeErr: errDisk}} {
		d := drive(t, b, Options{}, 80, 24)
		d.m.ledger.called = called
		if b.proposeErr != nil {
			d.press("r").sees("No plan could be made", "run: /opt/ss verify")
			continue
		}
		d.press(toReview+" enter").sees("Stopped: 3 of 10 written", "run: /opt/ss verify")
	}
}

func TestAStalePlanIsReviewedAgain(t *testing.T) {
	b := &fake{applyErr: errStale}
	d := drive(t, b, Options{}, 80, 24).press(toReview + " enter")
	d.sees("Stopped: 0 of 10 written", "has changed since it was shown", "Nothing was written.", "r read again and review")
	b.applyErr, b.drift = nil, true
	d.press("r").sees("not decided yet: policy")
	d.press("enter").sees("◐ policy", "a approve")
}

// hold starts applying and stops before the second change.
func hold(t *testing.T) *driver {
	t.Helper()
	b := &fake{hold: make(chan struct{})}
	d := drive(t, b, Options{}, 80, 24).press(toReview)
	_, cmd := d.m.Update(keyMsg("enter"))
	d.begin(cmd)
	go func() { b.hold <- struct{}{} }()
	for d.m.apply == nil || d.m.apply.written() == 0 {
		d.take(<-d.msgs)
	}
	return d
}

func TestApplyingShowsEachFileAsItIsWritten(t *testing.T) {
	d := hold(t)
	d.sees("Writing 10 files", "✓ .claude/settings.json", "· ~/.claude/agent-isolation/claude-iso.sh",
		"ctrl-c stop before the next file")
	d.m.Update(keyMsg("q")) // no key but ctrl-c means anything now
	d.sees("Writing 10 files")
	d.press("ctrl+c")
}

func TestCtrlCWhileWritingStopsBetweenTwoFiles(t *testing.T) {
	d := hold(t)
	d.press("ctrl+c").sees("Stopped: 1 of 10 written", "interrupted", "undo 20261120-1")
	out := d.press("enter").outcome()
	if out.End != Interrupted || out.Written != 1 {
		t.Errorf("%+v", out)
	}
	if words := strings.Join(d.m.lastWords(out), "\n"); !strings.Contains(words,
		"undo what was written: steward-setup undo 20261120-1") {
		t.Errorf("once the screen is gone nothing says how it is taken back:\n%s", words)
	}
}

// Nothing failed, and what of the list does not fit is a key away.
func TestWhatWasStoppedIsNoFailure(t *testing.T) {
	d := hold(t)
	d.m.Update(tea.WindowSizeMsg{Width: 80, Height: 16})
	d.press("ctrl+c").sees("stopped   interrupted", "to go on:  steward-setup install", "↑ ↓ scroll")
	if frame := d.frame(); strings.Contains(frame, "✗") {
		t.Errorf("stopped by the user:\n%s", frame)
	}
	first := d.frame()
	if d.press("down"); d.frame() == first {
		t.Errorf("the list does not scroll:\n%s", first)
	}
}

// Two changes of one file are one file, in the review and on the last page.
func TestTwoChangesOfAFileAreOneFile(t *testing.T) {
	l := newLedger()
	for range 2 {
		l.note(engine.ChangeDone{Change: report.Change{Path: "/p/settings.json"}})
	}
	p := report.NewPlan([]report.Section{{Items: []report.Item{report.Change{Path: "/p/settings.json", ID: "a"},
		report.Change{Path: "/p/settings.json", ID: "b"}}}})
	if n := l.close(); n != 1 || text.Summary(p) != "1 file changes" {
		t.Errorf("%d files changed, %s", n, text.Summary(p))
	}
}

func TestTheRunDoesNotEndBeforeTheWriting(t *testing.T) {
	d := hold(t)
	b := d.m.backend.(*fake)
	b.last = make(chan struct{})
	go func() { // the writing takes until after the run wants to end
		closed, running := d.m.ledger.state()
		for ; !closed; closed, running = d.m.ledger.state() {
			runtime.Gosched()
		}
		if running != 1 {
			t.Error("the end of the run waits for nothing")
		}
		close(b.last)
	}()
	_, cmd := d.m.Update(inputEndedMsg{}) // the terminal is gone
	if _, ok := cmd().(tea.QuitMsg); !ok {
		t.Fatal("the screens stay without a terminal")
	}
	d.quit = true
	out := d.outcome() // close waits for Apply, which stops at the next file
	if !b.returned.Load() {
		t.Error("the run ended while files were being written")
	}
	if out.End != Interrupted || out.Written != 1 {
		t.Errorf("%+v", out)
	}
	if d.m.ledger.begin() {
		t.Error("writing can begin after the run has ended")
	}
}

func TestTheReportFillsInWithoutMoving(t *testing.T) {
	d := drive(t, &fake{}, Options{}, 80, 24)
	p := newResultPage(d.m.proposal.Plan, newCheckList([]engine.Check{{ID: "tools-pinned", Title: "tools"},
		{ID: "scope", Title: "which"}}, nil), 10, "steward-setup undo r1", nil)
	d.m.page = p
	d.send(nil)
	d.sees("· tools-pinned", "· scope", "CHECKING", "0 of 2", "undo  steward-setup undo r1")
	p.event(engine.CheckStarted{ID: "tools-pinned", Title: "tools"})
	d.send(nil)
	d.sees("◐ tools-pinned", "· scope") // not known yet, and not a pass
	d.seesNot("pass", "apt-get install", "PROTECTED")
	p.event(engine.CheckDone{Finding: report.Finding{Check: "tools-pinned", Status: report.Pass, Summary: "all there",
		Evidence: []report.Evidence{report.VersionEvidence("socat", "1.8")}}})
	d.send(nil)
	d.sees("✓ tools-pinned", "1 of 2", "1 ✓ pass", "· scope")
	d.seesNot("PROTECTED")
	p.end()
	d.send(nil)
	d.sees("apt-get install")
}

func TestStepsOfTheReportCanBeCopied(t *testing.T) {
	d := drive(t, &fake{}, Options{}, 80, 24).press(toReview + " enter")
	d.sees("▸  1  bubblewrap 0.11.2 and socat", "sudo apt-get install --no-install-recommends") // what is left is in sight
	d.press("down down y")
	if len(d.copied) != 1 || d.copied[0] != "steward-setup install --status-line replace" {
		t.Errorf("copied %q", d.copied)
	}
	d.press("home n").sees("fix       build the pinned version: docs/tools.md")
	d.press("esc r").sees("✗ user-wiring")
}

func TestTheReportLeadsOn(t *testing.T) {
	d := drive(t, &fake{report: healthy()}, Options{Actions: doctorOfTests}, 80, 24).press(toReview + " enter")
	d.sees("d doctor")
	d.press("?").sees("doctor: why something does not work")
	out := d.press("esc d").outcome()
	if out.Key != "d" || out.End != Applied || out.Written != 10 {
		t.Errorf("%+v", out)
	}
}

func TestTheReportLeadsOnOnceItIsWhole(t *testing.T) {
	d := drive(t, &fake{}, Options{}, 80, 24)
	d.m.page = newResultPage(d.m.proposal.Plan, newCheckList(nil, nil), 10, "", doctorOfTests)
	d.send(nil)
	d.seesNot("d doctor")
	d.press("d").sees("still checking")
	if d.quit {
		t.Error("the report was left before its end")
	}
}

func TestUndoIsShownAndAsked(t *testing.T) {
	b := &fake{}
	ctx, cancel := context.WithCancel(t.Context())
	c := undoPage(b)
	m := newWizard(ctx, confirmed{c}, Options{Command: c.Command})
	m.confirm(&c)
	d := &driver{t: t, m: m, msgs: make(chan tea.Msg), cancel: cancel}
	d.start(80, 24)
	d.sees("steward-setup undo", "Undo 20261120-1", "5 files change", "enter undo", "~/.claude/scripts/ (5 files)")
	d.press("down").sees("- exec steward-setup hook sandbox-bypass-warn")
	if b.writes() != 0 {
		t.Fatal("written before the yes")
	}
	d.press("enter").sees("5 files changed", "enter leave")
	if out := d.press("enter").outcome(); out.End != Applied || out.Written != 5 {
		t.Errorf("%+v", out)
	}

	m = newWizard(t.Context(), confirmed{c}, Options{Command: c.Command})
	m.confirm(&c)
	d = &driver{t: t, m: m, msgs: make(chan tea.Msg), cancel: func() {}}
	d.start(80, 24)
	if out := d.press("q").outcome(); out.End != Quit || b.writes() != 5 {
		t.Errorf("%+v", out)
	}
}

// TestAnUndoWithoutAFileSaysWhatIsLeft: it was stopped behind its last file.
func TestAnUndoWithoutAFileSaysWhatIsLeft(t *testing.T) {
	c := undoPage(&fake{})
	c.Why += " Removes what was made and is empty: /p/.claude."
	c.Plan.Sections[0].Items = nil
	c.Plan = report.NewPlan(c.Plan.Sections)
	m := newWizard(t.Context(), confirmed{c}, Options{Command: c.Command})
	m.confirm(&c)
	d := &driver{t: t, m: m, msgs: make(chan tea.Msg), cancel: func() {}}
	d.start(80, 24)
	d.sees("Undo 20261120-1", "is empty: /p/.claude", "nothing changes", "enter undo")
	d.seesNot("Everything is already in place")
	if out := d.press("enter").press("enter").outcome(); out.End != Applied {
		t.Errorf("%+v", out)
	}
}

func (l *ledger) state() (closed bool, running int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed, l.running
}
