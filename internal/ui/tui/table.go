// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was found stands in one list, what is to be decided
// first; the row under the cursor says everything about itself. What has to
// be acknowledged is shown in full, and the acknowledgement is typed once
// its end was on the screen. It holds for the text that was shown: another
// text asks again.

package tui

import (
	"fmt"
	"strings"
	"unicode"

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

// detailRows is the room below the list for what is said about one row.
const detailRows = 7

func (p *tablePage) listHeight() int {
	return max(1, min(len(p.t.Rows), p.l.bodyHeight()-len(p.head())-detailRows-1))
}

func (p *tablePage) head() []string {
	w := p.l.bodyWidth()
	rows := append(p.l.headline(text.Own(p.t.Title), "", w), p.l.prose(p.t.Summary, w, 3)...)
	if p.t.Rest != "" {
		rows = append(rows, p.l.dim.Render(text.Cut(text.Own(p.t.Rest), w)))
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
	return p.l.cutAt(rows, detailRows, "…")
}

func (p *tablePage) keys() []binding {
	return []binding{
		{on: "enter a", word: "continue", keep: true, help: "continue; nothing is written before you apply the plan",
			do: does(askNext{})},
		{on: moveKeys, key: "↑ ↓", word: when(len(p.t.Rows) > 1, "select"), keep: true, help: "select",
			move: func(key string) { p.cur = moved(key, p.cur, len(p.t.Rows), p.listHeight()) }},
		{key: "pgup pgdn", help: "a page of the list"},
		{on: "r", word: "search again", help: "search again", do: does(askAgain{})},
		{on: "b esc", word: when(!p.first, "back"), do: does(askBack{})},
		forHelp, quits("q", askQuit{}),
	}
}

// table is what was found, if it stands before this section.
func (m *wizard) table(section report.ID) *report.Table {
	if t := m.proposal.Table; t != nil && t.Section == section {
		return t
	}
	return nil
}

// Acknowledgement is asked for before a section can be approved.
type Acknowledgement struct {
	// Section is the one that says what has to be understood.
	Section report.ID
	// Words are typed to acknowledge it.
	Words string
	// Given says that a flag did already.
	Given bool
}

// ackPage shows a section's words in full and takes the acknowledgement.
type ackPage struct {
	*readPage
	words, typed string
	first        bool
	wrong        bool
	// read says that the end of the text was on the screen.
	read bool
}

// ackRows is the room below the text.
const ackRows = 3

func (p *ackPage) layout(l look) {
	p.readPage.layout(l)
	p.port.SetHeight(max(1, l.bodyHeight()-2-ackRows))
	p.port.SetYOffset(p.port.YOffset())
	p.read = p.read || p.port.AtBottom()
}

//nolint:unparam // as every page that takes more than keys
func (p *ackPage) update(msg tea.Msg) (ask, tea.Cmd) {
	if paste, ok := msg.(tea.PasteMsg); ok {
		p.add(paste.Content)
		return nil, nil
	}
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	switch k := key.String(); k {
	case "esc", "shift+tab":
		return askBack{}, nil
	case "enter":
		if !p.read {
			p.wrong = true
			return askSay{"scroll to the end of the text first: press end"}, nil
		}
		if strings.TrimSpace(p.typed) == p.words {
			return askNext{}, nil
		}
		p.wrong = true
		return askSay{"type " + p.words + ", then press enter"}, nil
	case "backspace":
		if r := []rune(p.typed); len(r) > 0 {
			p.typed = string(r[:len(r)-1])
		}
	case "ctrl+u":
		p.typed = ""
	case "up", "down", "pgup", "pgdown", "home", "end":
		p.scroll(k)
		if !p.read && p.port.AtBottom() {
			p.read, p.wrong = true, false
		}
	default:
		p.add(key.Text)
	}
	return nil, nil
}

// maxTyped bounds what is kept of what was typed, in runes.
const maxTyped = 40

func (p *ackPage) add(s string) {
	for _, r := range s {
		if unicode.IsPrint(r) && len([]rune(p.typed)) < maxTyped {
			p.typed += string(r)
		}
	}
}

func (p *ackPage) typing() bool { return true }

func (p *ackPage) view() []string {
	w := p.l.bodyWidth()
	line := "To continue, type " + p.words + " and press enter."
	if !p.read {
		line = "Read to the end first: ↓ or end."
	}
	say := p.l.bold.Render(text.Cut(line, w))
	if p.wrong {
		say = p.l.warn.Render("⚠ ") + text.Cut(say, w-2)
	}
	return append(p.readPage.view(), "", say, text.Cut(p.l.bold.Render("> ")+text.Line(p.typed)+"▏", w))
}

func (p *ackPage) keys() []binding {
	return []binding{{key: "enter", word: "acknowledge", keep: true}, {key: "↑ ↓", word: "scroll", keep: true},
		{key: "esc", word: when(!p.first, "back"), keep: true}, {key: "ctrl-c", word: "quit", keep: true}}
}

// acknowledges says whether the section has to be acknowledged still.
func (m *wizard) acknowledges(s report.Section) bool {
	a := m.o.Acknowledge
	return a != nil && !a.Given && a.Section == s.ID && !s.Skipped && hasChange(s) && m.acknowledged != said(s)
}

// said is everything that a section says.
func said(s report.Section) string {
	var b strings.Builder
	b.WriteString(s.Title + "\n" + s.Why + "\n" + strings.Join(s.Exposes, "\n"))
	for _, f := range s.Findings {
		b.WriteString("\n" + f.Summary)
		for _, e := range f.Evidence {
			b.WriteString("\n" + e.Where + ": " + e.Text)
		}
	}
	return b.String()
}
