// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: no verdict is said before all checks have answered, but that
// nothing can undo.

package tui

import (
	"fmt"

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
