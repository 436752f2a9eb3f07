// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what only looks has a model without a plan: there is
// nothing in it that could be approved, and no command of it writes. What it
// started has stopped when it returns.

package tui

import (
	"cmp"
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// viewer is the model of a screen that changes nothing.
type viewer struct {
	look
	ctx     context.Context // ends with the screen
	command string
	page    page
	over    page // lies over page; nil if nothing does
	flash   string
	ledger  *ledger
	quits   string // what leaving means, for the help

	work func(context.Context, engine.Sink) error // nil if there is none
	run  int                                      // number of the last run of work
	end  End
	err  error
	pick string
}

// filling is a page that fills in while work runs.
type filling interface {
	event(e engine.Event)
	// finished takes the end of a run; the error is that of a run which
	// left out what the page needs.
	finished() error
	// again makes the page what it was before a run.
	again()
	// progress is how much of a run is done, between 0 and 1, one line on
	// what takes long, and whether it is over.
	progress() (filled float64, said string, over bool)
}

func newViewer(ctx context.Context, command string, facts report.Facts, p page) *viewer {
	return &viewer{look: look{styles: plainStyles(), facts: facts}, ctx: ctx, command: command, page: p,
		ledger: newLedger(), quits: "quit"}
}

// Init asks for the background's colour, without waiting for it, and starts
// the work.
func (m *viewer) Init() tea.Cmd { return tea.Batch(tea.RequestBackgroundColor, m.start()) }

// start runs the work; its events come as messages.
func (m *viewer) start() tea.Cmd {
	if m.work == nil {
		return nil
	}
	m.run++
	ctx, work := m.ctx, m.work
	// It is waited for as if it wrote: a rehearsal has a stage to take down.
	return m.ledger.stream(ctx, m.run, true, func(emit engine.Sink) error { return work(ctx, emit) })
}

// Update takes one message.
func (m *viewer) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.take(msg)
	if m.width > 0 && m.height > 0 && !m.small() {
		m.page.layout(m.look)
		if m.over != nil {
			m.over.layout(m.look)
		}
	}
	return m, cmd
}

func (m *viewer) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case inputEndedMsg:
		return m.cutOff()
	case eventMsg:
		if p, ok := m.page.(filling); ok && msg.run == m.run {
			p.event(msg.e)
		}
		return msg.next
	case endMsg:
		return m.ended(msg)
	case tea.KeyPressMsg:
		return m.key(msg)
	}
	m.look.take(msg)
	return nil
}

// ended takes the end of the work.
func (m *viewer) ended(msg endMsg) tea.Cmd {
	p, ok := m.page.(filling)
	if !ok || msg.run != m.run {
		return nil
	}
	if m.ctx.Err() != nil {
		return m.cutOff() // what it says now is only that it was stopped
	}
	if m.err = msg.err; m.err == nil {
		m.err = p.finished()
	}
	if m.err == nil {
		return nil
	}
	m.end = Failed
	return tea.Quit
}

func (m *viewer) key(msg tea.KeyPressMsg) tea.Cmd {
	m.flash = ""
	switch k := msg.String(); {
	case k == "ctrl+c":
		return m.cutOff()
	case m.small():
		if k == "q" { // it leaves from any other size, too
			return m.act(askLeave{})
		}
		return nil
	case m.over != nil:
		a, _ := m.over.update(msg)
		return m.act(a)
	case k == "?":
		keys := append(m.page.help(), hint{key: "?", word: "this help"}, hint{key: "q", word: m.quits})
		if _, ok := m.page.(filling); ok {
			keys = append(keys, hint{key: "esc", word: "quit; asks first during a run"})
		}
		m.over = newHelpPage(append(keys, hint{key: "ctrl-c", word: "quit at once"}))
		return nil
	case k == "esc" && m.running():
		m.over = newStopPage()
		return nil
	}
	a, cmd := m.page.update(msg)
	return tea.Batch(cmd, m.act(a))
}

// running says whether a run is under way.
func (m *viewer) running() bool {
	p, ok := m.page.(filling)
	if !ok {
		return false
	}
	_, _, over := p.progress()
	return !over
}

// act does what a page asks for; of what the pages of a plan ask for, nothing.
func (m *viewer) act(a ask) tea.Cmd {
	switch a := a.(type) {
	case askOver:
		m.over = a.over
	case askClose:
		m.over = nil
	case askSay:
		m.flash = a.remark
	case askCopy:
		m.flash = a.remark()
		return tea.SetClipboard(a.line)
	case askCheck:
		if p, ok := m.page.(filling); ok {
			if a.work != nil {
				m.work = a.work
			}
			if a.begin == nil {
				a.begin = p.again
			}
			a.begin()
			return m.start()
		}
	case askPick:
		m.pick, m.end = a.key, Quit
		return tea.Quit
	case askLeave:
		if m.running() {
			return m.cutOff() // without a verdict
		}
		m.end = Quit
		return tea.Quit
	}
	return nil
}

// cutOff leaves at once.
func (m *viewer) cutOff() tea.Cmd {
	m.end = Interrupted
	return tea.Quit
}

// View draws the frame.
func (m *viewer) View() tea.View {
	v := tea.NewView(m.draw())
	v.AltScreen = true
	return v
}

func (m *viewer) draw() string {
	switch {
	case m.width <= 0 || m.height <= 0:
		return ""
	case m.small():
		return m.tooSmall()
	}
	shown, flash, filled := m.page, m.flash, 0.0
	row := ""
	if p, ok := m.page.(interface{ verdictRow() string }); ok {
		row = p.verdictRow()
	}
	if p, ok := m.page.(filling); ok {
		if share, said, over := p.progress(); !over {
			filled = share
			flash = cmp.Or(flash, said)
		}
	}
	if m.over != nil {
		shown = m.over
	}
	return m.frame(m.command, row, filled, shown.view(), flash, shown.hints())
}

// runOn shows the screen until it ends, and waits for what it started.
func (m *viewer) runOn(t Terminal, cancel context.CancelFunc) error {
	var p *tea.Program
	in := watch(t.In, func() { go p.Send(inputEndedMsg{}) })
	p = tea.NewProgram(m, tea.WithContext(m.ctx), tea.WithInput(in), tea.WithOutput(t.Out),
		tea.WithEnvironment(t.Environ), tea.WithFPS(framesPerSecond), tea.WithoutSignalHandler())
	_, err := p.Run()
	cancel()
	m.ledger.close()
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		m.end = Failed
		return &report.Error{Code: report.ExitInternal, What: "the screen failed", Next: "run again with --plain", Err: err}
	case m.end == "":
		m.end = Interrupted // a signal, or a terminal that went
	case m.end == Failed:
		return m.err
	}
	return nil
}
