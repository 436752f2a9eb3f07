// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a probe is read from left to right: whether it works
// outside, what becomes of it inside, what a fix does; beneath it stands what
// was seen and what a fix costs. Where there is no room the columns stack.

package plain

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// Doctor collects the probes of a run and prints them when it is told to.
type Doctor struct {
	r *Report
	// ids are the probes in the order in which they were started.
	ids      []report.ID
	steps    map[report.ID]map[engine.Column][]engine.ProbeStep
	findings []report.Finding
}

// The measures of the table, in cells.
const (
	probeWidth   = 15  // of the ids, at least
	columnGap    = 2   // between columns
	withoutWidth = 100 // where there is no terminal
)

// NewDoctor returns a Doctor that prints to w; environ decides about colour,
// with what w is.
func NewDoctor(w io.Writer, environ []string, facts report.Facts, o ReportOptions) *Doctor {
	return &Doctor{r: NewReport(w, environ, facts, o), steps: map[report.ID]map[engine.Column][]engine.ProbeStep{}}
}

// Emit takes one event.
func (d *Doctor) Emit(e engine.Event) {
	switch e := e.(type) {
	case engine.CheckStarted:
		d.ids = append(d.ids, e.ID)
		d.steps[e.ID] = map[engine.Column][]engine.ProbeStep{}
	case engine.ProbeStep:
		if d.steps[e.ID] != nil {
			d.steps[e.ID][e.Column] = append(d.steps[e.ID][e.Column], e)
		}
	case engine.CheckDone:
		d.findings = append(d.findings, text.Said([]report.Finding{e.Finding}, d.r.p.facts.Home)...)
	case engine.Progress:
	default:
		d.r.p.Emit(e)
	}
}

var columns = []struct {
	of    engine.Column
	title string
}{{engine.Outside, "outside"}, {engine.Inside, "inside"}, {engine.WithFix, "with the fix"}}

// End prints the table, then what was seen and what would help, probe by
// probe.
func (d *Doctor) End() {
	if ids, each := d.widths(); d.r.p.stacks() || d.r.p.width > 0 && !d.fits(each) {
		d.stacked()
	} else {
		d.table(ids, each)
	}
	for _, id := range d.ids {
		if f, ok := d.finding(id); ok {
			d.below(f)
		}
	}
}

func (d *Doctor) finding(id report.ID) (report.Finding, bool) {
	i := slices.IndexFunc(d.findings, func(f report.Finding) bool { return f.Check == id })
	if i < 0 {
		return report.Finding{}, false
	}
	return d.findings[i], true
}

// cell is what a column says of a probe: the last that was told, or, of fixes,
// each one that was.
func (d *Doctor) cell(id report.ID, c engine.Column) []engine.ProbeStep {
	told := slices.DeleteFunc(slices.Clone(d.steps[id][c]), func(s engine.ProbeStep) bool { return s.Summary == "" })
	if len(told) == 0 || c == engine.WithFix {
		return told
	}
	return told[len(told)-1:]
}

// rowsOf lays a cell out in width cells: a sign and its words.
func rowsOf(cell []engine.ProbeStep, width int) (rows []string) {
	for _, s := range cell {
		for i, line := range text.Rows(text.Line(s.Summary), max(8, width-2)) {
			sign := "  "
			if i == 0 {
				sign = Mark(s.Status) + " "
			}
			rows = append(rows, strings.TrimRight(sign+line, " "))
		}
	}
	return rows
}

// widths are how wide the ids are, and each other column.
func (d *Doctor) widths() (ids, each int) {
	ids = probeWidth
	for _, id := range d.ids {
		ids = max(ids, len(id))
	}
	return ids, (cmp.Or(d.r.p.width, withoutWidth) - 1 - ids - 3*columnGap) / len(columns)
}

// fits says whether no word of the table is wider than its column.
func (d *Doctor) fits(each int) bool {
	for _, id := range d.ids {
		for _, c := range columns {
			for _, row := range rowsOf(d.cell(id, c.of), each) {
				if text.Width(row) > each {
					return false
				}
			}
		}
	}
	return true
}

func (d *Doctor) table(ids, each int) {
	gap := strings.Repeat(" ", columnGap)
	head := " " + pad("probe", ids)
	for _, c := range columns {
		head += gap + pad(c.title, each)
	}
	d.r.p.linef("%s", bold.Render(strings.TrimRight(head, " ")))
	for _, id := range d.ids {
		cells := make([][]string, len(columns))
		height := 1
		for i, c := range columns {
			cells[i] = rowsOf(d.cell(id, c.of), each)
			height = max(height, len(cells[i]))
		}
		for n := range height {
			name := ""
			if n == 0 {
				name = string(id)
			}
			row := " " + pad(name, ids)
			for _, cell := range cells {
				part := ""
				if n < len(cell) {
					part = cell[n]
				}
				row += gap + pad(part, each)
			}
			d.r.p.linef("%s", strings.TrimRight(row, " "))
		}
	}
}

// stacked prints the columns one beneath another.
func (d *Doctor) stacked() {
	for _, id := range d.ids {
		d.r.p.linef(" %s", bold.Render(string(id)))
		for _, c := range columns {
			rows := rowsOf(d.cell(id, c.of), d.r.p.width-12)
			for i, row := range rows {
				title := ""
				if i == 0 {
					title = strings.TrimPrefix(c.title, "with the ")
				}
				d.r.p.linef("   %s %s", pad(title, 8), row)
			}
		}
	}
}

// pad fills a cell; what it holds may be coloured.
func pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-text.Width(s))) }

// below prints what was seen, and the changes and ways that would help. What
// works needs no words, unless all is to be seen.
func (d *Doctor) below(f report.Finding) {
	if (f.Status == report.Pass || f.Status == report.Skip) && !d.r.o.Verbose {
		return
	}
	d.r.p.linef("")
	d.r.p.linef(" %s %s", Mark(f.Status), bold.Render(text.Line(string(f.Check))))
	d.r.p.fold("     ", "     ", f.Summary)
	d.r.seen("     ", f.Evidence, foldedSeen*2)
	for _, r := range f.Remedies {
		switch r := r.(type) {
		case report.Change:
			d.change(r)
		case report.DocLink:
			d.r.p.fold("     or     ", "            ", r.Text())
		}
	}
}

// change shows what a fix would write; nobody writes it here.
func (d *Doctor) change(c report.Change) {
	d.r.p.fold("     fix    ", "            ", c.Says())
	d.r.p.fold("            ", "            ", text.Tested(c.Path, d.r.p.facts))
	d.r.p.diff("            ", c, false)
}

// Next prints the numbered next steps, if there are any.
func (d *Doctor) Next(steps []report.NextStep) { d.r.Next(steps) }
