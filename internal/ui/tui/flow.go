// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an approval holds for what was shown. A new proposal that
// changes a section takes its approval back, and the plan that is applied is
// the one on the review page, bit for bit.

package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// Questions that are asked by keys instead of forms.
const (
	questionSkip report.ID = "skip" // sections left out
	questionOmit report.ID = "omit" // entries left out, by key
)

// act does what a page asks for.
func (m *wizard) act(a ask) tea.Cmd {
	if cmd, ok := m.shell.act(a); ok {
		return cmd
	}
	switch a := a.(type) {
	case askNext:
		m.goOn()
	case askSkip:
		return m.answerSkip(true)
	case askInclude:
		return m.answerSkip(false)
	case askBack:
		return m.back()
	case askForm:
		m.form()
	case askWay:
		m.goWay(a.way)
	case askEdit:
		m.edit(a.id)
	case askPages:
		m.way = stepByStep
		m.show(m.nextPage(-1))
	case askEntries:
		m.over = newChoosePage(m.section(), m.answers[questionOmit])
	case askRead:
		m.read()
	case askAgain:
		return m.again()
	case askRetry:
		m.apply, m.at = nil, len(m.sections())
		return m.propose("reading again", m.onward)
	case askAnswer:
		m.answers = a.with
		if m.proposal.Unfinished {
			return m.propose("making the plan", m.start)
		}
		return m.proposeAgain(m.afterAnswers)
	case askOmit:
		m.over = nil
		m.answers = m.answers.With(questionOmit, a.keys...)
		return m.proposeAgain(func() { m.show(m.at) })
	case askApply:
		if m.single != nil && m.single.Apply == nil {
			m.end = Applied
			return tea.Quit
		}
		return m.write()
	case askCheck:
		return m.check()
	case askQuit:
		return m.quit()
	case askPick:
		m.pick = a.key
		return m.leave()
	case askLeave:
		return m.leave()
	case askLater:
		m.follow(a.lead)
	}
	return nil
}

// sections are those of the plan, as they are shown.
func (m *wizard) sections() []report.Section { return m.plan.Sections }

// section is the one that is shown; the review has none.
func (m *wizard) section() report.Section {
	if m.at < len(m.sections()) {
		return m.sections()[m.at]
	}
	return report.Section{}
}

// start shows the first page: the first section, or the review where there is
// nothing to do or nothing to ask.
func (m *wizard) start() {
	skipped := slices.ContainsFunc(m.sections(), func(s report.Section) bool { return s.Skipped })
	if m.single == nil && (len(m.proposal.Plan.Items()) > 0 || skipped || m.proposal.Unfinished) {
		if m.o.StepByStep {
			m.goWay(stepByStep)
		} else {
			m.chooseWay()
		}
		return
	}
	m.toReview()
}

// show opens section i, or the review: its questions first, if there are any
// that nobody has answered.
func (m *wizard) show(i int) {
	m.at = i
	if i >= len(m.sections()) {
		m.review()
		return
	}
	s := m.sections()[i]
	if t := m.table(s.ID); t != nil && !m.looked {
		m.page = &tablePage{t: *t, first: m.firstPage(i)}
		return
	}
	if m.acknowledges(s) {
		m.page = &ackPage{readPage: newSectionText(s), words: m.o.Acknowledge.Words, first: m.firstPage(i)}
		return
	}
	if !s.Skipped && len(m.unanswered(s.ID)) > 0 {
		p := newFormPage(s.Title, m.unanswered(s.ID), m.answers, m.o.Validate)
		p.first = m.firstPage(i) && m.table(s.ID) == nil
		m.page = p
		return
	}
	next := newSectionPage(m.plan, s, m.facts, len(m.questions(s.ID)) > 0, m.firstPage(i) && m.table(s.ID) == nil)
	next.choose = len(s.Entries) > 0 && !m.o.AllEntries
	next.fixed = m.o.Fixed != nil && m.o.Fixed(s.ID)
	if lead, ok := m.o.Leads[s.ID]; ok {
		next.lead = &lead
	}
	if old, ok := m.page.(*sectionPage); ok && old.section.ID == s.ID {
		next.keepPlace(old)
	}
	m.page = next
}

func (m *wizard) questions(section report.ID) []report.Question {
	return slices.DeleteFunc(m.proposal.QuestionsOf(section), func(q report.Question) bool {
		return q.ID == questionSkip || q.ID == questionOmit || q.Decided != ""
	})
}

func (m *wizard) unanswered(section report.ID) []report.Question { return m.open(m.questions(section)) }

// firstPage says whether no page comes before section i.
func (m *wizard) firstPage(i int) bool { return !m.wayAsked && m.pageBefore(i) < 0 }

func (m *wizard) form() {
	if qs := m.questions(m.section().ID); len(qs) > 0 {
		m.page = newFormPage(m.section().Title, qs, m.answers, m.o.Validate)
	}
}

func (m *wizard) review() {
	r := newReviewPage(m.plan, m.facts, m.proposal.Answered(m.answers))
	r.pages = m.way == recommended
	r.said.TakeBack = m.o.TakeBack
	for _, s := range m.sections() {
		if !m.isSettled(s) {
			r.open = append(r.open, text.Line(string(s.ID)))
		}
	}
	if c := m.single; c != nil {
		r.open = nil // there is no other page
		r.single, r.said = true, *c
	}
	m.page = r
}

func (m *wizard) settle(s report.Section) { m.settled[s.ID] = m.plan.digests[s.ID] }

func (m *wizard) isSettled(s report.Section) bool {
	return s.Skipped || m.settled[s.ID] == m.plan.digests[s.ID] || !m.decides(s)
}

// approved says whether the user said yes to anything that would be written.
func (m *wizard) approved() bool {
	return m.way != recommended && slices.ContainsFunc(m.sections(), func(s report.Section) bool {
		return !s.Skipped && hasChange(s) && m.isSettled(s)
	})
}

// afterAnswers goes on. A section that decides nothing with these answers is no
// page: its answers stand on the review.
func (m *wizard) afterAnswers() {
	if _, form := m.page.(*formPage); form && m.way != recommended && m.editing == "" && m.at < len(m.sections()) &&
		!m.decides(m.section()) {
		m.goOn()
		return
	}
	m.onward()
}

// goOn settles the section and opens the next page; on the review it opens
// the first section that is not settled.
func (m *wizard) goOn() {
	switch m.page.(type) {
	case *tablePage:
		m.looked = true
		m.show(m.at)
		return
	case *ackPage:
		m.acknowledged = said(m.section())
		m.show(m.at)
		return
	}
	if m.at >= len(m.sections()) {
		m.show(max(0, slices.IndexFunc(m.sections(), func(s report.Section) bool { return !m.isSettled(s) })))
		return
	}
	m.settle(m.section())
	m.passed[m.section().ID] = true
	m.show(m.nextPage(m.at))
}

func (m *wizard) proposeAgain(then func()) tea.Cmd { return m.propose("making the plan again", then) }

// answerSkip answers which sections are left out, by a new proposal.
func (m *wizard) answerSkip(skip bool) tea.Cmd {
	id := string(m.section().ID)
	out := slices.DeleteFunc(slices.Clone(m.answers[questionSkip]), func(s string) bool { return s == id })
	if skip {
		out = append(out, id)
	}
	m.answers = m.answers.With(questionSkip, out...)
	return m.proposeAgain(func() {
		if skip {
			m.show(m.nextPage(m.at))
		} else {
			m.show(m.at)
		}
	})
}

// back goes to the page before; out of a form that was opened on purpose, to
// its section; out of an error, to the answers of before.
func (m *wizard) back() tea.Cmd {
	if m.err != nil {
		m.answers, m.err = m.before, nil
		m.onward()
		return nil
	}
	if m.backOnWay() {
		return nil
	}
	if _, form := m.page.(*formPage); form && len(m.unanswered(m.section().ID)) == 0 {
		m.show(m.at)
		return nil
	}
	if m.nothing() {
		m.show(0)
		return nil
	}
	if _, table := m.page.(*tablePage); !table && m.at < len(m.sections()) && m.table(m.section().ID) != nil {
		m.looked = false
		m.show(m.at)
		return nil
	}
	switch before := m.pageBefore(m.at); {
	case before >= 0:
		m.show(before)
	case m.wayAsked:
		m.chooseWay()
	default:
		m.flash = noneBefore
	}
	return nil
}

// again looks at the machine once more, with the same answers.
func (m *wizard) again() tea.Cmd {
	left := len(m.commands())
	if m.err != nil && m.sections() == nil {
		return m.propose("looking", m.start)
	}
	return m.propose("checking again", func() {
		m.onward()
		switch now := len(m.commands()); {
		case now == 0 && left > 0:
			m.flash = "checked: nothing is left here"
		case now < left:
			m.flash = report.Counted(now, "checked: 1 command is left", "checked: %d commands are left")
		case left > 0:
			m.flash = "checked: still missing"
		}
	})
}

func (m *wizard) commands() []report.Command {
	return report.Plan{Sections: []report.Section{m.section()}}.Commands()
}

// read opens all that is said about what the page shows.
func (m *wizard) read() {
	if p, ok := m.page.(*formPage); ok {
		m.over = newQuestionText(p.title, p.question())
		return
	}
	if _, ok := m.page.(*reviewPage); ok {
		m.over = newPlanText(m.sections())
		return
	}
	m.over = newSectionText(m.section())
}
