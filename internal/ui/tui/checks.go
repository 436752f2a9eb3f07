// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the list has a row for every check from its start, in the
// order that was given, and fills in without moving. What is unknown yet is
// never shown as a pass, and no verdict is said before all have answered, but
// that nothing can undo.

package tui

import (
	"fmt"
	"slices"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// checkRow is one check of a report.
type checkRow struct {
	id            report.ID
	title         string
	layer         report.Layer
	finding       report.Finding
	started, done bool
}

// checkList is a list of checks and, under them, of the steps that are left;
// one cursor goes over both.
type checkList struct {
	l     look
	rows  []checkRow
	steps []step
	as    AsCalled
	cur   int // over the checks, then the steps
	top   int // the first line in sight
	// height and paneHeight are those of the list and of the pane, in rows.
	height, paneHeight int
	moved              bool
	copied             int // commands copied of what the cursor is on

	progress engine.Progress
	filled   float64 // the greatest share that was done
	judged   engine.Judged
	over     bool
}

func newCheckList(checks []engine.Check, as AsCalled) checkList {
	c := checkList{as: as}
	for _, k := range checks {
		c.rows = append(c.rows, checkRow{id: k.ID, title: k.Title, layer: k.Layer})
	}
	return c
}

// row finds the row of a check; one that nobody announced comes last.
func (c *checkList) row(id report.ID) *checkRow {
	i := slices.IndexFunc(c.rows, func(r checkRow) bool { return r.id == id })
	if i < 0 {
		c.rows = append(c.rows, checkRow{id: id})
		i = len(c.rows) - 1
	}
	return &c.rows[i]
}

// event takes one event of the run.
func (c *checkList) event(e engine.Event) {
	switch e := e.(type) {
	case engine.CheckStarted:
		r := c.row(e.ID)
		r.started = true
		if r.title == "" {
			r.title = e.Title
		}
	case engine.CheckDone:
		r := c.row(e.Finding.Check)
		r.finding, r.started, r.done = e.Finding, true, true
		if r.layer == "" {
			r.layer = e.Finding.Layer
		}
	case engine.Progress:
		c.progress = e
	case engine.Judged:
		c.judged = e
	}
	c.filled = max(c.filled, c.share())
}

// share is how much of the run is done, between 0 and 1: the checks that have
// answered, and of the rest what the part that takes long says of itself.
func (c *checkList) share() float64 {
	if len(c.rows) == 0 {
		return 0
	}
	done := float64(c.answered()) / float64(len(c.rows))
	if p := c.progress; p.Of > 0 {
		done += (1 - done) * min(1, max(0, float64(p.Done)/float64(p.Of)))
	}
	return min(1, done)
}

func (c *checkList) answered() int {
	n := 0
	for _, r := range c.rows {
		if r.done {
			n++
		}
	}
	return n
}

func (c *checkList) findings() []report.Finding {
	var fs []report.Finding
	for _, r := range c.rows {
		if r.done {
			fs = append(fs, r.finding)
		}
	}
	return fs
}

// again makes the list what it was before the run; the cursor stays.
func (c *checkList) again() {
	for i := range c.rows {
		r := &c.rows[i]
		r.finding, r.started, r.done = report.Finding{}, false, false
	}
	c.steps, c.progress, c.judged, c.filled, c.over = nil, engine.Progress{}, engine.Judged{}, 0, false
	c.cur = max(0, min(c.cur, len(c.rows)-1))
}

// worst is the row of the check to look at first: a failure that voids the
// rest, then by status; 0 if nothing is wrong.
func (c *checkList) worst() int {
	best, at := len(report.Statuses), 0
	for i, r := range c.rows {
		rank := slices.Index(report.Statuses, r.finding.Status)
		if r.finding.Voids && r.finding.Status == report.Fail {
			rank = -1
		}
		if r.done && r.finding.Status != report.Pass && r.finding.Status != report.Skip && rank < best {
			best, at = rank, i
		}
	}
	return at
}

// move takes a key of the list; false if it is none.
func (c *checkList) move(key string) bool {
	last := max(0, len(c.rows)+len(c.steps)-1)
	was := c.cur
	switch key {
	case "up", "k":
		c.cur--
	case "down", "j":
		c.cur++
	case "pgup", "ctrl+u":
		c.cur -= max(1, c.height-1)
	case "pgdown", "ctrl+d", "space":
		c.cur += max(1, c.height-1)
	case "home", "g":
		c.cur = 0
	case "end", "G":
		c.cur = last
	default:
		return false
	}
	c.cur, c.moved = max(0, min(last, c.cur)), true
	if c.cur != was {
		c.copied = 0
	}
	return true
}

// check and step are what the cursor is on; at most one of them is not nil.
func (c *checkList) check() *checkRow {
	if c.cur < len(c.rows) {
		return &c.rows[c.cur]
	}
	return nil
}

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
	var lines []string
	if r := c.check(); r != nil && r.done {
		for _, s := range mends(r.finding, c.as, c.l.facts) {
			if s.copy != "" {
				lines = append(lines, s.copy)
			}
		}
	}
	return lines
}

// copyNext asks to copy the next of the command lines.
func (c *checkList) copyNext() ask {
	lines := c.lines()
	if len(lines) == 0 {
		return askSay{"no command here; select a check or step that has one"}
	}
	line := lines[c.copied%len(lines)]
	c.copied++
	if len(lines) == 1 {
		return askCopy{line: line}
	}
	return askCopy{line, fmt.Sprintf("copied line %d of %d; y again for the next", (c.copied-1)%len(lines)+1, len(lines))}
}

// read asks for all that is known of what the cursor is on.
func (c *checkList) read() ask {
	r, as := c.check(), c.as
	if s := c.step(); s != nil {
		one := *s
		return askOver{newReadPage(fmt.Sprintf("Step %d of %d", c.cur-len(c.rows)+1, len(c.steps)),
			func(l look, w int) []string {
				return l.stepPane(one, w)
			})}
	}
	if r == nil || !r.done {
		return askSay{"not answered yet"}
	}
	f := r.finding
	return askOver{newReadPage(text.Line(string(f.Check))+", "+text.Line(layerWord(f.Layer)),
		func(l look, w int) []string {
			return l.findingText(f, as, w)
		})}
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
