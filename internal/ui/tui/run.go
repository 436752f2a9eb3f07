// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the outcome says what is on disk, whatever ended the screens.

package tui

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// RunWizard shows the wizard until the user leaves it, and then says on the
// terminal's own screen how it ended. ctx must end with the signals that end
// the process; SIGINT does not come from a terminal in raw mode, ctrl-c is a
// key there. The error is what stopped the run (End Failed): Propose's or
// Apply's own, or a *report.Error with ExitInternal for the screen's.
func RunWizard(ctx context.Context, t Terminal, b Backend, o Options) (Outcome, error) {
	return newWizard(ctx, b, o).onTerminal(t)
}

// Confirmation is a ready-made plan to look at and to say yes or no to.
type Confirmation struct {
	// Command is the word after the program's name in the header ("undo").
	Command string
	// Title and Why say what the plan does, Yes is the word for doing it
	// ("undo").
	Title, Why, Yes string
	// TakeBack is the command that takes the plan back, "" if none does.
	TakeBack string
	Plan     report.Plan
	Facts    report.Facts
	// Apply writes the plan, as Backend.Apply does. Without it a yes ends the
	// screens (End Applied), and who asked goes on.
	Apply func(ctx context.Context, p report.Plan, emit engine.Sink) error
	// Propose, if set, makes the plan again by answers that the user changed;
	// Questions are what can be answered.
	Propose   func(a report.Answers) (report.Proposal, error)
	Questions []report.Question
}

// RunConfirm shows one plan, applies it if the user says yes, and shows what
// was written. Its terms are those of RunWizard.
func RunConfirm(ctx context.Context, t Terminal, c Confirmation) (Outcome, error) {
	m := newWizard(ctx, confirmed{c}, Options{Command: c.Command})
	m.confirm(&c)
	return m.onTerminal(t)
}

// confirm makes m the page of one plan.
func (m *wizard) confirm(c *Confirmation) {
	m.single, m.facts = c, c.Facts
	m.proposal = report.Proposal{Plan: c.Plan, Facts: c.Facts, Questions: c.Questions}
	m.o.First = &m.proposal
}

// confirmed is the backend of a ready-made plan.
type confirmed struct{ c Confirmation }

func (b confirmed) Propose(_ context.Context, a report.Answers) (report.Proposal, error) {
	if b.c.Propose != nil {
		return b.c.Propose(a)
	}
	return report.Proposal{Plan: b.c.Plan, Facts: b.c.Facts}, nil
}

func (b confirmed) Apply(ctx context.Context, p report.Plan, emit engine.Sink) error {
	return b.c.Apply(ctx, p, emit)
}

func (confirmed) Recheck(context.Context, engine.Sink) {}
func (confirmed) ApplyLine(report.Answers) string      { return "" }

// onTerminal shows the screens, and says on the terminal's own screen, which
// outlives theirs, how they ended and what is left.
func (m *wizard) onTerminal(t Terminal) (Outcome, error) {
	written, err := m.runOn(m, t)
	out := m.outcome(written)
	for _, line := range m.lastWords(out) {
		fmt.Fprintln(t.Out, line)
	}
	return out, err
}

// outcome is how the screens ended, with what the ledger counted.
func (m *wizard) outcome(written int) Outcome {
	return Outcome{End: m.end, Answers: m.answers, Approved: m.proposal.Plan.ID, Key: m.pick, Written: written,
		Findings: m.findings, Left: m.proposal.Plan.LeftForUser()}
}

// lastWords are lines of plain text, for any terminal: what was written, how to
// take it back, and every command that is left on a line of its own, whole.
func (m *wizard) lastWords(out Outcome) []string {
	var lines []string
	if m.single != nil && m.single.Apply == nil && out.End == Applied {
		return nil // who asked goes on
	}
	undo, advice := m.ledger.way()
	switch {
	case out.Written > 0:
		lines = append(lines, report.Counted(out.Written, "1 file changed.", "%d files changed."))
		switch {
		case undo != "":
			lines = append(lines, "To undo it:  "+redact.Line(undo, maxCommand))
		case advice != "" && out.End == Interrupted: // of End Failed the caller prints the error
			lines = append(lines, "Next:  "+redact.Line(advice, maxCommand))
		}
	case out.End == Applied && len(m.proposal.Plan.Items()) == 0:
		return append(lines, nothingNeeded)
	default:
		lines = append(lines, "Nothing was written.")
	}
	switch out.End {
	case Quit, Interrupted:
		if out.Written > 0 || m.single != nil || m.sections() == nil {
			return lines
		}
		if line := m.backend.ApplyLine(m.answers); line != "" {
			lines = append(lines, "", sameAnswers, "", "  "+redact.Line(line, maxCommand))
		}
	case Applied:
		steps := nextSteps(append(m.plan.Findings(), out.Findings...), m.plan.Commands(), m.o.AsCalled, m.facts)
		lines = append(lines, stepWords(steps, m.width)...)
	case Failed: // the caller prints the error
	}
	return lines
}

// hang is a line of words for a terminal of width cells (0 if nobody knows),
// broken between words; what follows begins below the first of them.
func hang(head, words string, width int) []string {
	if rows := after(head, words, max(minWidth, cmp.Or(width, 80))); len(rows) > 0 {
		return rows
	}
	return []string{strings.TrimRight(head, " ")}
}
