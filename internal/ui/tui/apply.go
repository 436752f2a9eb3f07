// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is on disk is shown as it happens, one row a change,
// in rows that stand from the start. After a failure the page says what
// happened, where, why it matters, what to do next, and what is written.

package tui

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

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
	at       int             // changes done
	over     bool
	stopping bool
	err      error
	remark   string
	top      int
	// takeBack is the line that takes back what was written, as the engine
	// said it; after a failure the error says it.
	takeBack string
}

func newApplyPage(p prepared) *applyPage {
	changes := p.all()
	return &applyPage{plan: p, changes: changes, state: make([]report.Status, len(changes))}
}

// event takes one event of the run.
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

func (p *applyPage) update(msg tea.Msg) (ask, tea.Cmd) {
	if !p.over {
		return nil, nil
	}
	switch pressed(msg) {
	case "enter", "q", "esc":
		return askLeave{}, nil
	case "up", "k":
		p.top--
	case "down", "j":
		p.top++
	case "r":
		if p.canRetry() {
			return askRetry{}, nil
		}
	}
	return nil, nil
}

// canRetry says whether another look at the machine can help: the plan was
// stale or locked, and nothing of it is written.
func (p *applyPage) canRetry() bool {
	var e *report.Error
	return errors.As(p.err, &e) && e.Code == report.ExitStale && p.written() == 0
}

func (p *applyPage) layout(l look) {
	p.l = l
	at := min(p.at, len(p.changes)-1)
	if p.over {
		at = -1 // the user scrolls
	}
	p.top, _ = window(len(p.changes), p.listHeight(), at, p.top)
}

func (p *applyPage) listHeight() int {
	room := p.l.bodyHeight() - 3 // the headline may take two rows
	if p.over {
		room -= len(p.outcome()) + 1
	}
	return max(1, min(len(p.changes), room))
}

func (p *applyPage) view() []string {
	w := p.l.bodyWidth()
	files := report.Files(p.plan.Changes())
	head := text.Counted(files, "Writing %d file", "Writing %d files")
	switch {
	case p.over && p.err == nil:
		head = text.Counted(p.written(), "%d file is written", "%d files are written")
	case p.over:
		head = fmt.Sprintf("Stopped: %d of %d written", p.written(), files)
	case p.stopping:
		head = "Stopping after the current file"
	}
	rows := append(p.l.headline(head, "plan "+string(p.plan.ID), w), "")
	first, last := window(len(p.changes), p.listHeight(), -1, p.top)
	for i := first; i < last; i++ {
		c := p.changes[i]
		sign := p.l.dim.Render("·")
		if s := p.state[i]; s != "" {
			sign = p.l.of(s).Render(s.Symbol())
		}
		label := text.CutLeft(text.Path(c.Path, p.l.facts), w-4-16)
		rows = append(rows, text.Ends(" "+sign+" "+label, p.l.dim.Render(c.stat), w))
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
	var e *report.Error
	if !errors.As(err, &e) {
		e = &report.Error{What: err.Error()}
	}
	n := note{label: "✗ failed", text: redact.Line(redact.Text(e.Happened()), maxCommand), status: report.Fail}
	if isInterrupted(e) {
		n.label, n.status = "stopped", report.Skip
	}
	rows := l.noteFull(n, w)
	for _, part := range []struct{ label, s string }{{"where", text.Home(e.Where, l.facts.Home)}, {"why", e.Why},
		{"next", e.Next}} {
		if part.s != "" {
			rows = append(rows, l.labelled(part.label, redact.Line(redact.Text(part.s), maxCommand), w)...)
		}
	}
	return rows
}

func (p *applyPage) hints() []hint {
	switch {
	case !p.over:
		return []hint{{key: "ctrl-c", word: "stop before the next file", keep: true}}
	}
	hs := []hint{{key: "enter", word: "leave", keep: true}}
	if p.canRetry() {
		hs = append([]hint{{key: "r", word: "read again and review", keep: true}}, hs...)
	}
	if len(p.changes) > p.listHeight() {
		hs = append(hs, hint{key: "↑ ↓", word: "scroll"})
	}
	return hs
}

func (p *applyPage) help() []hint { return p.hints() }
