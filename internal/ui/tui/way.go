// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the recommended way asks only what nobody can decide for
// the user, and ends at the review, where every other answer stands with its
// reason and can be opened. It approves nothing: the review's enter does.

package tui

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/report"
)

// way is how the user goes through the wizard.
type way string

const (
	notChosen   way = ""
	recommended way = "recommended"
	stepByStep  way = "step-by-step"
)

var wayQuestion = report.Question{ID: "way", Kind: report.Choice,
	Title: "Recommended setup, or step by step?",
	Help:  "Both end at a review of every file and every answer. Nothing is written before you apply it there.",
	Options: []report.Option{
		{Value: string(recommended), Label: "recommended", Note: "asks only what you must decide"},
		{Value: string(stepByStep), Label: "step by step", Note: "a page for every question and file"},
	},
	Default: []string{string(recommended)},
}

// chooseWay shows the first question.
func (m *wizard) chooseWay() {
	m.at, m.way, m.wayAsked = len(m.sections()), notChosen, true
	p := newFormPage("Setup", []report.Question{wayQuestion}, nil, nil)
	p.first = true
	p.done = func(a report.Answers) ask { return askWay{way(a.Of(wayQuestion)[0])} }
	m.page = p
}

// goWay goes the way that was chosen.
func (m *wizard) goWay(w way) {
	switch m.way = w; {
	case w == stepByStep:
		m.show(m.nextPage(-1))
	case len(m.mustAsk()) > 0:
		m.askThese(m.mustAsk()) // also those that were answered on an earlier walk
	default:
		m.recommend()
	}
}

// recommend asks what is left to ask, and then shows the review.
func (m *wizard) recommend() {
	if qs := m.open(m.mustAsk()); len(qs) > 0 {
		m.askThese(qs)
		return
	}
	m.toReview()
}

// toReview settles every section and shows the review, which shows all of them.
func (m *wizard) toReview() {
	for _, s := range m.sections() {
		m.settle(s)
	}
	m.show(len(m.sections()))
}

// mustAsk are the questions of the recommended way.
func (m *wizard) mustAsk() []report.Question {
	return slices.DeleteFunc(slices.Clone(m.proposal.Questions), func(q report.Question) bool {
		_, given := m.o.Given[q.ID]
		return !q.Ask || q.Decided != "" || given
	})
}

func (m *wizard) askThese(qs []report.Question) {
	m.at = len(m.sections())
	m.page = newFormPage("Recommended setup", qs, m.answers, m.o.Validate)
}

// edit opens one answer of the review.
func (m *wizard) edit(id report.ID) {
	i := slices.IndexFunc(m.proposal.Questions, func(q report.Question) bool { return q.ID == id })
	if i < 0 {
		return
	}
	m.editing = id
	m.page = newFormPage("Review", m.proposal.Questions[i:i+1], m.answers, m.o.Validate)
}

// onward shows what follows a new plan.
func (m *wizard) onward() {
	switch {
	case m.way == recommended:
		m.recommend()
	case m.editing != "":
		m.show(len(m.sections()))
	default:
		m.show(m.at)
	}
	if r, ok := m.page.(*reviewPage); ok && m.editing != "" {
		r.pick(m.editing)
	}
	m.editing = ""
}

// backOnWay is the page before on the recommended way, and out of an answer
// that was opened on the review; false where the sections' own order counts.
func (m *wizard) backOnWay() bool {
	_, form := m.page.(*formPage)
	_, reviewing := m.page.(*reviewPage)
	switch {
	case m.editing != "":
		m.onward()
	case m.way != recommended:
		return false
	case form:
		m.chooseWay()
	case reviewing && len(m.mustAsk()) > 0:
		m.askThese(m.mustAsk())
		m.page.(*formPage).step(len(m.mustAsk()) - 1)
	case reviewing:
		m.chooseWay()
	default:
		return false
	}
	return true
}

// decides says whether a section is a page: it has something to look at or to
// decide.
func (m *wizard) decides(s report.Section) bool {
	_, leads := m.o.Leads[s.ID]
	return s.Skipped || leads || len(s.Items) > 0 || len(m.unanswered(s.ID)) > 0 || m.table(s.ID) != nil ||
		m.acknowledges(s) || slices.ContainsFunc(s.Findings, func(f report.Finding) bool { return f.Decide })
}

// nextPage is the section after i that is a page, or the review.
func (m *wizard) nextPage(i int) int {
	for i++; i < len(m.sections()); i++ {
		if m.decides(m.sections()[i]) {
			return i
		}
	}
	return len(m.sections())
}

// pageBefore is the section before i that is a page, -1 if there is none. So is
// one whose answers are all that it has.
func (m *wizard) pageBefore(i int) int {
	for i--; i >= 0; i-- {
		if s := m.sections()[i]; m.decides(s) || m.passed[s.ID] && len(m.questions(s.ID)) > 0 {
			break
		}
	}
	return i
}

// open are those of the questions that nobody has answered.
func (m *wizard) open(qs []report.Question) []report.Question {
	return slices.DeleteFunc(qs, func(q report.Question) bool {
		_, answered := m.answers[q.ID]
		return answered || q.Decided != ""
	})
}

// waySteps is the row of steps where the sections are no pages.
func (m *wizard) waySteps() (marks []mark, here int) {
	if _, form := m.page.(*formPage); form && m.editing == "" {
		return []mark{{"◐", "questions"}, {"○", "review"}}, 0
	}
	marks = []mark{{"●", "questions"}, {"◐", "review"}}
	if m.finished() {
		marks[1].sign = "●"
	}
	return marks, 1
}

// mark is one step of the row: its sign and its name.
type mark struct{ sign, name string }
