// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every item of a plan has a row: a pencil and a path for
// what would be written, a dollar and a line for what the user would run.
// Where many small files belong together, the review says so in one row, and
// looking at it shows each of them.

package tui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// item is one row: changes, a command, or a push.
type item struct {
	id      report.ID
	label   string
	stat    string
	note    string
	changes []shown
	command *report.Command
	push    []diffLine // what a push says, nil if it is none
	diff    *diff      // its preview, nil for a command
}

// previewed are items with their previews.
func previewed(items []item, facts report.Facts) []item {
	for i, it := range items {
		if it.command == nil {
			items[i].diff = newDiff(it.changes, facts)
			items[i].diff.lines = append(items[i].diff.lines, it.push...)
		}
	}
	return items
}

// preview draws the item in w by h cells.
func (l look) preview(it item, title string, w, h int) []string {
	if it.command != nil {
		return l.commandPane(*it.command, w, h)
	}
	if it.link() {
		title = strings.TrimSpace("a symlink: its target is written  " + title)
	}
	return l.box(it.diff.rows(), w, h, title, it.diff.position())
}

func (it item) sign() string {
	switch {
	case it.command != nil:
		return "$"
	case it.push != nil:
		return "⇡"
	}
	return "✎"
}

// columns are the widths of what stands at the right end of a list's rows.
type columns struct{ stat, note int }

// maxStat bounds the column of the stats.
const maxStat = 18

// statIn is the stat for a list of that width; a short list only says "new".
func (it item) statIn(width int) string {
	if first, _, ok := strings.Cut(it.stat, ","); ok && width < narrowBelow {
		return first
	}
	return it.stat
}

func columnsOf(items []item, width int) columns {
	var c columns
	for _, it := range items {
		c.stat = max(c.stat, min(maxStat, text.Width(it.statIn(width))))
		c.note = max(c.note, text.Width(it.note))
	}
	if width < narrowBelow {
		c.note = 0
	}
	return c
}

// row draws the item in width cells; current marks it.
func (l look) row(it item, c columns, width int, current bool) string {
	right := text.Pad(it.statIn(width), c.stat)
	if c.note > 0 {
		right += "  " + text.Pad(it.note, c.note)
	}
	label, room := it.label, width-4-text.Width(right)-2
	if len(it.changes) == 0 || it.link() {
		label = text.Cut(label, room)
	} else {
		label = text.CutLeft(label, room)
	}
	mark, label := l.pointed(label, current)
	return text.Ends(mark+it.sign()+" "+label, l.dim.Render(right), width)
}

// link says whether the item writes through a symbolic link.
func (it item) link() bool { return len(it.changes) == 1 && linked(it.changes[0].Change) }

func linked(c report.Change) bool { return c.Target != "" && c.Target != c.Path }

func changeItem(c shown, facts report.Facts) item {
	it := item{id: c.ID, label: text.Path(c.Path, facts), stat: c.stat, changes: []shown{c}}
	if linked(c.Change) {
		it.label += " → " + text.Path(c.Target, facts)
	}
	return it
}

func commandItem(c report.Command, facts report.Facts) item {
	it := item{id: c.ID, label: text.Own(c.Line), command: &c}
	switch {
	case c.Where != "":
		it.stat = "for " + text.Line(text.Home(c.Where, facts.Home))
	case c.Privileged:
		it.stat = "as root"
	}
	if c.Optional {
		it.stat = "optional"
	}
	return it
}

// pushItem says what leaves, with the message and the commits that are there.
func pushItem(p report.Push) item {
	it := item{id: p.ID, label: text.Line("push to " + p.Branch + " of " + p.Remote),
		push: []diffLine{{' ', text.Line(p.Why)}}}
	for line := range strings.Lines(p.Message) {
		it.push = append(it.push, diffLine{'+', text.Line(strings.TrimSuffix(line, "\n"))})
	}
	for _, c := range p.Commits {
		it.push = append(it.push, diffLine{' ', text.Line("commit " + c)})
	}
	return it
}

func sectionItems(p prepared, s report.Section, facts report.Facts) []item {
	var items []item
	for _, it := range s.Items {
		switch it := it.(type) {
		case report.Change:
			items = append(items, changeItem(p.changes[it.ID], facts))
		case report.Command:
			items = append(items, commandItem(it, facts))
		case report.Push:
			items = append(items, pushItem(it))
		}
	}
	return items
}

// reviewItems are the rows of a whole plan: changes of one section that share
// a directory, or a name in several places, are one row.
func reviewItems(p prepared, facts report.Facts) []item {
	var items []item
	for _, s := range p.Sections {
		if s.Skipped {
			continue
		}
		for _, it := range sectionItems(p, s, facts) {
			it.note = string(s.ID)
			items = append(items, it)
		}
	}
	items = gathered(items)
	var out []item
	for i := 0; i < len(items); {
		n := 1
		for i+n < len(items) && together(items[i], items[i+n], facts) {
			n++
		}
		out = append(out, join(items[i:i+n], facts))
		i += n
	}
	return out
}

// gathered are items with those of one new repository beside each other, where
// the first of them is.
func gathered(items []item) []item {
	var out []item
	for _, it := range items {
		at := len(out)
		if repo := repositoryOf(it); repo != "" {
			if last := slices.IndexFunc(out, func(o item) bool { return repositoryOf(o) == repo }); last >= 0 {
				for at = last; at < len(out) && repositoryOf(out[at]) == repo; at++ {
				}
			}
		}
		out = slices.Insert(out, at, it)
	}
	return out
}

// repositoryOf is newRepository of an item that is one change.
func repositoryOf(it item) string {
	if len(it.changes) != 1 {
		return ""
	}
	return newRepository(it.changes[0])
}

// together says whether two items of one section make one row.
func together(a, b item, facts report.Facts) bool {
	if len(a.changes) == 0 || len(b.changes) == 0 || a.note != b.note {
		return false
	}
	x, y := a.changes[0], b.changes[0]
	if linked(x.Change) || linked(y.Change) {
		return false
	}
	if repo := newRepository(x); repo != "" && repo == newRepository(y) {
		return true
	}
	sameName := filepath.Base(x.Path) == filepath.Base(y.Path)
	return sameName || filepath.Dir(x.Path) == filepath.Dir(y.Path) && filepath.Dir(x.Path) != facts.Project
}

// newRepository is the git directory whose files a change makes or removes, "" if
// it is of no git directory, or of a file that is there.
func newRepository(c shown) string {
	const git = "/.git/"
	if i := strings.Index(c.Path, git); i >= 0 && (c.Before == nil || c.After == nil) {
		return c.Path[:i+len(git)]
	}
	return ""
}

// repositoryLabel names the repository that changes make or remove, of which first
// is one.
func repositoryLabel(first shown, facts report.Facts) string {
	what := "new repository"
	if first.After == nil {
		what = "repository"
	}
	return fmt.Sprintf("%s (%s)", text.Path(strings.TrimSuffix(newRepository(first), "/"), facts), what)
}

func join(items []item, facts report.Facts) item {
	out := items[0]
	if len(items) == 1 {
		return out
	}
	out.changes = nil
	added, removed, fresh, gone, links := 0, 0, true, true, true
	for _, it := range items {
		c := it.changes[0]
		out.changes = append(out.changes, c)
		added, removed = added+c.added, removed+c.removed
		fresh, gone, links = fresh && c.Before == nil, gone && c.After == nil, links && c.Link()
	}
	first, second := out.changes[0], out.changes[1]
	if newRepository(first) != "" {
		out.label = repositoryLabel(first, facts)
	} else if filepath.Dir(first.Path) == filepath.Dir(second.Path) {
		out.label = fmt.Sprintf("%s/ (%d files)", text.Path(filepath.Dir(first.Path), facts), len(items))
	} else {
		out.label = fmt.Sprintf("%s (in %d places)", text.Line(filepath.Base(first.Path)), len(items))
	}
	out.stat = fmt.Sprintf("+%d −%d", added, removed)
	switch {
	case links:
		out.stat = "symlinks"
	case fresh:
		out.stat = report.Counted(added, "new, 1 line", "new, %d lines")
	case gone:
		out.stat = "removed"
	}
	return out
}

// note is one remark beside the items: what they open, what stays exposed,
// what was found.
type note struct {
	label, text string
	status      report.Status // "" for none
}

// notes collects the remarks of a section.
func notes(s report.Section) []note {
	var out []note
	for _, o := range s.Opens {
		out = append(out, note{label: "opens", text: text.Line(o)})
	}
	if len(s.Opens) == 0 && hasChange(s) {
		out = append(out, note{label: "opens", text: "nothing new"})
	}
	for _, e := range s.Exposes {
		out = append(out, note{label: "exposes", text: text.Line(e)})
	}
	for _, f := range s.Findings {
		out = append(out, noteOf(f))
	}
	return out
}

// noteOf is what a finding says beside the items.
func noteOf(f report.Finding) note {
	word := string(f.Status)
	if f.Decide {
		word = "decide"
	}
	return note{label: f.Status.Symbol() + " " + word, text: text.Line(f.Summary), status: f.Status}
}

func hasChange(s report.Section) bool {
	return len(report.Plan{Sections: []report.Section{s}}.Changes()) > 0
}

const noteLabel = 10

// noteRows draws notes in at most height rows, one row each where they do not
// all fit, and says how many are left out. height < 0 means all, in full.
func (l look) noteRows(ns []note, width, height int) []string {
	var full []string
	for _, n := range ns {
		full = append(full, l.noteFull(n, width)...)
	}
	if height < 0 || len(full) <= height {
		return full
	}
	var rows []string
	for i, n := range ns {
		if len(rows) == height-1 && (i < len(ns)-1) {
			return append(rows, l.dim.Render(text.Cut(fmt.Sprintf("… %d more: n shows all", len(ns)-i), width)))
		}
		rows = append(rows, l.noteHead(n)+text.Cut(n.text, width-noteLabel))
	}
	return rows[:min(height, len(rows))]
}

func (l look) noteHead(n note) string {
	label := text.Pad(n.label, noteLabel)
	if n.status == "" {
		return l.dim.Render(label)
	}
	return l.of(n.status).Render(label)
}

func (l look) noteFull(n note, width int) []string { return after(l.noteHead(n), n.text, width) }

// shown is a change made ready to be shown.
type shown struct {
	report.Change
	stat           string
	added, removed int
	lines          []diffLine
}

// prepared is a plan made ready to be shown. What takes long (comparing and
// hashing whole files, one of which may be this program itself) is done once a
// plan, in the command that made it, never between two frames.
type prepared struct {
	report.Plan
	// digests are the ids of the sections' contents, each by itself.
	digests map[report.ID]report.PlanID
	changes map[report.ID]shown
}

func prepare(p report.Plan, home string) prepared {
	p.Sections = text.SaidIn(p.Sections, home)
	out := prepared{Plan: p, digests: make(map[report.ID]report.PlanID), changes: make(map[report.ID]shown)}
	for _, s := range p.Sections {
		out.digests[s.ID] = report.NewPlan([]report.Section{s}).ID
	}
	for _, c := range p.Changes() {
		out.changes[c.ID] = show(c)
	}
	return out
}

func show(c report.Change) shown {
	s := shown{Change: c, stat: text.Stat(c), lines: parseDiff(text.Read(c))}
	s.added, s.removed = text.Added(c)
	return s
}

// all lists the changes of the plan in the order in which they are applied.
func (p prepared) all() []shown {
	var all []shown
	for _, c := range p.Changes() {
		all = append(all, p.changes[c.ID])
	}
	return all
}
