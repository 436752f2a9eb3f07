// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the report's parts have their heights from the window
// alone, so that nothing moves while the answers come in.

package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/ui/text"
)

func (p *resultPage) view() []string {
	w := p.l.bodyWidth()
	listWidth := w
	if p.l.wide() {
		listWidth = w - leftColumn - 2
	}
	list := p.checkRows(listWidth)
	for len(list) < p.listHeight() {
		list = append(list, "")
	}
	rows := p.head()
	rows[len(rows)-1] = p.more(listWidth)
	if p.l.wide() {
		detail := p.detail(leftColumn, p.listHeight())
		rows = append(rows, beside(list, detail, listWidth+2)...)
	} else {
		rows = append(rows, list...)
		rows = append(rows, p.l.line.Render(strings.Repeat("─", w)))
		detail := p.detail(w, detailHeight-1)
		for len(detail) < detailHeight-1 {
			detail = append(detail, "")
		}
		rows = append(rows, detail...)
	}
	return append(rows, p.stepRows(w)...)
}

func (p *resultPage) checkRows(w int) []string {
	column := 0
	for _, c := range p.checks {
		column = max(column, min(20, text.Width(string(c.id))))
	}
	var rows []string
	first, last := window(len(p.checks), p.listHeight(), -1, p.top)
	for i := first; i < last; i++ {
		c := p.checks[i]
		sign, words := p.l.dim.Render("·"), p.l.dim.Render(text.Line(c.title)+" …")
		if c.done {
			s := c.finding.Status
			sign, words = p.l.of(s).Render(s.Symbol()), text.Line(c.finding.Summary)
		}
		mark, name := "  ", text.Pad(text.Line(string(c.id)), column)
		if i == p.cur {
			mark, name = p.l.bold.Render("▸ "), p.l.bold.Render(name)
		}
		rows = append(rows, text.Cut(mark+sign+" "+name+"  "+words, w))
	}
	return rows
}

// detail is what is known of the check under the cursor, in at most h rows.
func (p *resultPage) detail(w, h int) []string {
	c := p.check()
	if c == nil || !c.done {
		return nil
	}
	rows := p.l.findingText(c.finding, w)
	if len(rows) > h {
		rows = rows[:max(0, h)]
		if h > 1 {
			rows[h-1] = p.l.dim.Render("… n reads all")
		}
	}
	return rows
}

// stepRows are the numbered next steps; the one that is looked at is in sight.
func (p *resultPage) stepRows(w int) []string {
	switch {
	case len(p.steps) == 0 && !p.over:
		return nil
	case len(p.steps) == 0:
		return []string{"", p.l.bold.Render("Nothing is left to do.")}
	}
	texts := make([][]string, len(p.steps))
	total := 0
	for i, s := range p.steps {
		texts[i] = p.stepText(i, s, i == p.cur-len(p.checks), w)
		total += len(texts[i])
	}
	h := p.stepsHeight() - 1
	head := p.l.bold.Render("Next")
	if total > h {
		head = text.Ends(head, p.l.dim.Render(text.Counted(len(p.steps), "%d step", "%d steps")+", ↑ ↓ shows the rest"), w)
	}
	rows := slices.Concat(texts[firstStep(texts, p.cur-len(p.checks), h):]...)
	return append([]string{head}, rows[:min(h, len(rows))]...)
}

// firstStep is the step from which on cur is in sight in h rows, as early as
// can be.
func firstStep(texts [][]string, cur, h int) int {
	first, used := max(0, cur), 0
	if cur >= 0 {
		used = len(texts[cur])
	}
	for first > 0 && used+len(texts[first-1]) <= h {
		first--
		used += len(texts[first])
	}
	return first
}

// stepText is one step: its number, what it is for, and its command.
func (p *resultPage) stepText(i int, s step, current bool, w int) []string {
	mark := "  "
	if current {
		mark = p.l.bold.Render("▸ ")
	}
	var rows []string
	number := fmt.Sprintf("%2d  ", i+1)
	for _, row := range text.Wrap(s.say, w-6) {
		rows = append(rows, mark+p.l.dim.Render(number)+row)
		mark, number = "  ", "    "
	}
	if s.line == "" {
		return rows
	}
	lines, _ := foldCommand(s.line, w-6)
	for _, line := range lines {
		rows = append(rows, "      "+p.l.bold.Render(line))
	}
	return rows
}
