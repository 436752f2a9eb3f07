// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the screen says is what was found; nobody reads a
// pass or a verdict before it is one, and the exit code is the verdict shown.

package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

func TestVerifyEndsWithTheVerdictThatItShowed(t *testing.T) {
	for name, c := range map[string]struct {
		findings func() []report.Finding
		verdict  string
		exit     int
	}{
		"protected":   {healthy, "PROTECTED", report.ExitOK},
		"unprotected": {broken, "UNPROTECTED", report.ExitUnprotected},
		"degraded": {func() []report.Finding { fs := healthy(); fs[2].Status = report.Unknown; return fs }, "DEGRADED",
			report.ExitDegraded},
	} {
		t.Run(name, func(t *testing.T) {
			d := lookAt(t, newVerify(t.Context(), verifying(c.findings)), 80, 24)
			if row := strings.Split(d.frame(), "\n")[1]; !strings.HasPrefix(row, " "+c.verdict+" ") ||
				!strings.Contains(row, "2.4 s") {
				t.Errorf("the row under the header is %q", row)
			}
			d.press("q")
			out := d.v.verified()
			if !d.quit || out.End != Quit || out.Exit() != c.exit || len(out.Findings) != len(checks) {
				t.Errorf("exit %d, %+v", out.Exit(), out.End)
			}
			if words := strings.Join(d.v.lastWords(out), "\n"); !strings.HasPrefix(words, c.verdict) ||
				!strings.Contains(words, "\n    steward-setup install") {
				t.Errorf("once the screen is gone the user reads\n%s", words)
			}
		})
	}
}

// half is a run of which half has answered.
func half(t *testing.T, fs []report.Finding, width, height int) *driver {
	t.Helper()
	v := verifying(nil)
	m := newVerify(t.Context(), v)
	m.work = nil // the test plays it
	d := lookAt(t, m, width, height)
	p := m.page.(*resultPage)
	for _, f := range fs[:7] {
		p.event(engine.CheckStarted{ID: f.Check})
		p.event(engine.CheckDone{Finding: f})
	}
	p.event(engine.CheckStarted{ID: "denials"})
	p.event(engine.Progress{Text: "3 of 12  rehearsing claude-iso: denials", Done: 3, Of: 12})
	d.send(nil)
	return d
}

func TestWhileItRunsNothingIsAPassBeforeItAnswered(t *testing.T) {
	d := half(t, healthy(), 120, 40)
	d.sees("CHECKING", "7 of 15", "◐ denials", "· mcp-servers", "3 of 12  rehearsing claude-iso: denials", "━━━━")
	d.seesNot("PROTECTED", "✓ denials", "Next")
	d = half(t, broken(), 120, 40)
	d.sees("UNPROTECTED", "7 of 15") // nothing that is to come can mend it
}

func TestTheListKeepsItsPlaceWhileItFillsIn(t *testing.T) {
	place := func(frame string) map[string]int {
		at := make(map[string]int)
		for i, row := range strings.Split(frame, "\n") {
			for _, c := range checks {
				if strings.Contains(row, " "+string(c.ID)+" ") && i < 30 && strings.Index(row, string(c.ID)) < 8 {
					at[string(c.ID)] = i
				}
			}
		}
		return at
	}
	for _, size := range sizes {
		d := half(t, healthy(), size[0], size[1])
		before := place(d.frame())
		p := d.v.page.(*resultPage)
		for _, f := range healthy()[7:] {
			p.event(engine.CheckDone{Finding: f})
		}
		d.send(nil)
		after := place(d.frame())
		for id, row := range before {
			if after[id] != row {
				t.Errorf("at %v %s moved from row %d to %d", size, id, row, after[id])
			}
		}
		if len(before) < 8 {
			t.Errorf("at %v only %d checks are in sight", size, len(before))
		}
	}
}

func TestWhatMattersMostIsSelectedUnlessTheUserChose(t *testing.T) {
	d := lookAt(t, newVerify(t.Context(), verifying(broken)), 80, 24)
	d.sees("▸ ✗ project-settings", "a comment: the runtime silently", ".claude/settings.json:14:3: // keep this")
	d.press("up up r").sees("▸ ✓ runtime-advisories")
}

func TestDetailEvidenceAndCopy(t *testing.T) {
	d := lookAt(t, newVerify(t.Context(), verifying(broken)), 80, 24)
	d.press("right")
	d.sees("project-settings, 1 sandbox", "seen      claude, started here on the stage: a session printed the canary",
		"fix       writes the policy anew")
	d.press("esc y")
	if len(d.copied) != 1 || d.copied[0] != "steward-setup install --take=sandbox" {
		t.Errorf("copied %q", d.copied)
	}
	d.press("v").sees("All evidence", "tools-pinned", "seen      bwrap --version: 0.8.0")
	d.press("esc g down y").sees("no command here")
	d.press("end").sees("▸  3  list the versions available here", "steward-setup install --plan")
	d.press("y")
	if got := d.copied[len(d.copied)-1]; got != "steward-setup install --plan" {
		t.Errorf("copied %q", got)
	}
	d.press("?").sees("Keys", "the whole report")
}

func TestBothLaunchesStandApart(t *testing.T) {
	d := lookAt(t, newVerify(t.Context(), verifying(healthy)), 120, 40)
	d.press("home down down down down down down down down down down")
	d.sees("started   ✓ claude-iso", "⚠ plain claude", "the environment is not")
}

func TestRunAgainStartsFromNothing(t *testing.T) {
	runs := 0
	d := lookAt(t, newVerify(t.Context(), verifying(func() []report.Finding {
		if runs++; runs == 1 {
			return broken()
		}
		return healthy()
	})), 80, 24)
	d.sees("UNPROTECTED")
	d.press("r")
	d.seesNot("UNPROTECTED")
	d.sees("PROTECTED", "✓ project-settings")
	if runs != 2 {
		t.Errorf("%d runs", runs)
	}
	d.v.work = nil // the third has not answered yet
	d.press("r").sees("CHECKING", "0 of 15", "· project-settings")
	d.seesNot("pass", "PROTECTED", "Next")
	if d.press("q"); d.v.verified().Exit() != report.ExitInterrupted {
		t.Error("the verdict of the run before is taken for this one's")
	}
}

func TestASignalIsNoFailure(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := newVerify(ctx, verifying(healthy))
	cancel()
	m.Update(endMsg{m.run, ctx.Err()})
	if out := m.verified(); out.End != Interrupted || m.err != nil {
		t.Errorf("%s, %v", out.End, m.err)
	}
}

func TestLeavingBeforeTheVerdictIsNoVerdict(t *testing.T) {
	for _, key := range []string{"ctrl+c", "q", "esc y"} {
		m := leftEarly(t, key, func(ctx context.Context, work func(context.Context, engine.Sink) error) *viewer {
			v := verifying(nil)
			v.Run = work
			return newVerify(ctx, v)
		})
		if out := m.verified(); out.End != Interrupted || out.Exit() != report.ExitInterrupted || out.Findings != nil {
			t.Errorf("%s: %+v", key, out)
		}
	}
}

func TestARunWithoutAVerdictIsADefectAndNoPass(t *testing.T) {
	v := verifying(nil)
	v.Run = func(_ context.Context, emit engine.Sink) error {
		emit(engine.CheckDone{Finding: healthy()[1]})
		return nil
	}
	d := lookAt(t, newVerify(t.Context(), v), 80, 24)
	if out := d.v.verified(); !d.quit || out.End != Failed || out.Exit() != report.ExitInternal || d.v.err == nil {
		t.Errorf("%+v, %v", out, d.v.err)
	}
	broke := errors.New("no stage")
	v.Run = func(context.Context, engine.Sink) error { return broke }
	d = lookAt(t, newVerify(t.Context(), v), 80, 24)
	if !d.quit || d.v.end != Failed || !errors.Is(d.v.err, broke) {
		t.Errorf("%v, %v", d.v.end, d.v.err)
	}
}

func TestStepsAreSaidAsTheyCanBeTakenHere(t *testing.T) {
	v := verifying(broken)
	v.AsCalled = func(s report.NextStep) (report.NextStep, bool) {
		if s.Command == nil || !strings.HasPrefix(s.Command.Line, "steward-setup ") {
			return s, true
		}
		c := *s.Command
		c.Line = "/opt/s/" + c.Line
		s.Command = &c
		return s, !strings.HasSuffix(c.Line, "--plan")
	}
	d := lookAt(t, newVerify(t.Context(), v), 80, 24).press("y")
	if len(d.copied) != 1 || d.copied[0] != "/opt/s/steward-setup install --take=sandbox" {
		t.Errorf("copied %q", d.copied)
	}
	d.press("q")
	if words := strings.Join(d.v.lastWords(d.v.verified()), "\n"); strings.Contains(words, "--plan") ||
		!strings.Contains(words, "/opt/s/steward-setup install --take=sandbox") {
		t.Errorf("once the screen is gone the user reads\n%s", words)
	}
}

func TestTheWizardsLastPageHasTheVerdictAbove(t *testing.T) {
	b := &fake{report: healthy()}
	d := drive(t, b, Options{Checks: func() []engine.Check { return checks }}, 80, 24).press(toReview + " enter")
	d.sees("PROTECTED", "✓ 10 files changed", "undo  steward-setup undo 20261120-1", "Next")
	if row := strings.Split(d.frame(), "\n")[1]; !strings.HasPrefix(row, " PROTECTED ") {
		t.Errorf("the row under the header is %q", row)
	}
	if out := d.press("q").outcome(); len(out.Findings) != len(checks) {
		t.Errorf("%+v", out.Findings)
	}
}

func TestALongLineForUndoDoesNotCutTheCount(t *testing.T) {
	far := "/" + strings.Repeat("long/", 12)
	for _, undo := range []string{"steward-setup undo 1", far + "steward-setup undo 20261123-1"} {
		p := newResultPage(report.Plan{}, checkList{}, 12, undo, nil)
		p.l = look{width: 80, height: 24}
		head := strings.Join(p.head(), "\n")
		if !strings.Contains(head, "12 files changed") || !strings.Contains(head, "undo") {
			t.Errorf("%s: %s", undo, head)
		}
	}
}

// Of a throwaway home no step is named, whatever fails in it.
func TestNothingIsLeftToDoIsNotSaidOfAFailure(t *testing.T) {
	for status, left := range map[report.Status]bool{report.Pass: false, report.Warn: false, report.Fail: true} {
		c := checkList{l: look{width: 80, height: 24}}
		c.over, c.rows = true, []runRow{{done: true, finding: report.Finding{Status: status}}}
		said := ""
		for _, l := range c.listLines() {
			said += l.text
		}
		if strings.Contains(said, "Nothing") == left {
			t.Errorf("beside %s: %q", status, said)
		}
	}
}
