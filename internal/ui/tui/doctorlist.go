// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a probe came to is kept column by column, as it
// becomes known; what was not told is unknown, and no column is filled by
// guessing from another.

package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// cell is one column of a probe; told is false as long as nothing is known.
type cell struct {
	told   bool
	status report.Status
	words  string
}

// plain is a column's words with the layer in plain words first: "seccomp:
// ssh-add" and "by design: seccomp: ssh-add" begin with what was refused.
func (c cell) plain() string {
	before, rest := "", c.words
	if i := strings.Index(rest, byDesign); i >= 0 {
		before, rest = rest[:i], rest[i+len(byDesign):]
	}
	layer, said, ok := strings.Cut(rest, ": ")
	words := text.Layers(layer)
	if !ok || words == layer {
		return c.words
	}
	if len(rest) != len(c.words) {
		words += ", by design"
	}
	if before = strings.TrimRight(before, "; "); before != "" {
		said += "; " + before
	}
	return words + ": " + said
}

// byDesign stands before the layers of what is refused on purpose.
const byDesign = "by design: "

// applies says whether the column says anything.
func (c cell) applies() bool { return c.told && c.words != "" }

// probeRow is one probe of the table.
type probeRow struct {
	id                   report.ID
	title                string
	outside, inside, fix cell
	finding              report.Finding
	// changes are those of the finding, ready to be shown.
	changes []shown
	// fixesTried says that the run it answers in tries fixes.
	started, done, fixesTried bool
}

// refused says whether something was refused inside, or is by design, as far
// as it is known.
func (r *probeRow) refused() bool {
	return r.inside.applies() && (r.inside.status == report.Fail || r.inside.status == report.Warn)
}

// probes are all rows, and where the cursor is.
type probes struct {
	rows   []probeRow
	asked  []report.ID // of the run; nil is all
	cur    int
	top    int
	moved  bool
	copied int
	said   engine.Progress
	filled float64 // the greatest share that was done
	over   bool
}

func newProbeList(list []Probe) probes {
	var p probes
	for _, x := range list {
		p.rows = append(p.rows, probeRow{id: x.ID, title: x.Title})
	}
	return p
}

// reset makes the rows of a run what they were before any; the cursor stays.
func (p *probes) reset(ids []report.ID, fixes bool) {
	p.asked, p.said, p.filled, p.over = ids, engine.Progress{}, 0, false
	for i, r := range p.rows {
		if p.inRun(r.id) {
			p.rows[i] = probeRow{id: r.id, title: r.title, fixesTried: fixes}
		}
	}
}

func (p *probes) inRun(id report.ID) bool { return p.asked == nil || slices.Contains(p.asked, id) }

// row finds the row of a probe; one that nobody announced comes last.
func (p *probes) row(id report.ID) *probeRow {
	i := slices.IndexFunc(p.rows, func(r probeRow) bool { return r.id == id })
	if i < 0 {
		p.rows = append(p.rows, probeRow{id: id})
		i = len(p.rows) - 1
	}
	return &p.rows[i]
}

// event takes one event of the run.
func (p *probes) event(e engine.Event) {
	switch e := e.(type) {
	case engine.CheckStarted:
		r := p.row(e.ID)
		r.started = true
		if r.title == "" {
			r.title = e.Title
		}
	case engine.ProbeStep:
		r := p.row(e.ID)
		c := cell{true, e.Status, text.Line(e.Summary)}
		switch e.Column {
		case engine.Outside:
			r.outside = c
		case engine.Inside:
			r.inside = c
		case engine.WithFix:
			if r.fix.status != report.Warn { // the first that works is the smallest
				r.fix = c
			}
		}
	case engine.CheckDone:
		r := p.row(e.Finding.Check)
		r.finding, r.started, r.done, r.changes = e.Finding, true, true, nil
		for _, m := range e.Finding.Remedies {
			if c, ok := m.(report.Change); ok {
				r.changes = append(r.changes, shown{Change: c, stat: text.Stat(c), lines: parseDiff(text.Diff(c))})
			}
		}
	case engine.Progress:
		p.said = e
	}
	p.filled = max(p.filled, p.share())
}

// share is how much of the run is done, between 0 and 1: a third of a probe is
// its control, a third what became of it inside.
func (p *probes) share() float64 {
	parts, of := 0, 0
	for _, r := range p.rows {
		if !p.inRun(r.id) {
			continue
		}
		of += 3
		switch {
		case r.done:
			parts += 3
		case r.inside.told:
			parts += 2
		case r.outside.told:
			parts++
		}
	}
	if of == 0 {
		return 0
	}
	done := float64(parts) / float64(of)
	if p.said.Of > 0 {
		done = max(done, min(1, float64(p.said.Done)/float64(p.said.Of)))
	}
	return done
}

// answered counts the probes of the run, and those of them that have answered.
func (p *probes) answered() (n, of int) {
	for _, r := range p.rows {
		if p.inRun(r.id) {
			if of++; r.done {
				n++
			}
		}
	}
	return n, of
}

// running is one line on what takes long, "" if there is nothing.
func (p *probes) running() string {
	said := text.Line(p.said.Text)
	if p.said.Of > 0 && said != "" {
		said = fmt.Sprintf("%d of %d  ", p.said.Done, p.said.Of) + said
	}
	return said
}

func (p *probes) findings() []report.Finding {
	var fs []report.Finding
	for _, r := range p.rows {
		if r.done {
			fs = append(fs, r.finding)
		}
	}
	return fs
}

// selected is the row that the cursor is on; nil if there is none.
func (p *probes) selected() *probeRow {
	if p.cur < len(p.rows) {
		return &p.rows[p.cur]
	}
	return nil
}

// worst is the row to look at first: an open denial, then by status.
func (p *probes) worst() int {
	best, at := len(report.Statuses), 0
	for i, r := range p.rows {
		rank := slices.Index(report.Statuses, r.finding.Status)
		if r.finding.Voids {
			rank = -1
		}
		if r.finding.Status != report.Skip && rank < best {
			best, at = rank, i
		}
	}
	return at
}

// move takes a key of the table, of which page rows are in sight; false if it
// is none.
func (p *probes) move(key string, page int) bool {
	last, was := max(0, len(p.rows)-1), p.cur
	switch key {
	case "up", "k":
		p.cur--
	case "down", "j":
		p.cur++
	case "pgup", "ctrl+u":
		p.cur -= max(1, page-1)
	case "pgdown", "ctrl+d", "space":
		p.cur += max(1, page-1)
	case "home", "g":
		p.cur = 0
	case "end", "G":
		p.cur = last
	default:
		return false
	}
	if p.cur, p.moved = max(0, min(last, p.cur)), true; p.cur != was {
		p.copied = 0
	}
	return true
}

// diagnosis is what all probes say together, and the status it amounts to.
func diagnosis(findings []report.Finding) (string, report.Status) {
	n := report.Count(findings)
	switch {
	case slices.ContainsFunc(findings, func(f report.Finding) bool { return f.Voids }):
		return "NOT PROTECTED", report.Fail
	case n[report.Fail] > 0:
		return "BLOCKED", report.Fail
	case n[report.Unknown] > 0:
		return "INCOMPLETE", report.Unknown
	case n[report.Skip] == len(findings):
		return "NOTHING APPLIES", report.Skip
	}
	return "NOTHING BLOCKED", report.Pass
}

// priceOf splits what is said of a fix into what it is and what it costs.
func priceOf(c shown) (title, price string) {
	title, price, _ = strings.Cut(c.Why, ". Price: ")
	return own(title), own(price)
}

// signed is a line of a diff with its sign.
func (d diffLine) signed() string {
	if d.sign == 0 {
		return "· " + d.text
	}
	return string(d.sign) + " " + d.text
}
