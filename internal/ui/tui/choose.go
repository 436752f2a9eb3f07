// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every entry of a policy can be left out by itself, with
// its reason in sight. What is already in the user's file stays there, and a
// conflict is settled by its question, so neither has a box to tick.

package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// choosePage lets the user pick among a section's entries.
type choosePage struct {
	l       look
	title   string
	entries []report.Entry
	out     map[string]bool // what is left out
	before  []string        // keys left out that this section does not list
	cur     int
	top     int // row of the list, headings counted
}

// newChoosePage starts from what is left out now.
func newChoosePage(s report.Section, omitted []string) *choosePage {
	p := &choosePage{title: s.Title, entries: grouped(s.Entries), out: make(map[string]bool)}
	for _, e := range s.Entries {
		if e.State == "omitted" {
			p.out[e.Key] = true
		}
	}
	for _, key := range omitted {
		if !slices.ContainsFunc(s.Entries, func(e report.Entry) bool { return e.Key == key }) {
			p.before = append(p.before, key)
		}
	}
	return p
}

// grouped sorts entries so that those of one list stand together, the lists
// in the order in which they come first.
func grouped(entries []report.Entry) []report.Entry {
	rank := make(map[string]int)
	for _, e := range entries {
		if _, ok := rank[headingOf(e)]; !ok {
			rank[headingOf(e)] = len(rank)
		}
	}
	out := slices.Clone(entries)
	slices.SortStableFunc(out, func(a, b report.Entry) int { return rank[headingOf(a)] - rank[headingOf(b)] })
	return out
}

// headingOf is the list that an entry stands in, or else its layer.
func headingOf(e report.Entry) string {
	if path, _, ok := strings.Cut(e.Key, ":"); ok {
		return path
	}
	return layerWord(e.Layer)
}

// free says whether the entry can be chosen.
func free(e report.Entry) bool { return e.State == "new" || e.State == "omitted" }

func (p *choosePage) toggle() ask {
	e := p.entries[p.cur]
	switch {
	case e.State == "present":
		return askSay{"already in your file: kept"}
	case !free(e):
		return askSay{"conflict: press e on the previous page to resolve it"}
	}
	p.out[e.Key] = !p.out[e.Key]
	return nil
}

// omitted lists what is left out, in the order of the entries.
func (p *choosePage) omitted() []string {
	keys := slices.Clone(p.before)
	for _, e := range p.entries {
		if p.out[e.Key] {
			keys = append(keys, e.Key)
		}
	}
	return keys
}

func (p *choosePage) layout(l look) {
	p.l = l
	rows, at := p.listRows()
	p.top, _ = window(len(rows), p.listHeight(), at, p.top)
	if p.cur == 0 {
		p.top = 0
	}
}

// reason is the room for the reason of the current entry.
const reason = 4

func (p *choosePage) listHeight() int {
	h := p.l.bodyHeight() - 2
	if !p.l.wide() {
		h -= reason + 1
	}
	return max(1, h)
}

// listRows draws every row of the list, and says which one the cursor is on.
func (p *choosePage) listRows() (rows []string, at int) {
	w := p.l.bodyWidth()
	if p.l.wide() {
		w -= leftColumn
	}
	heading := ""
	for i, e := range p.entries {
		if h := headingOf(e); h != heading {
			heading = h
			rows = append(rows, p.l.dim.Render(text.Cut(text.Own(h), w)))
		}
		if i == p.cur {
			at = len(rows)
		}
		rows = append(rows, p.row(e, i == p.cur, w))
	}
	return rows, at
}

func (p *choosePage) row(e report.Entry, current bool, w int) string {
	value := e.Key
	if _, v, ok := strings.Cut(e.Key, ":"); ok {
		value = v
	}
	box, state := "[✓]", ""
	switch {
	case e.State == "present":
		box, state = " = ", "already there"
	case !free(e):
		box, state = " ⚠ ", e.State
	case p.out[e.Key]:
		box, state = "[ ]", "left out"
	}
	mark, label := p.l.pointed(text.Own(value), current)
	return text.Ends(mark+box+" "+label, p.l.dim.Render(state), w)
}

func (p *choosePage) view() []string {
	rows, _ := p.listRows()
	first, last := window(len(rows), p.listHeight(), -1, p.top)
	left := rows[first:last]
	in, all := 0, 0
	for _, e := range p.entries {
		if free(e) {
			all++
			if !p.out[e.Key] {
				in++
			}
		}
	}
	head := text.Ends(p.l.bold.Render("Entries of "+text.Own(p.title)), p.l.dim.Render(
		fmt.Sprintf("%d of %d go in", in, all)), p.l.bodyWidth())
	if p.l.wide() {
		return append([]string{head, ""}, beside(left, p.reasonRows(leftColumn-2, p.listHeight()),
			p.l.bodyWidth()-leftColumn+2)...)
	}
	out := exactly(append([]string{head, ""}, left...), 2+p.listHeight())
	out = append(out, p.l.line.Render(strings.Repeat("─", p.l.bodyWidth())))
	return append(out, p.reasonRows(p.l.bodyWidth(), reason)...)
}

func (p *choosePage) reasonRows(w, h int) []string {
	if len(p.entries) == 0 {
		return nil
	}
	e := p.entries[p.cur]
	rows := styled(p.l.bold, text.Wrap(text.Own(e.Key), w))
	if len(rows) > 2 && h <= reason {
		rows = rows[:2]
	}
	rows = append(rows, p.l.dim.Render(text.Cut(layerWord(e.Layer), w)))
	rows = append(rows, text.Wrap(text.Own(e.Why), w)...)
	return rows[:min(h, len(rows))]
}

func (p *choosePage) keys() []binding {
	return []binding{
		{on: "space x", as: "space x", word: "toggle", keep: true, help: "include or exclude the entry", do: p.toggle},
		{key: "A", help: "include all"},
		{on: "enter", word: "done", keep: true, help: "done: make the plan again without the excluded entries",
			do: func() ask { return askOmit{p.omitted()} }},
		{on: "A", word: "select all", move: func(string) { clear(p.out) }},
		{on: "esc b", as: "esc b", word: "cancel", keep: true, help: "back, without changes", do: does(askClose{})},
		{on: moveKeys, key: "↑ ↓ pgup pgdn", help: "move",
			move: func(key string) { p.cur = moved(key, p.cur, len(p.entries), p.listHeight()) }},
		{on: "q", word: "quit", do: does(askQuit{})},
	}
}
