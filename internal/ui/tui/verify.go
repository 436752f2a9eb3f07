// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the exit code of verify's screen is the verdict that stood
// on it; a run that was left before its verdict has none.

package tui

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// VerifyRun is what verify's screen shows, and how it comes to it.
type VerifyRun struct {
	// Name is the command's, "" is verify.
	Name  string
	Facts report.Facts
	// Checks are all checks in the order in which they are shown; of each
	// ID, Title and Layer are used.
	Checks []engine.Check
	// Run runs them and emits CheckStarted, CheckDone, Progress and, last,
	// Judged. It runs outside the screen's own goroutine, ends soon when
	// ctx ends, and is called again when the user asks for it.
	Run func(ctx context.Context, emit engine.Sink) error
	// AsCalled, if set, says the next steps as they can be taken here. Next, if
	// set, says which they are; nil are those of the findings.
	AsCalled AsCalled
	Next     func() []report.NextStep
}

// Verified is what is left of a run of verify's screen.
type Verified struct {
	// End is Quit after a verdict, Interrupted before one, or Failed.
	End End
	// Findings and Judged are those of the last run; both are empty unless
	// End is Quit.
	Findings []report.Finding
	Judged   engine.Judged
}

// Exit is the exit code of the run.
func (v Verified) Exit() int {
	switch v.End {
	case Quit:
		return v.Judged.Verdict.Exit()
	case Failed:
		return report.ExitInternal
	}
	return report.ExitInterrupted
}

// Verify runs the checks on a full screen until the user leaves it, and then
// says on the terminal's own screen what they said. When it returns, Run has
// returned. ctx must end with the signals that end the process. The error is
// Run's own, or a *report.Error with ExitInternal for the screen's.
func Verify(ctx context.Context, t Terminal, v VerifyRun) (Verified, error) {
	m := newVerify(ctx, v)
	_, err := m.runOn(m, t)
	out := m.verified()
	for _, line := range m.lastWords(out) {
		fmt.Fprintln(t.Out, line)
	}
	return out, err
}

func newVerify(ctx context.Context, v VerifyRun) *viewer {
	m := newViewer(ctx, cmp.Or(v.Name, "verify"), v.Facts, &resultPage{list: newCheckList(v.Checks, v.AsCalled),
		next: v.Next})
	m.work, m.quits = v.Run, "quit; before the verdict it ends the run"
	m.page.layout(m.look)
	return m
}

// verified sums up the run.
func (m *viewer) verified() Verified {
	out := Verified{End: m.end}
	if p, ok := m.page.(*resultPage); ok && m.end == Quit {
		out.Findings, out.Judged = p.list.findings(), p.list.judged
	}
	return out
}

// lastWords are lines of plain text, for any terminal: the verdict, what is
// no pass, and every step with its line, whole.
func (m *viewer) lastWords(out Verified) []string {
	p, ok := m.page.(*resultPage)
	switch {
	case !ok || out.End == Failed:
		return nil
	case out.End == Interrupted:
		return []string{"Stopped before the verdict; nothing was changed."}
	}
	lines := []string{strings.ToUpper(out.Judged.Word()) + "   " + text.Tally(out.Findings)}
	if where := rangeWords(out.Judged, m.facts); where != "" {
		lines = append(lines, hang("", where, m.width)...)
	}
	for _, f := range out.Findings {
		if f.Status != report.Pass && f.Status != report.Skip {
			lines = append(lines, hang(fmt.Sprintf("  %s %-*s  ", f.Status.Symbol(), idColumn, text.Line(string(f.Check))),
				text.Line(f.Summary), m.width)...)
		}
	}
	return append(lines, stepWords(p.list.steps, m.width)...)
}

// stepWords are the numbered next steps as lines of plain text for a terminal of
// width cells; a command is never broken.
func stepWords(steps []step, width int) []string {
	if len(steps) == 0 {
		return nil
	}
	lines := []string{"", "Next:"}
	for i, s := range steps {
		lines = append(lines, hang(fmt.Sprintf("%2d  ", i+1), s.say, width)...)
		if s.line != "" {
			lines = append(lines, "    "+s.line)
		}
	}
	return lines
}

func (p *resultPage) verdictRow() string { return p.list.verdictRow(p.l) }

// finished takes the end of a run, which has a verdict.
func (p *resultPage) finished() error {
	if p.list.judged.Verdict == "" {
		return noResult("", "the checks ended without a verdict")
	}
	p.end()
	return nil
}

func (p *resultPage) again() { p.list.again() }

func (p *resultPage) progress() (filled float64, said string, over bool) {
	return p.list.filled, p.list.running(), p.list.over
}
