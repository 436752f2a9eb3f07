// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one model for every screen. Update changes what is shown
// and hands out commands; it waits for nothing and touches nothing. Nothing
// is written before the review's enter, and the plan that is written is the
// very one that stood there. How the run ended follows from what was done,
// not from the key that closed it.

package tui

import (
	"cmp"
	"context"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

type wizard struct {
	shell
	backend Backend
	o       Options
	single  *Confirmation // set where a ready-made plan is confirmed

	proposal report.Proposal
	plan     prepared // the proposal's
	answers  report.Answers
	before   report.Answers // the answers of the last plan that could be made
	settled  map[report.ID]report.PlanID
	passed   map[report.ID]bool // the pages that were gone on from: they stay in the row of steps
	at       int                // index of the section; len(sections) is the review
	way      way
	wayAsked bool      // the way was the first question
	editing  report.ID // the answer of the review that is open
	// looked says that the table was seen, acknowledged which words of a
	// section were; later is the key of what follows the run.
	looked       bool
	acknowledged string
	later        string

	busy  string          // what is being waited for; "" if keys are taken
	far   engine.Progress // how far that is
	ask   int             // number of the last proposal asked for
	then  func()          // what follows it
	stop  context.CancelFunc
	apply *applyPage // the last run of Apply

	findings []report.Finding
}

var _ tea.Model = (*wizard)(nil)

func newWizard(ctx context.Context, b Backend, o Options) *wizard {
	m := &wizard{shell: newShell(ctx, report.Facts{}, newWaitPage(o.Waiting)), backend: b, o: o,
		answers: make(report.Answers), settled: make(map[report.ID]report.PlanID), passed: make(map[report.ID]bool)}
	maps.Copy(m.answers, o.Given)
	m.before = m.answers
	m.o.Command = cmp.Or(m.o.Command, "install")
	return m
}

// proposalMsg is the answer to the proposal number ask.
type proposalMsg struct {
	ask  int
	p    report.Proposal
	plan prepared
	err  error
}

// Init asks for the background's colour, without waiting for it, and for the
// first plan.
func (m *wizard) Init() tea.Cmd {
	if m.o.First == nil {
		return tea.Batch(tea.RequestBackgroundColor, m.propose("looking", m.start))
	}
	m.proposal = *m.o.First
	m.plan, m.facts = prepare(m.proposal.Plan, m.proposal.Facts.Home), m.proposal.Facts
	m.start()
	return tea.RequestBackgroundColor
}

// Update takes one message.
func (m *wizard) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.take(msg)
	m.fit()
	return m, cmd
}

func (m *wizard) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg, tea.BackgroundColorMsg:
		m.look.take(msg)
		return nil
	case inputEndedMsg:
		return m.cutOff()
	case proposalMsg:
		return m.proposed(msg)
	case farMsg:
		return m.told(msg)
	case eventMsg:
		return m.happened(msg)
	case endMsg:
		return m.ended(msg)
	case tea.KeyPressMsg:
		return m.key(msg)
	}
	a, cmd := update(m.page, msg) // huh's own messages
	return tea.Batch(cmd, m.act(a))
}

func (m *wizard) key(msg tea.KeyPressMsg) tea.Cmd {
	k := msg.String()
	m.flash = ""
	switch {
	case k == "ctrl+c":
		return m.interrupt()
	case m.small():
		return nil
	case m.over != nil:
		a, _ := update(m.over, msg)
		return m.act(a)
	case m.busy != "":
		if k == "q" {
			return m.quit()
		}
		return nil
	case k == "?" && !m.typing():
		q, now := "quit; asks if something was approved", "quit at once; nothing is written before you apply the plan"
		if m.finished() {
			q, now = "quit", "quit at once"
		}
		m.over = newHelpPage(append(helpOf(m.page), hint{key: "?", word: "this help"}, hint{key: "q", word: q},
			hint{key: "ctrl-c", word: now}))
		return nil
	}
	a, cmd := update(m.page, msg)
	return tea.Batch(cmd, m.act(a))
}

func (m *wizard) typing() bool {
	p, types := m.page.(interface{ typing() bool })
	return types && p.typing()
}

// interrupt is ctrl-c: at once, unless a file is being written; then the run
// stops before the next one and the page says what is on disk. A second
// ctrl-c leaves the screen, too.
func (m *wizard) interrupt() tea.Cmd {
	if m.writing() && !m.apply.stopping {
		m.apply.stopping = true
		m.stop()
		return nil
	}
	return m.cutOff()
}

// cutOff leaves without a prompt: interrupted, unless everything was done.
func (m *wizard) cutOff() tea.Cmd {
	if m.finished() && !m.writing() {
		return m.leave()
	}
	m.end = Interrupted
	return tea.Quit
}

func (m *wizard) writing() bool { return m.apply != nil && !m.apply.over }

// View draws the frame.
func (m *wizard) View() tea.View {
	flash, filled := m.flash, 0.0
	if m.busy != "" {
		flash, filled = cmp.Or(farWords(m.far), m.busy)+" …", share(m.far)
	}
	return m.draw(m.o.Command, m.steps(), filled, flash)
}

// steps is the row of sections: done, here, to come, left out.
func (m *wizard) steps() string {
	if m.single != nil || m.sections() == nil {
		return ""
	}
	if m.wayAsked && m.way != stepByStep {
		return m.stepRow(m.waySteps())
	}
	var marks []mark
	here := 0
	for i, s := range m.proposal.Plan.Sections {
		if i != m.at && !m.passed[s.ID] && !m.decides(s) {
			continue
		}
		if i <= m.at {
			here = len(marks)
		}
		sign := "○"
		switch {
		case i == m.at && !m.finished():
			sign = "◐"
		case s.Skipped:
			sign = "⊘"
		case m.isSettled(s):
			sign = "●"
		}
		marks = append(marks, mark{sign, text.Line(string(s.ID))})
	}
	last := mark{"○", "review"}
	if m.finished() {
		last.sign = "●"
	} else if m.at == len(m.sections()) {
		last.sign, here = "◐", len(marks)
	}
	return m.stepRow(append(marks, last), here)
}

// stepRow draws the row in which here is bold.
func (m *wizard) stepRow(marks []mark, here int) string {
	for _, gap := range []string{"   ", "  ", " "} {
		var parts []string
		for i, k := range marks {
			s := k.sign + " " + k.name
			if i == here && !m.finished() {
				s = m.bold.Render(s)
			} else {
				s = m.dim.Render(s)
			}
			parts = append(parts, s)
		}
		if row := strings.Join(parts, gap); text.Width(row) <= m.bodyWidth() {
			return row
		}
	}
	// Too many names: signs alone, and the name of the one that is shown.
	var b strings.Builder
	for i, k := range marks {
		if i == here && !m.finished() {
			b.WriteString(" " + m.bold.Render(k.sign+" "+k.name) + " ")
			continue
		}
		b.WriteString(m.dim.Render(k.sign))
	}
	return strings.TrimSpace(b.String())
}

// finished says whether the plan was applied, or its applying began.
func (m *wizard) finished() bool {
	switch m.page.(type) {
	case *applyPage, *resultPage:
		return true
	}
	return false
}

// quit leaves, after a question if something was approved.
func (m *wizard) quit() tea.Cmd {
	if m.single == nil && m.err == nil && m.approved() && len(m.proposal.Plan.Changes()) > 0 {
		m.over = newQuitPage("Quit without writing?", "You approved something, but nothing has been written, and nothing "+
			"will be.", "quit, nothing is written", m.backend.ApplyLine(m.answers))
		return nil
	}
	return m.leave()
}

func (m *wizard) leave() tea.Cmd {
	switch {
	case m.apply != nil && m.apply.stopping && m.apply.err != nil:
		m.end = Interrupted
	case m.err != nil:
		m.end = Failed
	case m.finished(), m.nothing():
		m.end = Applied
		m.pick = cmp.Or(m.pick, m.later)
	default:
		m.end = Quit
	}
	return tea.Quit
}

// nothing says whether the plan has nothing in it.
func (m *wizard) nothing() bool {
	_, reviewing := m.page.(*reviewPage)
	return reviewing && len(m.proposal.Plan.Items()) == 0 && m.over == nil
}

// write applies the plan of the review page.
func (m *wizard) write() tea.Cmd {
	plan := m.proposal.Plan
	m.apply = newApplyPage(m.plan)
	m.page = m.apply
	ctx, stop := context.WithCancel(m.ctx)
	m.stop = stop
	b := m.backend
	return m.stream(func(emit engine.Sink) error { return b.Apply(ctx, plan, emit) })
}

// check runs the checks and shows the report.
func (m *wizard) check() tea.Cmd {
	if p, ok := m.page.(*resultPage); ok {
		p.again()
	} else {
		written, takeBack := 0, ""
		if m.apply != nil {
			written, takeBack = m.apply.written(), m.apply.takeBack
		}
		var checks []engine.Check
		if m.o.Checks != nil {
			checks = m.o.Checks()
		}
		m.page = newResultPage(m.plan.Plan, newCheckList(checks, m.o.AsCalled), written, takeBack, m.o.Actions)
		m.page.layout(m.look)
	}
	ctx, b := m.ctx, m.backend
	return m.stream(func(emit engine.Sink) error { b.Recheck(ctx, emit); return nil })
}

// ended takes the end of the run that is shown.
func (m *wizard) ended(msg endMsg) tea.Cmd {
	if msg.run != m.run {
		return nil
	}
	switch p := m.page.(type) {
	case *applyPage:
		m.stop()
		p.over, p.err, m.err = true, msg.err, msg.err
		if msg.err == nil && m.single == nil {
			return m.check()
		}
	case *resultPage:
		p.end()
		m.findings = p.findings()
	}
	return nil
}

// follow has a command follow once everything is written, or no longer.
func (m *wizard) follow(lead Action) {
	if m.later == lead.Key {
		m.later, m.flash = "", text.Own(lead.Word)+" will not run"
		return
	}
	m.later, m.flash = lead.Key, text.Own(lead.Word)+" runs after this plan is written"
}
