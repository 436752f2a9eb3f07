// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the outcome says what is on disk, whatever ended the
// screens.

// Package tui is the program on a terminal: the home screen, the install
// wizard with its review, what is shown while a plan is applied, the report of
// the checks, the doctor's probes, and the page on which a ready-made plan (an undo) is confirmed.
//
// Contract: pages turn keys into asks; only a model acts on an ask, and only
// by commands that call what it was given. There are two: the wizard, and the
// viewer, which has nothing in it that writes. Nothing is read from disk or
// written to it here. Apply is called once enter was
// pressed on the review page, with exactly the plan that stood there.
// Whatever ends a run (a key, the end of input, the context, a panic), the
// terminal is as it was before. Foreign text is made safe before it is laid
// out. A terminal that answers no query is never waited for. TERM=dumb is the
// caller's to send elsewhere: internal/ui/plain says the same as lines.
package tui

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// Backend does the wizard's work. Its methods run outside the screen's own
// goroutine, one at a time.
type Backend interface {
	// Propose computes the plan that follows from the answers, and may tell how far it
	// is; tell returns at once.
	Propose(ctx context.Context, a report.Answers, tell func(engine.Progress)) (report.Proposal, error)
	// Apply writes exactly p, whose id is what the user approved. It emits
	// ChangeDone for each change and Applied at the end, stops at the
	// first failure, and stops between two changes when ctx ends.
	Apply(ctx context.Context, p report.Plan, emit engine.Sink) error
	// Recheck looks at what was written; it emits CheckStarted, CheckDone,
	// Progress and, last, Judged. It ends soon when ctx ends.
	Recheck(ctx context.Context, emit engine.Sink)
	// ApplyLine is the command line that gives these answers without the
	// wizard.
	ApplyLine(a report.Answers) string
}

// Terminal is where the screens are shown: both ends are a terminal, and
// Environ ("NAME=value") says which one.
type Terminal struct {
	In      io.Reader
	Out     io.Writer
	Environ []string
	// Called, if set, is an error with what to do next as it can be done here.
	Called func(error) error
	// Home is the home directory: paths below it are shown with "~".
	Home string
}

// Options are what is known before the wizard starts.
type Options struct {
	// Command is the word after the program's name in the header.
	Command string
	// StepByStep opens every page in its turn, without asking first whether
	// the recommended answers will do.
	StepByStep bool
	// First is a proposal for Given, if there is one already.
	First *report.Proposal
	// Given are the answers given by flags: they are not asked again.
	Given report.Answers
	// Validate, if set, judges what was typed as the answer to a question.
	Validate func(report.Question, []string) error
	// Checks, if set, lists what Recheck will ask, in the order in which it
	// is shown; it is called once a plan is applied, and only computes.
	Checks func() []engine.Check
	// AsCalled, if set, says the next steps as they can be taken here.
	AsCalled AsCalled
	// Unchecked, if set, is the step of a user who left before every check had answered.
	Unchecked *report.Command
	// Actions are the commands that the last page leads to once every check
	// has answered. The keys ?, q, r, v, y, j, k, l and n are taken.
	Actions []Action
	// Waiting, if set, is what the page says that waits for the first plan.
	Waiting string
	// Acknowledge, if set, has to be typed before its section is shown.
	Acknowledge *Acknowledgement
	// Fixed, if set, names the sections that cannot be left out.
	Fixed func(report.ID) bool
	// AllEntries says that no entry of a section can be left out by itself.
	AllEntries bool
	// Leads are commands that a section's page can have follow, by the
	// section. The key is a key of the page too; s and w are free on one
	// without changes.
	Leads map[report.ID]Action
	// TakeBack is the command that takes back what the wizard writes, as
	// the review names it before there is a receipt; "" if it need not be
	// said.
	TakeBack string
}

// End says how a run of the screens ended.
type End string

// The ends. Failed comes with the error that stopped the run.
const (
	Quit        End = "quit"        // left with a key; nothing was written
	Applied     End = "applied"     // written, or nothing had to be
	Interrupted End = "interrupted" // ctrl-c, end of input, or the context
	Failed      End = "failed"
)

// Outcome is what is left of a run once the screen is gone.
type Outcome struct {
	End End
	// Key is the key of the Action that was chosen, "" if none was.
	Key string
	// Approved is the plan of the last page, Answers what was answered for it.
	Approved report.PlanID
	Answers  report.Answers
	// Written counts the files that are on disk. It can be above zero
	// for every End but Quit.
	Written int
	// Findings are the answers of the last re-check, none if it did not come to
	// its end.
	Findings []report.Finding
	// Left counts what the last plan leaves to the user: commands that are
	// not optional, and decisions.
	Left int
}

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
	// Then are what leads on once it is written.
	Then []report.Command
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

func (b confirmed) Propose(_ context.Context, a report.Answers, _ func(engine.Progress)) (report.Proposal, error) {
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
			lines = append(lines, "To undo it:  "+text.Own(undo))
		case advice != "" && out.End == Interrupted: // of End Failed the caller prints the error
			lines = append(lines, "Next:  "+text.Own(advice))
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
			lines = append(lines, "", sameAnswers, "", "  "+text.Own(line))
		}
	case Applied:
		commands := m.plan.Commands()
		if m.single != nil {
			commands = append(commands, m.single.Then...)
		}
		steps := nextSteps(append(m.plan.Findings(), out.Findings...), commands, m.o.AsCalled, m.facts)
		if out.Findings == nil && m.o.Unchecked != nil {
			steps = append(steps, stepOf(report.NextStep{Command: m.o.Unchecked}, m.facts))
		}
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
