// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was found stands in one list, what is to be decided
// first; the row under the cursor says everything about itself.

package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// tablePage lists what a search found, before the page of its section.
type tablePage struct {
	l        look
	t        report.Table
	first    bool // there is no page before
	cur, top int
}

func (p *tablePage) layout(l look) {
	p.l = l
	p.top, _ = window(len(p.t.Rows), p.listHeight(), p.cur, p.top)
}

func (p *tablePage) update(msg tea.Msg) (ask, tea.Cmd) {
	key := pressed(msg)
	if to, ok := moved(key, p.cur, len(p.t.Rows), p.listHeight()); ok {
		p.cur = to
		return nil, nil
	}
	switch key {
	case "enter", "a":
		return askNext{}, nil
	case "b", "esc":
		return askBack{}, nil
	case "r":
		return askAgain{}, nil
	case "q":
		return askQuit{}, nil
	}
	return nil, nil
}

// detailRows is the room below the list for what is said about one row.
const detailRows = 7

func (p *tablePage) listHeight() int {
	return max(1, min(len(p.t.Rows), p.l.bodyHeight()-len(p.head())-detailRows-1))
}

func (p *tablePage) head() []string {
	w := p.l.bodyWidth()
	rows := append(p.l.headline(own(p.t.Title), "", w), p.l.prose(p.t.Summary, w, 3)...)
	if p.t.Rest != "" {
		rows = append(rows, p.l.dim.Render(text.Cut(own(p.t.Rest), w)))
	}
	return append(rows, "")
}

func (p *tablePage) view() []string {
	w := p.l.bodyWidth()
	rows := p.head()
	if len(p.t.Rows) == 0 {
		return append(rows, text.Wrap("Nothing needs a decision.", w)...)
	}
	first, last := window(len(p.t.Rows), p.listHeight(), p.cur, p.top)
	if last-first < len(p.t.Rows) {
		rows[len(rows)-1] = text.Ends("", p.l.dim.Render(fmt.Sprintf("%d to %d of %d", first+1, last, len(p.t.Rows))), w)
	}
	for i := first; i < last; i++ {
		rows = append(rows, p.row(p.t.Rows[i], w, i == p.cur))
	}
	rows = append(rows, "")
	return append(rows, p.detail(w)...)
}

func (p *tablePage) row(r report.Row, w int, current bool) string {
	state := text.Cut(text.Line(r.State), w/2)
	room := w - 4 - text.Width(state) - 2
	mark, label := p.l.pointed(text.CutLeft(text.Path(r.Path, p.l.facts), room), current)
	sign := text.Pad(r.Mark, 1)
	if r.Status != "" {
		sign = p.l.of(r.Status).Render(sign)
	}
	return text.Ends(mark+sign+" "+label, p.l.dim.Render(state), w)
}

// detail is what is said about the row under the cursor.
func (p *tablePage) detail(w int) []string {
	r := p.t.Rows[p.cur]
	rows := p.l.labelled("path", text.Path(r.Path, p.l.facts), w)
	for _, d := range r.Details {
		rows = append(rows, p.l.labelled(d.Label, text.Line(d.Text), w)...)
	}
	if len(rows) > detailRows {
		rows = append(rows[:detailRows-1], p.l.dim.Render("…"))
	}
	return rows
}

func (p *tablePage) hints() []hint {
	hs := []hint{{key: "enter", word: "continue", keep: true}}
	if len(p.t.Rows) > 1 {
		hs = append(hs, hint{key: "↑ ↓", word: "select", keep: true})
	}
	hs = append(hs, hint{key: "r", word: "search again"})
	if !p.first {
		hs = append(hs, hintBack)
	}
	return append(hs, hintHelp, hintQuit)
}

func (p *tablePage) help() []hint {
	return []hint{{key: "enter", word: "continue; nothing is written before you apply the plan"},
		{key: "↑ ↓", word: "select"},
		{key: "pgup pgdn", word: "a page of the list"}, {key: "r", word: "search again"}}
}

// table is what was found, if it stands before this section.
func (m *wizard) table(section report.ID) *report.Table {
	if t := m.proposal.Table; t != nil && t.Section == section {
		return t
	}
	return nil
}
