// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: all that is known of a probe, whole: the columns, who
// refused, each fix with its price and every byte that it would write, other
// ways, and what was seen.

package tui

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// probeText is all about a probe: its columns in full, who refused, what a fix
// would write and what it costs, other ways, what was seen.
func (l look) probeText(r *runRow, as AsCalled, w int) []string {
	rows := l.layerRows(r, w)
	said := false // the summary, by a column
	for _, c := range []struct {
		label string
		cell  cell
	}{{"outside", r.outside}, {"inside", r.inside}, {"with fix", r.fix}} {
		if c.cell.applies() {
			rows = append(rows, l.statusRows(c.label, c.cell.status, c.cell.words, w)...)
			said = said || strings.HasPrefix(text.Line(r.finding.Summary), c.cell.words)
		}
	}
	if !r.done {
		return rows
	}
	if !said {
		rows = append(rows, l.statusRows("in short", r.finding.Status, text.Line(r.finding.Summary), w)...)
	}
	var seen, price []string
	for _, e := range r.finding.Evidence {
		switch e.Role {
		case report.Refusal: // stands first
		case report.Price:
			price = append(price, text.Line(e.Text))
		case report.Seen:
			seen = append(seen, text.Seen(text.Home(e.Where, l.facts.Home), e.Text, maxCommand))
		}
	}
	for _, c := range r.changes {
		rows = append(rows, l.changeText(c, w)...)
	}
	for _, s := range price {
		rows = append(rows, l.labelled("price", s, w)...)
	}
	for _, m := range r.finding.Remedies {
		if d, ok := m.(report.DocLink); ok {
			rows = append(rows, l.labelled("or", own(d.Text()), w)...)
		}
	}
	for _, s := range commands(r.finding, as, l.facts) {
		rows = append(rows, l.labelled("try", s.say, w)...)
		rows = append(rows, l.commandRows(s.line, w)...)
	}
	for _, s := range seen {
		rows = append(rows, l.labelled("seen", s, w)...)
	}
	return rows
}

// layerRows say who refused, in plain words and by the layer's name.
func (l look) layerRows(r *runRow, w int) []string {
	var layers []string
	for _, layer := range r.finding.Of(report.Refusal) {
		if words := text.Layer(catalog.Refuser(layer)); words != layer {
			layer = words + " (" + layer + ")"
		}
		layers = append(layers, text.Line(layer))
	}
	if slices.Sort(layers); layers == nil {
		return nil
	}
	return l.labelled("layer", strings.Join(layers, ", "), w)
}

// commands are the remedies of a finding that are command lines.
func commands(f report.Finding, as AsCalled, facts report.Facts) []step {
	return slices.DeleteFunc(mends(f, as, facts), func(s step) bool { return s.copy == "" })
}

// statusRows is a label, a sign and words on as many rows as they take.
func (l look) statusRows(label string, s report.Status, words string, w int) []string {
	return after(l.dim.Render(text.Pad(label, noteLabel))+l.of(s).Render(s.Symbol())+" ", words, w)
}

// changeText is a fix that works: what it is, what it costs, and what it would
// write. No line of it is cut: a long one goes on in the next row.
func (l look) changeText(c shown, w int) []string {
	rows := l.labelled("fix", own(c.Why), w)
	if c.Price != "" {
		rows = append(rows, l.labelled("price", own(c.Price), w)...)
	}
	rows = append(rows,
		l.labelled("would be", text.Path(c.Path, l.facts)+"  "+c.stat+"; tested on a copy, nothing is written", w)...)
	styles := map[byte]lipgloss.Style{'+': l.pass, '-': l.fail, ' ': lipgloss.NewStyle(), 0: l.dim}
	room := w - noteLabel
	for _, d := range c.lines {
		for line := d.signed(); line != ""; {
			rest := cutCells(line, room)
			rows = append(rows, text.Pad("", noteLabel)+styles[d.sign].Render(line[:len(line)-len(rest)]))
			if line = rest; rest != "" {
				line = "  " + rest
			}
		}
	}
	return rows
}
