// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever ends the screens, the terminal is as it was, the
// writing has stopped, and the outcome says what is on disk. Signals are the
// caller's: it ends ctx.

package tui

import (
	"context"
	"errors"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// framesPerSecond bounds how often a frame is drawn. The renderer wakes so
// often also while nothing happens: at its own 60 an idle screen takes 0.85% of
// a core (bubbletea 2.0.9, measured over 20 s in /proc/PID/stat).
const framesPerSecond = 10

// RunWizard shows the wizard until the user leaves it, and then says on the
// terminal's own screen how it ended. ctx must end with the signals that end
// the process; SIGINT does not come from a terminal in raw mode, ctrl-c is a
// key there. The error is what stopped the run (End Failed): Propose's or
// Apply's own, or a *report.Error with ExitInternal for the screen's.
func RunWizard(ctx context.Context, t Terminal, b Backend, o Options) (Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newWizard(ctx, b, o)
	out, err := m.runOn(t, cancel)
	m.farewell(t.Out, out)
	return out, err
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newWizard(ctx, confirmed{c}, Options{Command: c.Command})
	m.confirm(&c)
	out, err := m.runOn(t, cancel)
	m.farewell(t.Out, out)
	return out, err
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

// runOn runs the program and sums it up.
func (m *wizard) runOn(t Terminal, cancel context.CancelFunc) (Outcome, error) {
	var p *tea.Program
	in := watch(t.In, func() { go p.Send(inputEndedMsg{}) })
	p = tea.NewProgram(m, tea.WithContext(m.ctx), tea.WithInput(in), tea.WithOutput(t.Out),
		tea.WithEnvironment(t.Environ), tea.WithFPS(framesPerSecond), tea.WithoutSignalHandler())
	_, err := p.Run()
	cancel()
	written, receipt := m.ledger.close()
	out := m.outcome(written, receipt)
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		out.End = Failed
		return out, &report.Error{Code: report.ExitInternal, What: "the screen failed", Next: "run again with --plain",
			Err: err}
	case out.End == "":
		// Nobody pressed a key for this: a signal, or a terminal that went.
		out.End = Interrupted
		return out, nil
	case out.End == Failed:
		return out, m.err
	}
	return out, nil
}

// outcome is how the screens ended, with what the ledger counted.
func (m *wizard) outcome(written int, receipt string) Outcome {
	return Outcome{End: m.end, Answers: m.answers, Approved: m.proposal.Plan.ID, Key: m.pick, Written: written,
		Receipt:  receipt,
		Findings: m.findings, Judged: m.judged, Left: m.proposal.Plan.LeftForUser()}
}

// watch tells when r has ended. A terminal stays one: bubbletea and its
// cancellable reader need the methods of a file.
func watch(r io.Reader, ended func()) io.Reader {
	w := watched{r, ended}
	if f, ok := r.(file); ok {
		return watchedFile{f, w}
	}
	return w
}

// file is what a terminal must be for bubbletea to set its mode.
type file interface {
	io.ReadWriteCloser
	Fd() uintptr
	Name() string
}

type watched struct {
	r     io.Reader
	ended func()
}

func (w watched) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	if err != nil && n == 0 {
		w.ended()
		return 0, io.EOF
	}
	return n, err //nolint:wrapcheck // a reader passes its error on
}

type watchedFile struct {
	file
	w watched
}

func (f watchedFile) Read(b []byte) (int, error) { return f.w.Read(b) }

// farewell says on the terminal's own screen, which outlives the wizard's,
// how it ended and what is left.
func (m *wizard) farewell(w io.Writer, out Outcome) {
	for _, line := range m.lastWords(out) {
		fmt.Fprintln(w, line)
	}
}
