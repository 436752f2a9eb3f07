// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the report fills in without moving: a row for every check
// from its start, the evidence of the one that is looked at, and the numbered
// steps that are left. What is not known yet is never shown as a pass.

package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// checkRow is one check of the report; done is false while it runs.
type checkRow struct {
	id      report.ID
	title   string
	finding report.Finding
	done    bool
}

// resultPage is the last page: what was written, what the checks say, what
// is left.
type resultPage struct {
	l       look
	plan    report.Plan
	facts   report.Facts
	written int
	receipt string
	checks  []checkRow
	steps   []step
	over    bool
	cur     int // over the checks, then the steps
	top     int
}

func newResultPage(p report.Plan, facts report.Facts, written int, receipt string) *resultPage {
	r := &resultPage{plan: p, facts: facts, written: written, receipt: receipt}
	r.steps = nextSteps(p, nil, facts)
	return r
}

func (p *resultPage) event(e engine.Event) {
	switch e := e.(type) {
	case engine.CheckStarted:
		p.checks = append(p.checks, checkRow{id: e.ID, title: e.Title})
	case engine.CheckDone:
		at := -1
		for i, c := range p.checks {
			if c.id == e.Finding.Check {
				at = i
			}
		}
		if at < 0 {
			p.checks = append(p.checks, checkRow{id: e.Finding.Check})
			at = len(p.checks) - 1
		}
		p.checks[at].finding, p.checks[at].done = e.Finding, true
	}
}

// end says that every check has answered.
func (p *resultPage) end() {
	p.over = true
	p.steps = nextSteps(p.plan, p.findings(), p.facts)
}

func (p *resultPage) findings() []report.Finding {
	var fs []report.Finding
	for _, c := range p.checks {
		if c.done {
			fs = append(fs, c.finding)
		}
	}
	return fs
}

func (p *resultPage) update(msg tea.Msg) (ask, tea.Cmd) {
	last := len(p.checks) + len(p.steps) - 1
	switch pressed(msg) {
	case "up", "k":
		p.cur = max(0, p.cur-1)
	case "down", "j":
		p.cur = min(max(0, last), p.cur+1)
	case "home", "g":
		p.cur = 0
	case "end", "G":
		p.cur = max(0, last)
	case "y":
		if s := p.step(); s != nil && s.copy != "" {
			return askCopy{s.copy}, nil
		}
		return askSay{"↓ to a step with a command, then y copies it"}, nil
	case "r":
		if p.over {
			return askCheck{}, nil
		}
	case "n":
		if c := p.check(); c != nil && c.done {
			return askRead{}, nil
		}
	case "enter", "q", "esc":
		return askLeave{}, nil
	}
	return nil, nil
}

// check and step are what the cursor is on; one of them is nil.
func (p *resultPage) check() *checkRow {
	if p.cur < len(p.checks) {
		return &p.checks[p.cur]
	}
	return nil
}

func (p *resultPage) step() *step {
	if i := p.cur - len(p.checks); i >= 0 && i < len(p.steps) {
		return &p.steps[i]
	}
	return nil
}

// The parts of a stacked report, in rows.
const detailHeight = 4

func (p *resultPage) layout(l look) {
	p.l = l
	cur := min(p.cur, len(p.checks)-1)
	p.top, _ = window(len(p.checks), p.listHeight(), cur, p.top)
}

func (p *resultPage) stepsHeight() int { return max(4, p.l.bodyHeight()/3) }

func (p *resultPage) listHeight() int {
	room := p.l.bodyHeight() - len(p.head()) - p.stepsHeight()
	if !p.l.wide() {
		room -= detailHeight
	}
	return max(1, room)
}

func (p *resultPage) head() []string {
	w := p.l.bodyWidth()
	var rows []string
	switch {
	case p.written > 0:
		undo := strings.TrimSpace("steward-setup undo " + text.Line(p.receipt))
		done := p.l.of(report.Pass).Render("✓") + " " + text.Counted(p.written, "%d file written", "%d files written")
		if p.l.narrow() {
			rows = append(rows, done)
			rows = append(rows, p.l.labelled("undo", undo, w)...)
		} else {
			rows = append(rows, text.Ends(done, p.l.dim.Render("undo  "+undo), w))
		}
	case len(p.plan.Items()) == 0:
		rows = append(rows, "Nothing had to be written.")
	default:
		rows = append(rows, "Nothing was written: what is left is yours to do.")
	}
	tally := tallyWords(p.findings(), p.l)
	if !p.over {
		tally = strings.TrimSpace(tally + "  checking …")
	}
	return append(rows, p.l.bold.Render("Checks")+"  "+text.Cut(tally, w-8), "")
}

// more says which of the checks are in sight, if not all are.
func (p *resultPage) more(w int) string {
	first, last := window(len(p.checks), p.listHeight(), -1, p.top)
	if last-first >= len(p.checks) {
		return ""
	}
	return text.Ends("", p.l.dim.Render(fmt.Sprintf("%d to %d of %d", first+1, last, len(p.checks))), w)
}

// tallyWords is the worst-first count with its words: "1 ✗ fail".
func tallyWords(findings []report.Finding, l look) string {
	n := report.Count(findings)
	var parts []string
	for _, s := range report.Statuses {
		if n[s] == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s %s", n[s], s.Symbol(), s)
		if l.narrow() {
			part = fmt.Sprintf("%d %s", n[s], s.Symbol())
		}
		parts = append(parts, l.of(s).Render(part))
	}
	return strings.Join(parts, "   ")
}

func (p *resultPage) hints() []hint {
	hs := []hint{{key: "enter", word: "leave", keep: true}, {key: "↑ ↓", word: "look at one", keep: true}}
	if s := p.step(); s != nil && s.copy != "" {
		hs = append(hs, hint{key: "y", word: "copy", keep: true})
	} else if c := p.check(); c != nil && c.done {
		hs = append(hs, hint{key: "n", word: "read all"})
	}
	if p.over {
		hs = append(hs, hint{key: "r", word: "check again"})
	}
	return append(hs, hintHelp)
}

func (p *resultPage) help() []hint {
	return []hint{{key: "↑ ↓", word: "over the checks, then the steps"}, {key: "n", word: "read all that the check saw"},
		{key: "y", word: "copy the command of a step"}, {key: "r", word: "check again"}, {key: "enter q", word: "leave"}}
}
