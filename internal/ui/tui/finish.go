// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nothing is written before the review's enter, and the plan
// that is written is the very one that stood there. How the run ended follows
// from what was done, not from the key that closed it.

package tui

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/engine"
)

// quit leaves, after a question if something was approved.
func (m *wizard) quit() tea.Cmd {
	if m.single == nil && m.err == nil && m.approved() && len(m.proposal.Plan.Changes()) > 0 {
		m.over = newQuitPage(m.backend.ApplyLine(m.answers))
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
		p.list.again()
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

// progress takes an event of the run that is shown.
func (m *wizard) progress(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case eventMsg:
		if msg.run == m.run {
			if p, ok := m.page.(interface{ event(engine.Event) }); ok {
				p.event(msg.e)
			}
		}
		return msg.next
	case endMsg:
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
			m.findings = p.list.findings()
		}
	}
	return nil
}

// follow has a command follow once everything is written, or no longer.
func (m *wizard) follow(lead Action) {
	if m.later == lead.Key {
		m.later, m.flash = "", own(lead.Word)+" will not run"
		return
	}
	m.later, m.flash = lead.Key, own(lead.Word)+" runs after this plan is written"
}
