// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every answer that made the plan stands on the review with
// its value and its reason, below what would be written; enter opens the one
// under the cursor, and applies nothing while it is there.

package tui

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// answersOf are the answers in the order of the review: those that the user
// can change, then those that nobody has to decide.
func answersOf(all []report.Answered) []report.Answered {
	var open, decided []report.Answered
	for _, a := range all {
		if a.Decided() {
			decided = append(decided, a)
		} else {
			open = append(open, a)
		}
	}
	return append(open, decided...)
}

// answer is the one under the cursor, nil if it is somewhere else.
func (p *reviewPage) answer() *report.Answered {
	if i := p.cur - len(p.items); i >= 0 && i < len(p.answers) {
		return &p.answers[i]
	}
	return nil
}

// item is the file or command under the cursor, none likewise.
func (p *reviewPage) item() (it item) {
	if p.cur >= 0 && p.cur < len(p.items) {
		it = p.items[p.cur]
	}
	return it
}

// pick puts the cursor on an answer.
func (p *reviewPage) pick(id report.ID) {
	for i, a := range p.answers {
		if a.Question.ID == id {
			p.cur = len(p.items) + i
		}
	}
}

// openAnswer is what enter asks for on an answer.
func (p *reviewPage) openAnswer(a report.Answered) ask {
	if a.Decided() {
		return askSay{"nothing to choose: " + text.Own(a.Why)}
	}
	return askEdit{a.Question.ID}
}

// rows are the items, then the answers under a heading; at is the row of the
// cursor, -1 if there is none.
func (p *reviewPage) rows() (rows []string, at int) {
	w := p.listWidth()
	at = -1
	items := columnsOf(p.items, w)
	if len(p.plan.Sections) == 1 {
		items.note = 0 // it says nothing
	}
	for i := range p.items {
		if i == p.cur {
			at = len(rows)
		}
		rows = append(rows, p.l.row(p.items[i], items, w, i == p.cur))
	}
	if len(p.answers) == 0 {
		return rows, at
	}
	var cols answerColumns
	for _, a := range p.answers {
		cols.value = max(cols.value, text.Width(text.Own(a.Value())))
		cols.title = max(cols.title, text.Width(text.Own(a.Question.Title)))
	}
	cols.value = min(cols.value, max(12, w/4))
	cols.title = min(cols.title, w-4-cols.value)
	heading := "answers"
	if len(p.items) > 0 {
		rows = append(rows, "")
	}
	for i, a := range p.answers {
		if a.Decided() && heading != "decided" {
			heading = "decided"
			rows = append(rows, p.l.dim.Render(heading))
		} else if i == 0 {
			rows = append(rows, p.l.dim.Render(heading))
		}
		if len(p.items)+i == p.cur {
			at = len(rows)
		}
		rows = append(rows, p.l.answerRow(a, cols, w, len(p.items)+i == p.cur))
	}
	return rows, at
}

// answerColumns are the widths of a row of the answers, in cells.
type answerColumns struct{ title, value int }

// answerRow is the question, the answer, and where there is room the reason.
func (l look) answerRow(a report.Answered, cols answerColumns, width int, current bool) string {
	const enough = 20 // to read a reason
	mark, title := l.pointed(text.Pad(text.Own(a.Question.Title), cols.title), current)
	_, said := l.pointed(text.Pad(text.Own(a.Value()), cols.value), current)
	why := width - 4 - cols.title - cols.value - 2
	row := mark + title + "  " + said
	if why >= enough {
		row += "  " + l.dim.Render(text.Cut(text.Own(a.Why), why))
	}
	return row
}

func (l look) answerPane(a report.Answered, width, height int) []string {
	rows := []string{l.line.Render(strings.Repeat("─", width))}
	rows = append(rows, styled(l.bold, text.Wrap(text.Own(a.Question.Title), width))...)
	rows = append(rows, l.labelled("answer", text.Own(a.Value()), width)...)
	rows = append(rows, l.labelled("why", text.Own(a.Why), width)...)
	help, price, _ := l.questionRows(a.Question, width)
	return firstRows(append(append(rows, price...), help...), max(0, height), width)
}

func newPlanText(sections []report.Section) *readPage {
	return newReadPage("Everything about this plan", func(l look, width int) []string {
		var rows []string
		for i, s := range sections {
			if i > 0 {
				rows = append(rows, "")
			}
			rows = append(rows, l.headline(text.Own(s.Title), "", width)...)
			if s.Skipped {
				rows = append(rows, leftOut)
				continue
			}
			rows = append(rows, sectionRows(l, s, width)...)
		}
		return rows
	})
}
