// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: no verdict is said before all checks have answered, but
// that nothing can undo. The list and the pane for what is selected have
// their sizes from the window alone, so that nothing moves while the answers
// come in: the pane below the list, or from 110 columns on beside it.

package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// checkList is a list of checks and, under them, of the steps that are left;
// one cursor goes over both.
type checkList struct {
	runList
	l     look
	steps []step
	as    AsCalled
	// height and paneHeight are those of the list and of the pane, in rows.
	height, paneHeight int
	judged             engine.Judged
}

func newCheckList(checks []engine.Check, as AsCalled) checkList {
	return checkList{runList: newRunList(checks), as: as}
}

func (c *checkList) event(e engine.Event) {
	if e, ok := e.(engine.Judged); ok {
		c.judged = e
	}
	c.runList.event(e)
}

// again makes the list what it was before the run; the cursor stays.
func (c *checkList) again() {
	c.reset(nil, false)
	c.steps, c.judged = nil, engine.Judged{}
	c.cur = max(0, min(c.cur, len(c.rows)-1))
}

// step is the step that the cursor is on; nil if it is on a check.
func (c *checkList) step() *step {
	if i := c.cur - len(c.rows); i >= 0 && i < len(c.steps) {
		return &c.steps[i]
	}
	return nil
}

// lines are the command lines that can be copied of what the cursor is on.
func (c *checkList) lines() []string {
	if s := c.step(); s != nil && s.copy != "" {
		return []string{s.copy}
	}
	return copyable(c.selected(), c.as, c.l.facts)
}

// copyable are the command lines of what a row found.
func copyable(r *runRow, as AsCalled, facts report.Facts) []string {
	var lines []string
	if r != nil && r.done {
		for _, s := range commands(r.finding, as, facts) {
			lines = append(lines, s.copy)
		}
	}
	return lines
}

// read asks for all that is known of what the cursor is on.
func (c *checkList) read() ask {
	r, as := c.selected(), c.as
	if s := c.step(); s != nil {
		one := *s
		return askOver{newReadPage(fmt.Sprintf("Step %d of %d", c.cur-len(c.rows)+1, len(c.steps)),
			func(l look, w int) []string { return l.stepPane(one, w) })}
	}
	if r == nil || !r.done {
		return askSay{"not answered yet"}
	}
	f := r.finding
	return askOver{newReadPage(text.Line(string(f.Check))+", "+text.Line(layerWord(f.Layer)),
		func(l look, w int) []string { return l.findingText(f, as, w) })}
}

// readAll asks for the whole report, with the evidence of every check.
func (c *checkList) readAll() ask {
	findings, as := c.findings(), c.as
	return askOver{newReadPage("All evidence", func(l look, w int) []string {
		var rows []string
		for _, f := range findings {
			rows = append(rows, l.bold.Render(text.Cut(text.Line(string(f.Check)), w)))
			rows = append(rows, l.findingText(f, as, w)...)
			rows = append(rows, "")
		}
		return rows
	})}
}

// idColumn is the room for a check's id, in cells: the longest of verify's.
const idColumn = 18

// listLine is one row of the list; entry is -1 for a heading.
type listLine struct {
	text  string
	entry int
}

// layout fits where the verdict holds, the list and its pane into height rows.
func (c *checkList) layout(l look, height int) {
	height -= l.rangeHeight()
	c.l, c.height = l, max(1, height)
	if !l.wide() {
		c.paneHeight = max(4, height*2/5)
		c.height = max(1, height-1-c.paneHeight)
	}
	lines := c.listLines()
	// A heading is in sight with the entry under it.
	first, last := 0, 0
	for i, line := range lines {
		if line.entry == c.cur {
			if last = i; first == 0 || lines[first].entry != c.cur {
				first = i
			}
		}
	}
	if last-first >= c.height {
		last = first + c.height - 1
	}
	c.top, _ = window(len(lines), c.height, last, c.top)
	c.top, _ = window(len(lines), c.height, first, c.top)
}

func (c *checkList) listLines() []listLine {
	w := c.listWidth()
	var lines []listLine
	for i, r := range c.rows {
		lines = append(lines, listLine{c.checkLine(i, r, w), i})
	}
	if !c.over {
		return lines
	}
	lines = append(lines, listLine{"", -1})
	if len(c.steps) == 0 {
		if slices.ContainsFunc(c.rows, func(r runRow) bool { return r.finding.Status == report.Fail }) {
			return lines // in a throwaway home, whose failures nobody has to fix
		}
		return append(lines, listLine{c.l.bold.Render("Nothing is left to do."), -1})
	}
	lines = append(lines, listLine{c.l.bold.Render("Next"), -1})
	for i, s := range c.steps {
		for _, row := range c.stepLines(i, s, w) {
			lines = append(lines, listLine{row, len(c.rows) + i})
		}
	}
	return lines
}

func (c *checkList) listWidth() int {
	if c.l.wide() {
		return c.l.bodyWidth() - leftColumn - 2
	}
	return c.l.bodyWidth()
}

// checkLine is one check: its sign, its id, and what it says.
func (c *checkList) checkLine(i int, r runRow, w int) string {
	sign, words := c.l.dim.Render("·"), c.l.dim.Render(text.Line(r.title))
	name := text.Pad(text.Line(string(r.id)), idColumn)
	switch {
	case r.done:
		s := r.finding.Status
		sign, words = c.l.of(s).Render(s.Symbol()), text.Line(r.finding.Summary)
		if s == report.Skip {
			words = c.l.dim.Render(words)
		}
	case r.started:
		sign, words = "◐", c.l.dim.Render(text.Line(r.title)+" …")
	default:
		name = c.l.dim.Render(name)
	}
	mark := "  "
	if i == c.cur {
		mark, name = c.l.bold.Render("▸ "), c.l.bold.Render(text.Pad(text.Line(string(r.id)), idColumn))
	}
	if c.l.narrow() { // the pane below has the words
		word := "to come"
		switch {
		case r.done:
			word = string(r.finding.Status)
		case r.started:
			word = "checking …"
		}
		words = c.l.dim.Render(word)
	}
	return text.Cut(mark+sign+" "+name+"  "+words, w)
}

// stepLines is one step: a row, or where there is room its command, too.
func (c *checkList) stepLines(i int, s step, w int) []string {
	mark, says := "  ", text.Wrap(s.say, w-6)
	if !c.l.wide() {
		says = []string{text.Cut(s.say, w-6)}
	}
	if len(c.rows)+i == c.cur {
		mark = c.l.bold.Render("▸ ")
	}
	var rows []string
	number := fmt.Sprintf("%2d  ", i+1)
	for _, say := range says {
		if len(c.rows)+i == c.cur {
			say = c.l.bold.Render(say)
		}
		rows = append(rows, mark+c.l.dim.Render(number)+say)
		mark, number = "  ", "    "
	}
	if !c.l.wide() || s.line == "" {
		return rows
	}
	lines, _ := foldCommand(s.line, w-6)
	for _, line := range lines {
		rows = append(rows, "      "+line)
	}
	return rows
}

// both draws the list and the pane.
func (c *checkList) both() []string {
	lines := c.listLines()
	first, last := window(len(lines), c.height, -1, c.top)
	var list []string
	for _, line := range lines[first:last] {
		list = append(list, line.text)
	}
	list = exactly(list, c.height)
	more := ""
	if last-first < len(lines) {
		more = c.inSight(lines[first:last])
	}
	w := c.l.bodyWidth()
	if c.l.wide() {
		if more != "" {
			list[len(list)-1] = text.Ends(list[len(list)-1], c.l.dim.Render(more), c.listWidth())
		}
		return beside(list, c.pane(leftColumn, c.height), c.listWidth()+2)
	}
	list = append(list, c.l.divider(more, w))
	return append(list, c.pane(w, c.paneHeight)...)
}

// inSight says what of the list is not in sight.
func (c *checkList) inSight(lines []listLine) string {
	last := len(c.rows) + len(c.steps) - 1
	sees := func(entry int) bool {
		return slices.ContainsFunc(lines, func(l listLine) bool { return l.entry == entry })
	}
	said := report.Counted(len(c.rows), "1 check", "%d checks")
	if c.over && len(c.steps) > 0 {
		said += report.Counted(len(c.steps), ", 1 step", ", %d steps")
	}
	return strings.TrimSpace(said + " " + when(!sees(0), "↑ ") + when(!sees(last), "↓"))
}

// divider is the rule under a list, with a remark at its right end.
func (l look) divider(remark string, w int) string { return l.edge("", remark, "─", w) }

// pane is what is known of what the cursor is on, in at most h rows.
func (c *checkList) pane(w, h int) []string {
	var rows []string
	switch r, s := c.selected(), c.step(); {
	case r != nil && r.done:
		rows = append(c.l.findingHead(r.finding, w), c.l.findingText(r.finding, c.as, w)...)
	case r != nil:
		rows = []string{text.Ends(c.l.bold.Render(text.Line(string(r.id))), c.l.dim.Render(layerWord(r.layer)), w)}
		if r.title != "" {
			rows = append(rows, text.Wrap(text.Line(r.title)+".", w)...)
		}
		rows = append(rows, c.l.dim.Render("Not answered yet."))
	case s != nil:
		rows = c.l.stepPane(*s, w)
	}
	return c.l.cutAt(rows, h, "… → reads all")
}

// stepPane is a step in full, its line on rows of its own.
func (l look) stepPane(s step, w int) []string {
	rows := text.Wrap(s.say, w)
	if s.line == "" {
		return rows
	}
	rows = append(rows, "")
	lines, whole := foldCommand(s.line, w-1)
	rows = append(rows, styled(l.bold, lines)...)
	if !whole || s.line != s.copy {
		rows = append(rows, l.dim.Render(text.Cut(tooLong, w)))
	}
	return rows
}
