// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the doctor's screen shows what a fix would write and
// writes nothing; a fix is tried only once somebody asked for it.

package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// DoctorRun is what the doctor's screen shows, and how it comes to it.
type DoctorRun struct {
	Facts report.Facts
	// Probes are all probes of the run in the order in which they are shown;
	// of each, ID and Title are used. A title completes "whether …".
	Probes []engine.Check
	// Run asks them and emits for each CheckStarted, ProbeStep as a column
	// becomes known, and CheckDone; Progress, if there is any. It runs
	// outside the screen's own goroutine, ends soon when ctx ends, and is
	// called again when the user asks for it. FixesTried says that it tries
	// the fixes, too.
	Run        func(ctx context.Context, emit engine.Sink) error
	FixesTried bool
	// TryFixes asks some of the probes anew and tries every known fix for
	// them; its terms are those of Run. Fixable says whether there is one
	// to try for what a probe found.
	TryFixes func(ctx context.Context, ids []report.ID, emit engine.Sink) error
	Fixable  func(report.Finding) bool
	// AsCalled, if set, says a command as it can be typed here; Next, if
	// set, lists what is left to do, for the lines that outlive the screen.
	AsCalled AsCalled
	Next     func([]report.Finding) []report.NextStep
}

// DoctorDone is what is left of a run of the doctor's screen.
type DoctorDone struct {
	// End is Quit once every probe has answered, Interrupted before, or
	// Failed.
	End End
	// Findings are what each probe came to last; nil unless End is Quit.
	Findings []report.Finding
}

// Doctor runs the probes on a full screen until the user leaves it, and then
// says on the terminal's own screen what they came to, with what a fix would
// write. When it returns, Run and TryFixes have returned. ctx must end with the
// signals that end the process. The error is Run's or TryFixes' own, or a
// *report.Error with ExitInternal for the screen's.
func Doctor(ctx context.Context, t Terminal, d DoctorRun) (DoctorDone, error) {
	m, p := newDoctor(ctx, d)
	_, err := m.runOn(m, t)
	done := DoctorDone{End: m.end}
	if m.end == Quit {
		done.Findings = p.findings()
	}
	for _, line := range p.lastWords(m.end) {
		fmt.Fprintln(t.Out, line)
	}
	return done, err
}

func newDoctor(ctx context.Context, d DoctorRun) (*viewer, *doctorPage) {
	p := &doctorPage{run: d, runList: newRunList(d.Probes)}
	p.reset(nil, d.FixesTried)
	m := newViewer(ctx, "doctor", d.Facts, p)
	m.work, m.quits = d.Run, "quit; while probes run it stops them at once"
	p.layout(m.look)
	return m, p
}

// doctorPage is the table of the probes and, under it, all about one of them.
type doctorPage struct {
	l   look
	run DoctorRun
	runList
	// each is the height of a probe in the table, height that of the table
	// without its head, paneHeight that of the pane, in rows.
	each, height, paneHeight int
}

func (p *doctorPage) event(e engine.Event) {
	p.runList.event(e)
	if e, ok := e.(engine.CheckDone); ok {
		p.row(e.Finding.Check).changes = changesOf(e.Finding)
	}
}

// finished takes the end of a run. The cursor goes to what matters most, unless
// the user has put it somewhere.
func (p *doctorPage) finished() error {
	if i := slices.IndexFunc(p.rows, func(r runRow) bool { return !r.done }); i >= 0 {
		return noResult(string(p.rows[i].id), "the probe ended without a result")
	}
	p.over = true
	if !p.moved {
		p.cur = p.worst()
	}
	return nil
}

// again makes the page what it was before the run.
func (p *doctorPage) again() { p.reset(nil, p.run.FixesTried) }

// progress implements filling. What takes long stands in the row under the
// header, if that has room for it.
func (p *doctorPage) progress() (filled float64, said string, over bool) {
	if p.l.narrow() {
		said = p.running()
	}
	return p.filled, said, p.over
}

// fixable are the probes with fixes that were not tried: of what is blocked, and
// of what is refused by design.
func (p *doctorPage) fixable() []report.ID {
	var ids []report.ID
	for i := range p.rows {
		if p.mayFix(&p.rows[i]) {
			ids = append(ids, p.rows[i].id)
		}
	}
	return ids
}

// mayFix says whether f would try something for a probe.
func (p *doctorPage) mayFix(r *runRow) bool {
	return r.done && !r.finding.Voids && !r.fixesTried && p.run.TryFixes != nil && p.run.Fixable != nil &&
		p.run.Fixable(r.finding)
}

// tryFixes asks for a run with the fixes of the selected probe, or of all that
// is refused.
func (p *doctorPage) tryFixes(all bool) ask {
	ids, r := p.fixable(), p.selected()
	if !all && r != nil && p.over && len(ids) > 0 {
		if !slices.Contains(ids, r.id) {
			return askSay{"no fix to try for " + text.Line(string(r.id)) + "; select another probe, or press F for all"}
		}
		ids = []report.ID{r.id}
	}
	switch {
	case !p.over:
		return askSay{"probes are still running; press f when they are done"}
	case len(ids) > 0:
		return askCheck{
			work:  func(ctx context.Context, emit engine.Sink) error { return p.run.TryFixes(ctx, ids, emit) },
			begin: func() { p.reset(ids, true) },
		}
	case slices.ContainsFunc(p.rows, func(r runRow) bool { return r.finding.Voids }):
		return askSay{"a protection failed: no fix is tested until it works"}
	case slices.ContainsFunc(p.rows, func(r runRow) bool { return r.fix.applies() }):
		return askSay{"fixes were tested; press r to run the probes again"}
	case slices.ContainsFunc(p.rows, func(r runRow) bool { return r.finding.Status == report.Fail }):
		return askSay{"no fix is known for what is blocked here"}
	}
	return askSay{"nothing is blocked, so there is nothing to fix"}
}

// read asks for all that is known of the probe.
func (p *doctorPage) read() ask {
	r := p.selected()
	if r == nil || !r.done {
		return askSay{"not answered yet"}
	}
	row, as := *r, p.run.AsCalled
	return askOver{newReadPage(text.Line(string(row.id)), func(l look, w int) []string {
		return l.probeText(&row, as, w)
	})}
}

// lines are the command lines that can be copied of the probe.
func (p *doctorPage) lines() []string { return copyable(p.selected(), p.run.AsCalled, p.l.facts) }

func (p *doctorPage) keys() []binding {
	r := p.selected()
	one, some := p.over && r != nil && p.mayFix(r), p.over && len(p.fixable()) > 0
	return []binding{
		{on: moveKeys, key: "↑ ↓", word: "select", keep: true, help: "select a probe",
			move: func(key string) { p.move(key, len(p.rows), p.height/p.each) }},
		{on: "enter right l", as: "enter →", word: "details", short: "all", keep: true,
			help: "all evidence of the probe, and what a fix would write", do: p.read},
		{on: "f", word: when(one, "try fixes"), short: "fix", keep: true, help: "test the known fixes of this probe on a " +
			"copy of your setup: a fix must work, and everything else must stay blocked; your files are not changed",
			do: func() ask { return p.tryFixes(false) }},
		{on: "F", word: when(some && !one, "try all fixes"), short: "fix all", keep: true,
			help: "the same for every blocked probe", do: func() ask { return p.tryFixes(true) }},
		{key: "time", help: "time of this probe alone: its test outside the sandbox and its fixes; sessions are shared"},
		{on: "y", word: when(len(p.lines()) > 0, "copy"), keep: true,
			help: "copy a command of the probe; again for its next one",
			do:   func() ask { return p.copyNext(p.lines(), "probe") }},
		{on: "r", word: when(p.over, "run again"), short: "again", help: "run all probes again", do: func() ask {
			if p.over {
				return askCheck{work: p.run.Run}
			}
			return askSay{"probes are still running; press r when they are done"}
		}},
		forHelp, quits("q esc", askLeave{}),
	}
}

// lastWords are lines of plain text, for any terminal: what is no pass, what a
// fix would write, and every step with its line, whole.
func (p *doctorPage) lastWords(end End) []string {
	switch end {
	case Failed:
		return nil
	case Interrupted:
		return []string{"Stopped before every probe had answered; nothing was changed."}
	}
	findings, w := p.findings(), p.l.width
	word, _ := diagnosis(findings)
	lines := []string{word + "   " + text.Tally(findings)}
	for i := range p.rows {
		r := &p.rows[i]
		f := r.finding
		if f.Status == report.Pass || f.Status == report.Skip {
			continue
		}
		lines = append(lines, hang(fmt.Sprintf("  %s %-*s  ", f.Status.Symbol(), probeColumn, text.Line(string(f.Check))),
			text.Line(f.Summary), w)...)
		for _, c := range r.changes {
			lines = append(lines, hang("      fix    ", text.Own(c.Why), w)...)
			if c.Price != "" {
				lines = append(lines, hang("      price  ", text.Own(c.Price), w)...)
			}
			lines = append(lines, hang("      ", text.Tested(c.Path, p.run.Facts), w)...)
			for _, d := range c.lines {
				lines = append(lines, strings.TrimRight("      "+d.signed(), " "))
			}
		}
	}
	steps := nextSteps(findings, nil, p.run.AsCalled, p.run.Facts)
	if p.run.Next != nil {
		steps = stepsOf(p.run.Next(findings), p.run.Facts)
	}
	return append(lines, stepWords(steps, w)...)
}
