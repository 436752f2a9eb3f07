// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a section's page shows what would happen and why before
// it offers a key that lets it happen. Left out, empty, or nothing but
// commands: the keys say what they mean there.

package tui

import (
	"github.com/steward-setup/steward-setup/internal/report"
)

// sectionPage is one section of the plan.
type sectionPage struct {
	l         look
	section   report.Section
	questions bool // there are answers to change
	first     bool // there is no page before
	choose    bool // entries can be left out one by one
	fixed     bool // it cannot be left out
	lead      *Action
	items     []item
	cur       int
	top       int
	why, full bool
}

func newSectionPage(plan prepared, s report.Section, facts report.Facts, questions, first bool) *sectionPage {
	p := &sectionPage{section: s, questions: questions, first: first}
	if s.Skipped {
		return p
	}
	p.items = previewed(sectionItems(plan, s, facts), facts)
	return p
}

// keepPlace takes over what was looked at in an earlier proposal of the same
// section.
func (p *sectionPage) keepPlace(old *sectionPage) {
	p.why, p.full = old.why, old.full
	if len(old.items) == 0 {
		return
	}
	for i, it := range p.items {
		if it.id == old.items[old.cur].id {
			p.cur = i
			if d, was := it.diff, old.items[old.cur].diff; d != nil && was != nil {
				d.cursor, d.x, d.begun = was.cursor, was.x, was.begun
			}
		}
	}
}

// item is the one that is shown, none where there is none.
func (p *sectionPage) item() (it item) {
	if p.cur < len(p.items) {
		it = p.items[p.cur]
	}
	return it
}

func (p *sectionPage) hasCommands() bool { return len(p.items) > 0 && p.countChanges() < len(p.items) }

// onlyCommands says whether nothing of the section would be written.
func (p *sectionPage) onlyCommands() bool { return len(p.items) > 0 && p.countChanges() == 0 }

func (p *sectionPage) countChanges() int {
	n := 0
	for _, it := range p.items {
		n += len(it.changes)
	}
	return n
}

// turn goes n items on, round the end.
func (p *sectionPage) turn(n int) {
	if len(p.items) > 0 {
		p.cur = (p.cur + n + len(p.items)) % len(p.items)
	}
}

func (p *sectionPage) keys() []binding {
	d, all := p.item().diff, !p.section.Skipped && len(p.items) > 0
	scroll, side := d.sideKeys()
	scroll.help = when(all, scroll.help)
	back, on := func(string) { p.turn(-1) }, func(string) { p.turn(1) }
	keys := p.deciding()
	if p.lead != nil {
		word := when(!p.section.Skipped && len(p.items) == 0, p.lead.Word+" after this")
		keys = append(keys, binding{on: p.lead.Key, word: word, keep: true, help: word, do: does(askLater{*p.lead})})
	}
	return append(keys, binding{on: "e", help: when(all, "change the answers of this page"), do: func() ask {
		if p.questions {
			return askForm{}
		}
		return askSay{"no questions on this page"}
	}}, binding{on: "n", help: fullText, do: does(askRead{})},
		binding{on: "left shift+tab", move: back}, binding{on: "right tab", move: on},
		binding{key: "← → tab", help: when(all, "previous or next file or command")},
		binding{on: diffKeys, key: "↑ ↓ pgup pgdn", help: when(all, "scroll the preview"), off: d == nil, move: d.key},
		binding{on: "up k", move: back}, binding{on: "down j", move: on}, scroll,
		binding{on: "f", help: when(all, "only the preview"), off: d == nil, move: func(string) { p.full = !p.full }},
		binding{on: "b", word: when(!p.first, "back"), help: "back", do: does(askBack{})},
		binding{on: "esc", do: func() ask {
			if !p.why && !p.full {
				return askBack{}
			}
			p.why, p.full = false, false
			return nil
		}}, side, forHelp, quits("q", askQuit{}))
}

// deciding are the keys that settle the page or look into it.
func (p *sectionPage) deciding() []binding {
	next, skip := does(askNext{}), does(askSkip{})
	if p.fixed {
		skip = does(askSay{"this part cannot be left out; q quits without writing"})
	}
	answers := when(p.questions, "answers")
	switch {
	case p.section.Skipped:
		return []binding{{on: "enter", word: "continue", keep: true, help: "continue", do: next},
			{on: "a", word: "include it again", keep: true, help: "include it again", do: does(askInclude{})}}
	case len(p.items) == 0:
		return []binding{{on: "enter a", word: "continue", keep: true, help: "continue", do: next},
			{key: "e", word: answers, help: answers}}
	}
	run := p.hasCommands()
	again := binding{on: "r", help: when(run, ranIt), keep: true, off: !run, do: does(askAgain{})}
	copies := binding{on: "y", word: "copy", keep: true, off: p.item().command == nil,
		help: when(run, "copy the command (your terminal must allow OSC 52)"),
		do:   func() ask { return askCopy{line: p.item().command.Line} }}
	choose := binding{on: "c", word: "choose entries", short: "entries",
		help: when(p.choose, "choose entries one by one"), off: !p.choose, do: does(askEntries{})}
	why := binding{on: "w", word: when(!p.l.sideBySide(p), "why this line"), short: "why",
		help: when(len(p.section.Entries) > 0, "why the selected line is there"), off: p.item().diff == nil,
		move: func(string) { p.why = !p.why }}
	if p.onlyCommands() {
		again.word, again.short, choose.word, why.word = ranIt, "check again", "", ""
		return []binding{{key: "s enter", help: "later: keep the commands on your list and continue"},
			{key: "x", help: "leave this section out"}, copies, again,
			{on: "s enter a", word: "later", keep: true, do: next}, {on: "x", word: "leave out", do: skip}, choose, why}
	}
	again.word = when(p.item().command != nil, "check again")
	return []binding{{on: "a enter", as: "a enter", word: "approve", keep: true, help: "approve this page and continue",
		do: next},
		{on: "s", word: when(!p.fixed, "skip"), keep: true, help: when(!p.fixed, "skip: leave this section out"), do: skip},
		{on: "x", off: !p.fixed, do: skip}, copies, again, choose, why, {key: "e", word: answers}}
}

// ranIt is what the user says of a command.
const ranIt = "I ran it, check again"
