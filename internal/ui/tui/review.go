// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the review shows the whole plan and its id, every item
// can be looked at, and its enter is the only yes there is. On a row that the
// user moved to, enter opens that row, and the yes is a. While a section
// differs from what was approved, the yes leads there instead.

package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// reviewPage is the last page before anything is written.
type reviewPage struct {
	l     look
	plan  prepared
	items []item
	// answers are those that made the plan; pages says that the pages of the
	// sections were not shown.
	answers []report.Answered
	pages   bool
	cur     int // over the items, then the answers; -1: nothing is looked at
	top     int
	full    bool
	shut    bool // the user closed the preview
	went    bool // the cursor is where the user moved it
	// open names the sections that are not settled.
	open []string
	// single says that the plan came ready-made; said is what it does, the word for yes,
	// and how it is taken back.
	single bool
	said   Confirmation
}

func newReviewPage(p prepared, facts report.Facts, answers []report.Answered) *reviewPage {
	return &reviewPage{plan: p, items: previewed(reviewItems(p, facts), facts), answers: answersOf(answers), cur: -1,
		said: Confirmation{Yes: "apply"}}
}

func (p *reviewPage) keys() []binding {
	a, it := p.answer(), p.item()
	d, onItem := it.diff, p.onItem()
	none := len(p.items) == 0 && a == nil
	empty := none && !p.single
	yes, on := p.onward()
	reads, applies := onItem && p.reads(), yes
	if on == (askApply{}) {
		applies += ": applies the plan; nothing was written before"
	}
	enter := binding{on: "enter", word: yes, keep: true, help: applies, do: does(on)}
	switch {
	case a != nil:
		enter.word, enter.help, enter.do = when(!a.Decided(), "change"), "", func() ask { return p.openAnswer(*a) }
	case reads:
		enter = binding{on: "enter f", as: "enter f", word: "read", keep: true, help: "read the item, and back",
			move: func(string) { p.full = !p.full }}
		if p.full {
			enter.word = "close"
		}
	}
	back, quit := "back", "quit without writing"
	if empty {
		back, quit = "show the pages", "quit"
	}
	scroll, side := d.sideKeys()
	keys := []binding{enter,
		{on: "a", word: yes, keep: true, help: when(reads || a != nil, applies), off: !reads && a == nil,
			do: does(on)},
		{key: "enter", help: when(p.reads() && !reads && len(p.items) > 0, "on a selected item: read it (a: "+yes+")")}}
	if p.full && d != nil {
		keys = append(keys, binding{on: "up k down j", key: "↑ ↓", word: "scroll", help: "scroll", move: d.key})
	}
	return append(keys, []binding{
		{on: "esc", word: when(a != nil, "close"), do: p.close},
		{on: "up k shift+tab", move: func(string) { p.goes(-1) }},
		{on: "down j tab", move: func(string) { p.goes(1) }},
		{key: "↑ ↓", as: "↑ ↓ tab", word: when(!none && !p.full, "select"), keep: a == nil && !reads,
			help: when(!p.full, "select an item")},
		{on: diffKeys, key: "pgup pgdn", help: "scroll its preview", off: d == nil, move: d.key}, scroll,
		{on: "f", help: when(!reads, "only the preview"), off: p.cur < 0 || a != nil,
			move: func(string) { p.full = !p.full }},
		{on: "y", word: "copy", help: "copy the selected command", off: it.command == nil,
			do: func() ask { return askCopy{line: it.command.Line} }},
		{key: "esc", help: "close the preview"},
		{on: "e", as: "enter e", help: when(len(p.answers) > 0, "on an answer: change it"), do: func() ask {
			switch {
			case a != nil:
				return p.openAnswer(*a)
			case !p.single && len(p.items) == 0:
				return askBack{}
			}
			return nil
		}},
		{on: "n", help: "read everything about the plan", do: does(askRead{})},
		{on: "s", word: when(!none, "step by step"), short: "steps", help: "step by step: a page for every section",
			off: !p.pages, do: does(askPages{})},
		{on: "b", word: when(empty || !p.single, back), help: "back", do: p.back},
		side, forHelp, {on: "q", word: quit, short: when(reads || a != nil, "quit"), keep: true, do: does(askQuit{})},
	}...)
}

// onward is what the page leads to, and the word for it.
func (p *reviewPage) onward() (word string, to ask) {
	switch {
	case len(p.open) > 0:
		return "go there", askNext{}
	case len(p.plan.Changes()) == 0 && !p.single:
		return "check", askCheck{}
	}
	return p.said.Yes, askApply{}
}

// onItem says whether the user moved to an item.
func (p *reviewPage) onItem() bool { return p.went && p.cur >= 0 && p.cur < len(p.items) }

// reads says whether enter opens the row that the user moved to: of one row there is
// nothing to select.
func (p *reviewPage) reads() bool { return len(p.items)+len(p.answers) > 1 }

func (p *reviewPage) back() ask {
	if p.single {
		return askQuit{}
	}
	return askBack{}
}

// close closes what is open: first the full view, then the preview.
func (p *reviewPage) close() ask {
	switch {
	case p.full:
		p.full = false
	case p.cur < 0:
		return p.back()
	default:
		p.cur, p.shut, p.went = -1, true, false
	}
	return nil
}

// goes moves the cursor for the user.
func (p *reviewPage) goes(n int) {
	p.went = true
	p.move(n)
	p.full = p.full && p.answer() == nil
}

func (p *reviewPage) move(n int) {
	if all := len(p.items) + len(p.answers); all > 0 {
		p.cur = max(0, min(p.cur+n, all-1))
	}
}

func (p *reviewPage) layout(l look) {
	p.l = l
	if l.wide() && p.cur < 0 && !p.shut && len(p.items) > 0 {
		p.move(1) // there is room beside the list
	}
	rows, at := p.rows()
	p.top, _ = window(len(rows), p.listHeight(), at, p.top)
	if d := p.item().diff; d != nil {
		w, h := p.previewSize()
		d.layout(l, w, h)
	}
}

func (p *reviewPage) listHeight() int {
	room := p.l.bodyHeight() - len(p.head()) - len(p.foot())
	if p.cur >= 0 && !p.l.wide() {
		room -= max(minPreview, room*3/5)
	}
	rows, _ := p.rows()
	return max(1, min(len(rows), room))
}

func (p *reviewPage) previewSize() (w, h int) {
	if p.full {
		return p.l.bodyWidth(), p.l.bodyHeight()
	}
	if p.l.wide() {
		return p.l.bodyWidth() - p.listWidth() - 2, p.l.bodyHeight() - len(p.head())
	}
	return p.l.bodyWidth(), p.l.bodyHeight() - len(p.head()) - p.listHeight() - len(p.foot())
}

// listWidth is the room for the list: on a wide window a pane stands beside.
func (p *reviewPage) listWidth() int {
	if p.l.wide() && p.cur >= 0 {
		return p.l.bodyWidth() / 2
	}
	return p.l.bodyWidth()
}

// head says what the plan comes to.
func (p *reviewPage) head() []string {
	w, l := p.l.bodyWidth(), p.l
	if len(p.items) == 0 && !p.single {
		rows := append(l.headline("Nothing to change.", "", w),
			text.Wrap("Everything is already in place. Press enter to check it.", w)...)
		return append(rows, "")
	}
	var rows []string
	if p.said.Title != "" {
		rows = append(rows, l.headline(text.Own(p.said.Title), "", w)...)
	}
	sums := append(l.headline(text.Summary(p.plan.Plan), "plan "+string(p.plan.ID), w), "")
	if p.said.Title != "" {
		list, _ := p.rows()
		spare := l.bodyHeight() - len(rows) - 1 - len(sums) - min(enoughRows, len(list)) - len(p.foot())
		rows = append(append(rows, l.prose(p.said.Why, w, max(0, min(3, spare)))...), "")
	}
	return append(rows, sums...)
}

// enoughRows are the rows of the list for which the reason of a plan gives way.
const enoughRows = 5

// foot says what is left out, what is decided, and how to take it back.
func (p *reviewPage) foot() []string {
	w := p.listWidth()
	if p.cur >= 0 && !p.l.wide() && len(p.open) == 0 {
		return nil // the preview needs the room
	}
	rows := []string{""}
	var out []string
	for _, s := range p.plan.Sections {
		if s.Skipped {
			out = append(out, string(s.ID))
		}
	}
	if len(out) > 0 {
		rows = append(rows, p.l.labelled("left out", strings.Join(out, ", "), w)...)
	}
	decide, by := p.undecided()
	rows = append(rows, p.l.noteRows(decide, w, max(len(decide), p.l.bodyHeight()/4))...)
	for _, q := range by {
		rows = append(rows, p.l.labelled("answer", `press enter on "`+text.Own(q.Title)+`" in the list`, w)...)
	}
	switch {
	case len(p.open) > 0:
		rows = append(rows, p.l.noteFull(note{label: "⚠ open", status: report.Warn,
			text: "not decided yet: " + strings.Join(p.open, ", ") + ". Press enter to go there."}, w)...)
	case len(p.plan.Changes()) > 0:
		if p.said.TakeBack != "" {
			rows = append(rows, p.l.labelled("undo", p.said.TakeBack+" reverts everything written here", w)...)
		}
	case len(p.items) > 0 && !p.single:
		rows = append(rows, text.Wrap("No file changes. Press enter to check the current state.", w)...)
	}
	return rows
}

// undecided are the findings that only the user can settle, and the questions
// whose answers settle them: a remedy that is another run with an answer has
// the question's id behind the section's.
func (p *reviewPage) undecided() (decide []note, by []report.Question) {
	asked := map[report.ID]bool{}
	for _, f := range p.plan.Findings() {
		if !f.Decide {
			continue
		}
		decide = append(decide, noteOf(f))
		for _, r := range f.Remedies {
			c, _ := r.(report.Command)
			for _, a := range p.answers {
				if id := a.Question.ID; c.ID == a.Question.Section+"/"+id && !asked[id] {
					asked[id], by = true, append(by, a.Question)
				}
			}
		}
	}
	return decide, by
}

func (p *reviewPage) view() []string {
	if p.full && p.answer() == nil && p.cur >= 0 {
		w, h := p.previewSize()
		return p.l.preview(p.item(), p.item().label, w, h)
	}
	all, at := p.rows()
	first, last := window(len(all), p.listHeight(), at, p.top)
	list := slices.Clone(all[first:last])
	rows := p.head()
	if last-first < len(all) {
		rows[len(rows)-1] = text.Ends("", p.l.dim.Render(fmt.Sprintf("%d to %d of %d", first+1, last, len(all))),
			p.listWidth())
	}
	if p.l.wide() && p.cur >= 0 {
		left := append(list, p.foot()...)
		return append(rows, beside(left, p.preview(), p.listWidth()+2)...)
	}
	rows = append(rows, list...)
	rows = append(rows, p.preview()...)
	return append(rows, p.foot()...)
}

func (p *reviewPage) preview() []string {
	if p.cur < 0 {
		return nil
	}
	w, h := p.previewSize()
	if a := p.answer(); a != nil {
		return p.l.answerPane(*a, w, h)
	}
	return p.l.preview(p.item(), "", w, h)
}
