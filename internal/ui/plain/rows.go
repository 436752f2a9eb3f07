// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a row is no wider than the terminal, unless it is one word
// or a line to paste: those stay whole. What goes to a pipe is never broken.

package plain

import (
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/report/preview"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// The widths of a terminal, in cells.
const (
	maxWidth = 120 // wider rows are hard to read
	narrow   = 60  // below it, what else stands beside a name stands under it
)

// stacks says whether there is no room for columns.
func (p *Printer) stacks() bool { return p.width > 0 && p.width < narrow }

func (p *Printer) linef(format string, a ...any) { fmt.Fprintf(p.w, format+"\n", a...) }

// fold prints foreign text after first, and its further rows after next.
func (p *Printer) fold(first, next, s string) {
	p.folded(first, next, text.Line(s), asIs)
}

func asIs(row ...string) string { return strings.Join(row, "") }

// Row prints what stands in a column and words beside it, or under it where
// there is no room.
func (p *Printer) Row(column, words string) {
	next := strings.Repeat(" ", text.Width(column))
	if under := "      "; p.stacks() && text.Width(column) > 16 {
		p.note(strings.TrimRight(column, " "))
		column, next = under, under
	}
	p.fold(column, next, words)
}

// faint prints text that is safe already as what stands behind another line.
func (p *Printer) faint(indent, s string) { p.folded(indent+"· ", indent+"  ", s, faint.Render) }

// folded prints safe text, each row painted, after first and next.
func (p *Printer) folded(first, next, s string, paint func(...string) string) {
	width := p.width
	if width > 0 {
		width = max(8, width-max(text.Width(first), text.Width(next)))
	}
	for i, row := range text.Rows(s, width) {
		if i > 0 {
			first = next
		}
		p.linef("%s", strings.TrimRight(first+paint(row), " "))
	}
}

// diff prints the lines of a change, with those that name its file or without.
func (p *Printer) diff(indent string, c report.Change, named bool) {
	for line := range preview.Lines(text.Read(c)) {
		row := line.Text
		header := line.Sign == 0 && (strings.HasPrefix(row, "+++") || strings.HasPrefix(row, "---"))
		switch {
		case header && !named:
			continue
		case header, line.Sign == '@':
			row = faint.Render(row)
		case strings.HasPrefix(row, "+"):
			row = green.Render(row)
		case strings.HasPrefix(row, "-"):
			row = red.Render(row)
		}
		p.linef("%s%s", indent, row)
	}
}

// steps prints each behind its mark; a line to paste stays whole.
func (p *Printer) steps(steps []report.NextStep, indent string, mark func(i int) string, why bool) {
	for i, s := range steps {
		first := indent + mark(i) + "  "
		next := strings.Repeat(" ", len(first))
		if s.Command == nil {
			p.fold(first, next, s.String())
			continue
		}
		p.linef("%s%s", first, text.Own(text.Step(s.String(), p.facts.Home)))
		if why && s.Command.Why != "" {
			p.folded(next, next, text.Line(s.Command.Why), faint.Render)
		}
	}
}
