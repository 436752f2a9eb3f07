// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the list has a row for every check or probe from its
// start, in the order that was given, and fills in without moving. What is
// unknown yet is never shown as a pass. What a probe came to is kept column
// by column, as it becomes known; what was not told is unknown, and no
// column is filled by guessing from another.

package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// runRow is a check of a report or a probe of the doctor.
type runRow struct {
	id            report.ID
	title         string
	layer         report.Layer
	finding       report.Finding
	started, done bool
	probed        // of a probe
}

// runList is what a run answers, row by row, and where the cursor is.
type runList struct {
	rows   []runRow
	asked  []report.ID // of the run; nil is all
	cur    int
	top    int // the first line in sight
	moved  bool
	copied int // commands copied of what the cursor is on

	progress engine.Progress
	filled   float64 // the greatest share that was done
	over     bool
}

func newRunList(checks []engine.Check) runList {
	var r runList
	for _, c := range checks {
		r.rows = append(r.rows, runRow{id: c.ID, title: c.Title, layer: c.Layer})
	}
	return r
}

// reset makes the rows of a run what they were before any; the cursor stays.
func (r *runList) reset(ids []report.ID, fixes bool) {
	r.asked, r.progress, r.filled, r.over = ids, engine.Progress{}, 0, false
	for i, row := range r.rows {
		if r.inRun(row.id) {
			r.rows[i] = runRow{id: row.id, title: row.title, layer: row.layer, probed: probed{fixesTried: fixes}}
		}
	}
}

func (r *runList) inRun(id report.ID) bool { return r.asked == nil || slices.Contains(r.asked, id) }

// row finds the row with an id; one that nobody announced comes last.
func (r *runList) row(id report.ID) *runRow {
	i := slices.IndexFunc(r.rows, func(row runRow) bool { return row.id == id })
	if i < 0 {
		r.rows = append(r.rows, runRow{id: id})
		i = len(r.rows) - 1
	}
	return &r.rows[i]
}

func (r *runList) event(e engine.Event) {
	switch e := e.(type) {
	case engine.CheckStarted:
		row := r.row(e.ID)
		row.started = true
		row.title = cmp.Or(row.title, e.Title)
	case engine.ProbeStep:
		r.row(e.ID).step(e)
	case engine.CheckDone:
		row := r.row(e.Finding.Check)
		row.finding, row.started, row.done = e.Finding, true, true
		row.layer = cmp.Or(row.layer, e.Finding.Layer)
	case engine.Progress:
		r.progress = e
	}
	r.filled = max(r.filled, r.share())
}

// share is how much of the run is done, between 0 and 1: the rows that have
// answered (a third of a probe is its control, a third what became of it
// inside), and of the rest what the part that takes long says of itself.
func (r *runList) share() float64 {
	parts, of := 0, 0
	for _, row := range r.rows {
		if !r.inRun(row.id) {
			continue
		}
		of += 3
		switch {
		case row.done:
			parts += 3
		case row.inside.told:
			parts += 2
		case row.outside.told:
			parts++
		}
	}
	if of == 0 {
		return 0
	}
	done := float64(parts) / float64(of)
	return min(1, done+(1-done)*max(0, share(r.progress)))
}

// answered counts the rows of the run, and those of them that have answered.
func (r *runList) answered() (n, of int) {
	for _, row := range r.rows {
		if r.inRun(row.id) {
			if of++; row.done {
				n++
			}
		}
	}
	return n, of
}

// running is one line on what takes long, "" if there is nothing.
func (r *runList) running() string {
	said := text.Line(r.progress.Text)
	if r.progress.Of > 0 && said != "" {
		said = fmt.Sprintf("%d of %d  ", r.progress.Done, r.progress.Of) + said
	}
	return said
}

func (r *runList) findings() []report.Finding {
	var fs []report.Finding
	for _, row := range r.rows {
		if row.done {
			fs = append(fs, row.finding)
		}
	}
	return fs
}

// selected is the row that the cursor is on; nil if it is on none.
func (r *runList) selected() *runRow {
	if r.cur < len(r.rows) {
		return &r.rows[r.cur]
	}
	return nil
}

// worst is the row to look at first: a failure that voids the rest, then by
// status; 0 if nothing is wrong.
func (r *runList) worst() int {
	best, at := slices.Index(report.Statuses, report.Skip), 0
	for i, row := range r.rows {
		rank := slices.Index(report.Statuses, row.finding.Status)
		if row.finding.Voids && row.finding.Status == report.Fail {
			rank = -1
		}
		if row.done && rank < best {
			best, at = rank, i
		}
	}
	return at
}

// move takes a key of a list of n lines, page of which are in sight.
func (r *runList) move(key string, n, page int) {
	to := moved(key, r.cur, n, page)
	if r.moved = true; to != r.cur {
		r.cur, r.copied = to, 0
	}
}

// copyNext asks to copy the next of the command lines of what the cursor is on,
// a word for which is what.
func (r *runList) copyNext(lines []string, what string) ask {
	if len(lines) == 0 {
		return askSay{"no command here; select a " + what + " that has one"}
	}
	i := r.copied % len(lines)
	r.copied++
	if len(lines) == 1 {
		return askCopy{line: lines[0]}
	}
	return askCopy{lines[i], fmt.Sprintf("copied line %d of %d; y again for the next", i+1, len(lines))}
}

// moveKeys are the keys of a list.
const moveKeys = "up k down j pgup ctrl+u pgdown ctrl+d space home g end G"

// moved is the line that one of moveKeys leads to from line at of n, page of which are
// in sight.
func moved(key string, at, n, page int) (to int) {
	switch key {
	case "up", "k":
		at--
	case "down", "j":
		at++
	case "pgup", "ctrl+u":
		at -= max(1, page-1)
	case "pgdown", "ctrl+d", "space":
		at += max(1, page-1)
	case "home", "g":
		at = 0
	case "end", "G":
		at = n - 1
	}
	return max(0, min(at, n-1))
}

// cell is one column of a probe; told is false as long as nothing is known.
type cell struct {
	told   bool
	status report.Status
	words  string
	// refusal is words in its parts where they say who refused.
	refusal engine.Refusal
}

// plain is a column's words with the layers in plain words first, and what works last.
func (c cell) plain() string {
	r := c.refusal
	if r.Layers == nil {
		return c.words
	}
	words := make([]string, 0, len(r.Layers))
	for _, l := range r.Layers {
		words = append(words, text.Layer(l))
	}
	said := strings.Join(words, ", ")
	if r.ByDesign {
		said += ", by design"
	}
	if said += ": " + r.Said; r.Works != "" {
		said += "; " + r.Works
	}
	return text.Line(said)
}

// applies says whether the column says anything.
func (c cell) applies() bool { return c.told && c.words != "" }

// probed is what a probe came to.
type probed struct {
	outside, inside, fix cell
	// goesOn says that the probe is tried inside.
	goesOn bool
	// changes are those of the finding, ready to be shown.
	changes []shown
	// fixesTried says that the run it answers in tries fixes.
	fixesTried bool
}

// step takes what became known of one column.
func (r *probed) step(e engine.ProbeStep) {
	c := cell{true, e.Status, text.Line(e.Summary), e.Refusal}
	switch e.Column {
	case engine.Outside:
		r.outside, r.goesOn = c, e.GoesOn
	case engine.Inside:
		r.inside = c
	case engine.WithFix:
		if r.fix.status != report.Warn { // the first that works is the smallest
			r.fix = c
		}
	}
}

// refused says whether something was refused inside, or is by design, as far
// as it is known.
func (r *probed) refused() bool {
	return r.inside.applies() && (r.inside.status == report.Fail || r.inside.status == report.Warn)
}

// changesOf are the changes that a finding offers.
func changesOf(f report.Finding) []shown {
	var changes []shown
	for _, m := range f.Remedies {
		if c, ok := m.(report.Change); ok {
			changes = append(changes, show(c))
		}
	}
	return changes
}

// diagnosis is what all probes say together, and the status it amounts to.
func diagnosis(findings []report.Finding) (string, report.Status) {
	n := report.Count(findings)
	switch {
	case slices.ContainsFunc(findings, func(f report.Finding) bool { return f.Voids }):
		return "NOT PROTECTED", report.Fail
	case n[report.Fail] > 0:
		return "BLOCKED", report.Fail
	case n[report.Unknown] > 0:
		return "INCOMPLETE", report.Unknown
	case n[report.Skip] == len(findings):
		return "NOTHING APPLIES", report.Skip
	}
	return "NOTHING BLOCKED", report.Pass
}

// signed is a line of a diff with its sign.
func (d diffLine) signed() string {
	if d.sign == 0 {
		return "· " + d.text
	}
	return string(d.sign) + " " + d.text
}
