// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the verdict stands first, then each layer with its checks,
// and what was seen under everything that is no pass. A row is no wider than
// the terminal, unless it is a command: that stays whole, to be copied.

package plain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// ReportOptions say how a report is shown.
type ReportOptions struct {
	// Width is that of the terminal in cells, 0 where there is none: a
	// line is then never broken.
	Width int
	// Verbose shows all evidence, also under what passed.
	Verbose bool
	// Diffs shows, under a finding, the changes that would mend it.
	Diffs bool
}

// Report collects the findings of checks and prints them when they are judged.
type Report struct {
	p        *Printer
	o        ReportOptions
	findings []report.Finding
}

// The measures of a report, in cells.
const (
	idWidth    = 18 // of the longest check of the contract
	foldedSeen = 6  // evidence that is shown unless Verbose, in number
)

// NewReport returns a Report that prints to w; environ decides about colour,
// with what w is.
func NewReport(w io.Writer, environ []string, facts report.Facts, o ReportOptions) *Report {
	return &Report{p: New(w, environ, facts, o.Width), o: o}
}

// Emit takes one event.
func (r *Report) Emit(e engine.Event) {
	switch e := e.(type) {
	case engine.CheckDone:
		r.findings = append(r.findings, text.Said([]report.Finding{e.Finding}, r.p.facts.Home)...)
	case engine.Judged:
		r.judged(e)
	case engine.CheckStarted, engine.Progress:
	default:
		r.p.Emit(e)
	}
}

func (r *Report) judged(e engine.Judged) {
	findings := report.InOrder(r.findings)
	r.verdict(e, findings)
	for _, l := range report.Layers {
		of := slices.DeleteFunc(slices.Clone(findings), func(f report.Finding) bool { return f.Layer != l })
		if len(of) == 0 {
			continue
		}
		r.p.linef("")
		r.p.beside("", string(l), text.About(l), faint.Render)
		for _, f := range of {
			r.finding(f)
			if r.o.Diffs {
				r.p.diffs(f)
			}
		}
	}
}

// verdict prints the verdict with its counts, then how the agent may be
// started, and how old what was rehearsed is.
func (r *Report) verdict(e engine.Judged, findings []report.Finding) {
	word := style(text.VerdictStatus(e.Verdict, e.Covers)).Bold(true).Render(strings.ToUpper(e.Word()))
	where := text.Range(e.Verdict, e.Covers, r.p.facts)
	tally := text.Tally(findings)
	left := word + "   " + tally
	right := text.Seconds(e.Elapsed)
	if rt := r.p.facts.Runtime; rt != "" {
		right += "   " + r.p.facts.Program + " " + text.Line(rt)
	}
	if long := word + " " + where + "   " + tally; where != "" &&
		(r.p.width == 0 || text.Width(long)+3+text.Width(right) <= r.p.width) {
		left, where = long, ""
	}
	switch w := r.p.width; {
	case w == 0:
		r.p.linef("%s   %s", left, faint.Render(right))
	case text.Width(left)+3+text.Width(right) > w:
		r.p.linef("%s", left)
		r.p.folded("", "", right, faint.Render)
	default:
		r.p.linef("%s", text.Ends(left, faint.Render(right), w))
	}
	if where != "" {
		r.p.fold("", "", where)
	}
	r.started(e)
	if e.Said != "" {
		return
	}
	r.p.fold("", "", text.Rehearsed(e))
}

func (r *Report) finding(f report.Finding) {
	id := text.Line(string(f.Check))
	under := strings.Repeat(" ", 4+idWidth+2)
	if r.p.stacks() {
		r.p.linef("  %s %s", Mark(f.Status), bold.Render(id))
		under = "    "
		r.p.fold(under, under, f.Summary)
	} else {
		r.p.fold(fmt.Sprintf("  %s %-*s  ", Mark(f.Status), idWidth, id), under, f.Summary)
	}
	r.launches(f, under)
	listed := report.Info(f.Check).Listed
	if f.Status == report.Pass && !r.o.Verbose && !listed {
		return
	}
	seen, most := f.Evidence, foldedSeen
	if listed {
		most = len(seen)
	} else if !r.o.Verbose {
		seen = slices.DeleteFunc(slices.Clone(seen), func(e report.Evidence) bool { return text.Repeats(f, e) })
	}
	r.seen(under, seen, most)
}

// seen prints evidence: so much of it at most, unless all is to be seen.
func (r *Report) seen(under string, list []report.Evidence, most int) {
	for i, e := range list {
		if i == most && !r.o.Verbose {
			r.p.faint(under, fmt.Sprintf("and %d more: --verbose", len(list)-i))
			return
		}
		r.p.faint(under, text.Seen(text.Where(e, r.p.facts), e.Text, maxError))
	}
}

// launches prints a line for each way to start the agent, where they differ or
// all is to be seen. Where it is too narrow for a column, the words stand under
// the launch.
func (r *Report) launches(f report.Finding, under string) {
	if !text.Differ(f) && !r.o.Verbose {
		return
	}
	for _, l := range f.Launches {
		if !r.o.Verbose && text.RepeatsLaunch(f, l) {
			continue
		}
		if r.p.stacks() {
			r.p.linef("%s%s %s", under, Mark(l.Status), text.Launch(l.Launch))
			r.p.fold(under+"  ", under+"  ", text.OfLaunch(l))
			continue
		}
		r.p.fold(under+fmt.Sprintf("%-12s %s ", text.Launch(l.Launch), Mark(l.Status)), under+strings.Repeat(" ", 15),
			text.OfLaunch(l))
	}
}

// Next prints the numbered next steps, if there are any, each command with its reason.
func (r *Report) Next(steps []report.NextStep) { r.p.next(steps, true) }

const startedAs = "started as   "

// started prints how the agent may be started: all in one row where nothing is
// known of the directories, else a launch under another.
func (r *Report) started(e engine.Judged) {
	const column = 15 // the longest name, a sign
	var row []string
	head := startedAs
	for _, l := range []report.Launch{report.Iso, report.Plain} {
		v, ok := e.Launches[l]
		if !ok {
			continue
		}
		parts := text.Covered(l, v, text.Warned(r.findings, l), e.Covers, r.p.facts)
		if len(e.Covers) == 0 {
			row = append(row, fmt.Sprintf("%s %s %s", text.Launch(l), Mark(parts[0].Status), parts[0]))
			continue
		}
		narrowed := r.p.stacks()
		if narrowed {
			r.p.linef("%s%s", head, text.Launch(l))
		}
		for i, part := range parts {
			first, next := strings.Repeat(" ", text.Width(head)+13), strings.Repeat(" ", text.Width(head)+column)
			switch {
			case narrowed:
				first, next = "  ", "    "
			case i == 0:
				first = head + fmt.Sprintf("%-13s", text.Launch(l))
			}
			r.p.fold(first+Mark(part.Status)+" ", next, part.String())
		}
		if !narrowed {
			head = strings.Repeat(" ", text.Width(startedAs))
		}
	}
	if row == nil {
		return
	}
	if whole := startedAs + strings.Join(row, "   "); r.p.width == 0 || text.Width(whole) <= r.p.width {
		r.p.linef("%s", whole)
		return
	}
	for _, part := range row {
		r.p.linef("%s%s", head, part)
		head = strings.Repeat(" ", text.Width(head))
	}
}
