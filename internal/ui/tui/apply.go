// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is on disk is shown as it happens, one row a change,
// in rows that stand from the start. After a failure the page says what
// happened, where, why it matters, what to do next, and what is written.

package tui

import (
	"errors"
	"fmt"
	"slices"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// applyPage follows one run of Apply.
type applyPage struct {
	l        look
	plan     prepared
	changes  []shown
	state    []report.Status // by change: Pass, Fail, or "" while it waits
	rows     []applyRow
	at       int // changes done
	over     bool
	stopping bool
	err      error
	remark   string
	top      int
	// takeBack is the line that takes back what was written, as the engine
	// said it; after a failure the error says it.
	takeBack string
}

// applyRow is a change, or those that make or remove a repository's own files.
type applyRow struct{ from, to int } // indices of the changes, to is behind the last

func newApplyPage(p prepared) *applyPage {
	page := &applyPage{plan: p, changes: p.all()}
	page.state = make([]report.Status, len(page.changes))
	repo := ""
	for i, c := range page.changes {
		if of := newRepository(c); of != "" && of == repo {
			page.rows[len(page.rows)-1].to = i + 1
		} else {
			page.rows, repo = append(page.rows, applyRow{i, i + 1}), of
		}
	}
	return page
}

// row draws a row of the list in w cells.
func (p *applyPage) row(r applyRow, w int) string {
	state, c := p.state[r.from], p.changes[r.from]
	label, stat := text.Path(c.Path, p.l.facts), c.stat
	if r.to > r.from+1 {
		label, stat = repositoryLabel(c, p.l.facts), ""
		for _, s := range p.state[r.from:r.to] {
			if state != report.Fail && s != report.Pass {
				state = s
			}
		}
	}
	sign := p.l.dim.Render("·")
	if state != "" {
		sign = p.l.of(state).Render(state.Symbol())
	}
	return text.Ends(" "+sign+" "+text.CutLeft(label, w-4-16), p.l.dim.Render(stat), w)
}

func (p *applyPage) event(e engine.Event) {
	switch e := e.(type) {
	case engine.ChangeDone:
		i := e.Index - 1
		if i < 0 || i >= len(p.state) {
			return
		}
		switch {
		case e.Err == nil:
			p.state[i], p.at = report.Pass, i+1
		case !isInterrupted(e.Err):
			p.state[i] = report.Fail
		}
	case engine.Applied:
		p.takeBack = e.TakeBack
	case engine.Note:
		p.remark = text.Line(e.Text)
	}
}

// written counts the files that are on disk.
func (p *applyPage) written() int {
	var done []report.Change
	for i, s := range p.state {
		if s == report.Pass {
			done = append(done, p.changes[i].Change)
		}
	}
	return report.Files(done)
}

// canRetry says whether another look at the machine can help: the plan was
// stale or locked, and nothing of it is written.
func (p *applyPage) canRetry() bool {
	var e *report.Error
	return errors.As(p.err, &e) && e.Code == report.ExitStale && p.written() == 0
}

func (p *applyPage) layout(l look) {
	p.l = l
	at := -1
	if !p.over { // else the user scrolls
		at = slices.IndexFunc(p.rows, func(r applyRow) bool { return p.at < r.to || r.to == len(p.changes) })
	}
	p.top, _ = window(len(p.rows), p.listHeight(), at, p.top)
}

func (p *applyPage) listHeight() int {
	room := p.l.bodyHeight() - 3 // the headline may take two rows
	if p.over {
		room -= len(p.outcome()) + 1
	}
	return max(1, min(len(p.rows), room))
}

func (p *applyPage) view() []string {
	w := p.l.bodyWidth()
	files := report.Files(p.plan.Changes())
	head := report.Counted(files, "Writing 1 file", "Writing %d files")
	switch {
	case p.over && p.err == nil:
		head = report.Counted(p.written(), "1 file changed", "%d files changed")
	case p.over:
		head = fmt.Sprintf("Stopped: %d of %d written", p.written(), files)
	case p.stopping:
		head = "Stopping after the current file"
	}
	rows := append(p.l.headline(head, "plan "+string(p.plan.ID), w), "")
	first, last := window(len(p.rows), p.listHeight(), -1, p.top)
	for _, r := range p.rows[first:last] {
		rows = append(rows, p.row(r, w))
	}
	if !p.over {
		if p.remark != "" {
			rows = append(rows, "", p.l.dim.Render(text.Cut(p.remark, w)))
		}
		return rows
	}
	return append(append(rows, ""), p.outcome()...)
}

// outcome are the rows after the last change.
func (p *applyPage) outcome() []string {
	w := p.l.bodyWidth()
	var rows []string
	if p.err != nil {
		rows = p.l.errorRows(p.err, w)
	}
	switch {
	case p.written() == 0:
		rows = append(rows, "Nothing was written.")
	case p.takeBack != "":
		rows = append(rows, p.l.labelled("undo", text.Line(p.takeBack), w)...)
	}
	return rows
}

// isInterrupted says that nothing failed: the user stopped it.
func isInterrupted(err error) bool {
	var e *report.Error
	return errors.As(err, &e) && e.Code == report.ExitInterrupted
}

// errorRows says a failure in the user's words.
func (l look) errorRows(err error, w int) []string {
	e := text.Failed(err, l.facts.Home)
	n := note{label: "✗ failed", text: text.Own(redact.Text(e.Happened())), status: report.Fail}
	if isInterrupted(e) {
		n.label, n.status = "stopped", report.Skip
	}
	rows := l.noteFull(n, w)
	for _, part := range []struct{ label, s string }{{"where", e.Where}, {"why", e.Why}, {"next", e.Advice()}} {
		if part.s != "" {
			rows = append(rows, l.labelled(part.label, text.Own(redact.Text(part.s)), w)...)
		}
	}
	return rows
}

func (p *applyPage) keys() []binding {
	if !p.over {
		return []binding{{key: "ctrl-c", word: "stop before the next file", keep: true}}
	}
	return []binding{
		{on: "r", word: "read again and review", keep: true, off: !p.canRetry(), do: does(askRetry{})},
		{on: "enter q esc", word: "leave", keep: true, do: does(askLeave{})},
		{on: "up k", move: func(string) { p.top-- }}, {on: "down j", move: func(string) { p.top++ }},
		{key: "↑ ↓", word: when(len(p.rows) > p.listHeight(), "scroll")},
	}
}
