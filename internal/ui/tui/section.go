// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a section's page shows what would happen and why before
// it offers a key that lets it happen. Left out, empty, or nothing but
// commands: the keys say what they mean there.

package tui

import (
	tea "charm.land/bubbletea/v2"

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
	diffs     []*diff // by item; nil for a command
	cur       int
	top       int
	why, full bool
}

func newSectionPage(plan prepared, s report.Section, facts report.Facts, questions, first bool) *sectionPage {
	p := &sectionPage{section: s, questions: questions, first: first}
	if s.Skipped {
		return p
	}
	p.items = sectionItems(plan, s, facts)
	p.diffs = diffsOf(p.items, facts)
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
			if d, was := p.diffs[i], old.diffs[old.cur]; d != nil && was != nil {
				d.cursor, d.x, d.begun = was.cursor, was.x, was.begun
			}
		}
	}
}

func (p *sectionPage) diff() *diff {
	if p.cur < len(p.diffs) {
		return p.diffs[p.cur]
	}
	return nil
}

func (p *sectionPage) command() *report.Command {
	if p.cur < len(p.items) {
		return p.items[p.cur].command
	}
	return nil
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

func (p *sectionPage) update(msg tea.Msg) (ask, tea.Cmd) {
	k := pressed(msg)
	switch k {
	case "":
		return nil, nil
	case "left", "shift+tab":
		p.turn(-1)
		return nil, nil
	case "right", "tab":
		p.turn(1)
		return nil, nil
	}
	if d := p.diff(); d != nil && d.key(k) {
		return nil, nil
	}
	switch k {
	case "up", "k":
		p.turn(-1)
		return nil, nil
	case "down", "j":
		p.turn(1)
		return nil, nil
	case "esc":
		if !p.why && !p.full {
			return askBack{}, nil
		}
		p.why, p.full = false, false
		return nil, nil
	case "b":
		return askBack{}, nil
	case "e":
		if !p.questions {
			return askSay{"no questions on this page"}, nil
		}
		return askForm{}, nil
	case "n":
		return askRead{}, nil
	case "q":
		return askQuit{}, nil
	}
	return p.decide(k), nil
}

// decide are the keys that settle the page or look into it.
func (p *sectionPage) decide(k string) ask {
	switch {
	case p.lead != nil && k == p.lead.Key:
		return askLater{*p.lead}
	case p.section.Skipped && k == "a":
		return askInclude{}
	case k == "enter" || k == "a":
		return askNext{}
	case p.section.Skipped || len(p.items) == 0:
		return nil
	case k == "s" && p.onlyCommands():
		return askNext{}
	case p.fixed && (k == "s" || k == "x"):
		return askSay{"this part cannot be left out; q quits without writing"}
	case k == "s", k == "x" && p.onlyCommands():
		return askSkip{}
	case k == "r" && p.hasCommands():
		return askAgain{}
	case k == "y" && p.command() != nil:
		return askCopy{line: p.command().Line}
	case k == "c" && p.choose:
		return askEntries{}
	case k == "w" && p.diff() != nil:
		p.why = !p.why
	case k == "f" && p.diff() != nil:
		p.full = !p.full
	}
	return nil
}

// turn goes n items on, round the end.
func (p *sectionPage) turn(n int) {
	if len(p.items) > 0 {
		p.cur = (p.cur + n + len(p.items)) % len(p.items)
	}
}

func (p *sectionPage) hints() []hint {
	hs := p.deciding()
	if !p.first {
		hs = append(hs, hintBack)
	}
	return append(append(hs, p.diff().sideHint()...), hintHelp, hintQuit)
}

func (p *sectionPage) deciding() []hint {
	switch {
	case p.section.Skipped:
		return []hint{{key: "enter", word: "continue", keep: true}, {key: "a", word: "include it again", keep: true}}
	case len(p.items) == 0:
		hs := []hint{{key: "enter", word: "continue", keep: true}}
		if p.questions {
			hs = append(hs, hint{key: "e", word: "answers"})
		}
		if p.lead != nil {
			hs = append(hs, hint{key: p.lead.Key, word: p.lead.Word + " after this", keep: true})
		}
		return hs
	case p.onlyCommands():
		return []hint{{key: "y", word: "copy", keep: true}, {key: hintRanIt.key, word: hintRanIt.word, keep: true,
			short: "check again"}, {key: "s", word: "later", keep: true}, {key: "x", word: "leave out"}}
	}
	hs := []hint{{key: "a", word: "approve", keep: true}}
	if !p.fixed {
		hs = append(hs, hint{key: "s", word: "skip", keep: true})
	}
	if p.command() != nil {
		hs = append(hs, hint{key: "y", word: "copy", keep: true}, hint{key: "r", word: "check again", keep: true})
	}
	if p.choose {
		hs = append(hs, hint{key: "c", word: "choose entries", short: "entries"})
	}
	if p.diff() != nil && !p.l.sideBySide(p) {
		hs = append(hs, hint{key: "w", word: "why this line", short: "why"})
	}
	if p.questions {
		hs = append(hs, hint{key: "e", word: "answers"})
	}
	return hs
}

func (p *sectionPage) help() []hint {
	if p.section.Skipped || len(p.items) == 0 {
		return append(p.deciding(), hintFull, hintBack)
	}
	hs := []hint{{key: "a enter", word: "approve this page and continue"},
		{key: "s", word: "skip: leave this section out"}}
	if p.fixed {
		hs = hs[:1]
	}
	if p.onlyCommands() {
		hs = []hint{{key: "s enter", word: "later: keep the commands on your list and continue"},
			{key: "x", word: "leave this section out"}}
	}
	if p.hasCommands() {
		hs = append(hs, hint{key: "y", word: "copy the command (your terminal must allow OSC 52)"}, hintRanIt)
	}
	if p.choose {
		hs = append(hs, hint{key: "c", word: "choose entries one by one"})
	}
	if len(p.section.Entries) > 0 {
		hs = append(hs, hint{key: "w", word: "why the selected line is there"})
	}
	return append(hs, hint{key: "e", word: "change the answers of this page"},
		hintFull,
		hint{key: "← → tab", word: "previous or next file or command"},
		hint{key: "↑ ↓ pgup pgdn", word: "scroll the preview"},
		hintSideways,
		hint{key: "f", word: "only the preview"}, hintBack)
}
