// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was really written is counted where it happens, not
// where it is shown, and the run does not return before the writing has
// stopped. Once the run is over no writing can begin. A plan is made outside
// the screen's own goroutine, and who waits for it sees how far it is. What
// is said on the way is never waited for: the newest word replaces the one
// before.

package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// ledger is shared between the model and the commands it starts.
type ledger struct {
	mu      sync.Mutex
	idle    *sync.Cond
	running int
	closed  bool
	written []report.Change
	// takeBack is the line that takes back what was written, err what
	// stopped the writing.
	takeBack string
	err      error
	// called is the terminal's, nil if it has none.
	called func(error) error
	home   string
}

// asCalled is an error of the backend as it is shown.
func (l *ledger) asCalled(err error) error {
	if l.called == nil || err == nil {
		return err
	}
	return l.called(err)
}

// said is an event as it is shown.
func (l *ledger) said(e engine.Event) engine.Event {
	if done, ok := e.(engine.CheckDone); ok {
		return engine.CheckDone{Finding: text.Said([]report.Finding{done.Finding}, l.home)[0]}
	}
	return e
}

func newLedger() *ledger {
	l := &ledger{}
	l.idle = sync.NewCond(&l.mu)
	return l
}

// begin asks whether writing may start; each yes is followed by one end.
func (l *ledger) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.running++
	return true
}

func (l *ledger) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	l.idle.Broadcast()
}

// close refuses further work and waits for what is running.
func (l *ledger) close() (written int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for l.running > 0 {
		l.idle.Wait()
	}
	return report.Files(l.written)
}

func (l *ledger) note(e engine.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := e.(type) {
	case engine.ChangeDone:
		if e.Err == nil {
			l.written = append(l.written, e.Change)
		}
	case engine.Applied:
		l.takeBack = e.TakeBack
	}
}

// stopped keeps what ended a run of the backend.
func (l *ledger) stopped(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.err = err
	}
}

// way is how what was written is taken back, as the engine said it: a line, or
// after a run that was stopped the advice that its error gives.
func (l *ledger) way() (line, advice string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := errors.AsType[*report.Error](l.err); ok && l.takeBack == "" {
		return "", e.Advice()
	}
	return l.takeBack, ""
}

// Messages of a run of the backend.
type (
	eventMsg struct {
		run  int
		e    engine.Event
		next tea.Cmd
	}
	endMsg struct {
		run int
		err error
	}
)

// stream starts work and turns its events into messages in their order; the
// last is an endMsg. Events that nobody can take any more, because ctx has
// ended, are dropped; they are in the ledger all the same. close waits for the
// work: if it does not write, a rehearsal has a stage to take down.
func (l *ledger) stream(ctx context.Context, run int, work func(emit engine.Sink) error) tea.Cmd {
	ch := make(chan tea.Msg)
	send := func(m tea.Msg) {
		select {
		case ch <- m:
		case <-ctx.Done():
		}
	}
	var next tea.Cmd
	next = func() tea.Msg {
		select {
		case m := <-ch:
			if e, ok := m.(eventMsg); ok {
				e.next = next
				return e
			}
			return m
		case <-ctx.Done():
			return nil
		}
	}
	start := func() tea.Msg {
		if !l.begin() {
			return nil
		}
		defer l.end()
		err := l.asCalled(work(func(e engine.Event) {
			l.note(e)
			send(eventMsg{run: run, e: l.said(e)})
		}))
		l.stopped(err)
		send(endMsg{run, err})
		return nil
	}
	return tea.Batch(start, next)
}

// propose asks the backend for a plan for the answers; then follows. What the backend
// tells on the way becomes messages.
func (m *wizard) propose(busy string, then func()) tea.Cmd {
	m.ask++
	m.busy, m.then, m.far = busy, then, engine.Progress{}
	ask, answers, b, l := m.ask, m.answers, m.backend, m.ledger
	ctx, stop := context.WithCancel(m.ctx)
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
	return tea.Batch(func() tea.Msg {
		defer stop()
		p, err := b.Propose(ctx, answers, tell)
		return proposalMsg{ask, p, prepare(p.Plan, p.Facts.Home), l.asCalled(err)}
	}, next)
}

func (m *wizard) proposed(msg proposalMsg) tea.Cmd {
	if msg.ask != m.ask {
		return nil
	}
	m.busy = ""
	if m.err = msg.err; m.err != nil {
		m.page = newErrorPage(m.err, m.sections() != nil)
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

// farMsg says how far the proposal number ask is.
type farMsg struct {
	ask  int
	far  engine.Progress
	next tea.Cmd
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
