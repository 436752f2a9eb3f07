// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a plan is made outside the screen's own goroutine, and who
// waits for it sees how far it is. What is said on the way is never waited for:
// the newest word replaces the one before.

package tui

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// propose asks the backend for a plan for the answers; then follows.
func (m *wizard) propose(busy string, then func()) tea.Cmd {
	m.ask++
	m.busy, m.then = busy, then
	m.far = engine.Progress{}
	ask, answers, ctx, b, l := m.ask, m.answers, m.ctx, m.backend, m.ledger
	if b, ok := b.(Searching); ok {
		return search(ctx, func(ctx context.Context, tell func(engine.Progress)) tea.Msg {
			p, err := b.Search(ctx, answers, tell)
			return proposalMsg{ask, p, prepare(p.Plan, p.Facts.Home), l.asCalled(err)}
		}, ask)
	}
	return func() tea.Msg {
		p, err := b.Propose(ctx, answers)
		return proposalMsg{ask, p, prepare(p.Plan, p.Facts.Home), l.asCalled(err)}
	}
}

func (m *wizard) proposed(msg proposalMsg) tea.Cmd {
	if msg.ask != m.ask {
		return nil
	}
	m.busy = ""
	if m.err = msg.err; m.err != nil {
		m.page = &errorPage{err: m.err, back: m.sections() != nil}
		return nil
	}
	here := m.section().ID
	m.proposal, m.plan, m.facts, m.before = msg.p, msg.plan, msg.p.Facts, m.answers
	if i := slices.IndexFunc(m.sections(), func(s report.Section) bool { return s.ID == here }); i >= 0 {
		m.at = i
	}
	m.at = min(m.at, len(m.sections()))
	m.then()
	return nil
}

// Searching is a Backend whose proposals take seconds, and which says how far
// they are. tell returns at once.
type Searching interface {
	Backend
	Search(ctx context.Context, a report.Answers, tell func(engine.Progress)) (report.Proposal, error)
}

// farMsg says how far the proposal number ask is.
type farMsg struct {
	ask  int
	far  engine.Progress
	next tea.Cmd
}

// search asks for the proposal number ask; what that tells becomes messages.
func search(ctx context.Context, propose func(context.Context, func(engine.Progress)) tea.Msg, ask int) tea.Cmd {
	ctx, stop := context.WithCancel(ctx)
	told := make(chan engine.Progress, 1)
	tell := func(p engine.Progress) {
		for {
			select {
			case told <- p:
				return
			default:
			}
			select {
			case <-told:
			default:
			}
		}
	}
	var next tea.Cmd
	next = func() tea.Msg {
		select {
		case p := <-told:
			return farMsg{ask, p, next}
		case <-ctx.Done():
			return nil
		}
	}
	work := func() tea.Msg {
		defer stop()
		return propose(ctx, tell)
	}
	return tea.Batch(work, next)
}

func (m *wizard) told(msg farMsg) tea.Cmd {
	if msg.ask != m.ask || m.busy == "" {
		return nil
	}
	m.far = msg.far
	return msg.next
}

// share is how much of what is waited for is done.
func share(p engine.Progress) float64 {
	if p.Of <= 0 {
		return 0
	}
	return float64(p.Done) / float64(p.Of)
}

// farWords says how far it is, in one line.
func farWords(p engine.Progress) string {
	if p.Of > 0 {
		return fmt.Sprintf("%s: %d of %d", text.Line(p.Text), p.Done, p.Of)
	}
	return text.Line(p.Text)
}
