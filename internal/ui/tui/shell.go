// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever ends a screen, the terminal is as it was, and what
// the screen started has stopped when it returns. Signals are the caller's: it
// ends the context.

package tui

import (
	"cmp"
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// shell is what the wizard and a viewer are made of: the window, the page in
// it, what they started, and how they ended.
type shell struct {
	look
	ctx    context.Context // ends with the screen
	ledger *ledger
	page   page
	over   page // lies over page; nil if nothing does
	flash  string

	run  int // number of the last run that was started
	end  End
	pick string // the key of an action
	err  error
}

func newShell(ctx context.Context, facts report.Facts, p page) shell {
	return shell{look: look{styles: plainStyles(), facts: facts}, ctx: ctx, ledger: newLedger(), page: p}
}

// filling is a page that fills in while a run is under way.
type filling interface {
	// finished takes the end of a run; the error is that of a run which
	// left out what the page needs.
	finished() error
	// again makes the page what it was before a run.
	again()
	// progress is how much of a run is done, between 0 and 1, one line on
	// what takes long, and whether it is over.
	progress() (filled float64, said string, over bool)
}

// fit lays the page out after a message.
func (m *shell) fit() {
	if m.width <= 0 || m.height <= 0 || m.small() {
		return
	}
	m.page.layout(m.look)
	if m.over != nil {
		m.over.layout(m.look)
	}
}

// stream starts a run; its events come as messages with the run's number.
func (m *shell) stream(work func(emit engine.Sink) error) tea.Cmd {
	m.run++
	return m.ledger.stream(m.ctx, m.run, work)
}

// happened takes an event of a run: the one that is shown is the page's.
func (m *shell) happened(msg eventMsg) tea.Cmd {
	if p, ok := m.page.(interface{ event(e engine.Event) }); ok && msg.run == m.run {
		p.event(msg.e)
	}
	return msg.next
}

// act does what the pages of every model ask for; false if it is something
// else.
func (m *shell) act(a ask) (tea.Cmd, bool) {
	switch a := a.(type) {
	case askOver:
		m.over = a.over
	case askClose:
		m.over = nil
	case askSay:
		m.flash = a.remark
	case askCopy:
		m.flash = cmp.Or(a.said, "copied; if it does not paste, select the line") // nothing answers whether it was taken
		return tea.SetClipboard(a.line), true
	default:
		return nil, false
	}
	return nil, true
}

// draw is the frame: row stands under the header, and filled and flash say how
// far it is, unless the page has a verdict or fills in and says that itself.
func (m *shell) draw(command, row string, filled float64, flash string) tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	if m.width <= 0 || m.height <= 0 {
		return v
	}
	if m.small() {
		v.Content = m.tooSmall()
		return v
	}
	if p, ok := m.page.(interface{ verdictRow() string }); ok {
		row = p.verdictRow()
	}
	if p, ok := m.page.(filling); ok {
		if share, said, over := p.progress(); !over {
			filled, flash = share, cmp.Or(flash, said)
		}
	}
	shown := m.page
	if m.over != nil {
		shown = m.over
	}
	v.Content = m.frame(command, row, filled, shown.view(), flash, hintsOf(shown))
	return v
}

// inputEndedMsg says that nobody can press a key any more.
type inputEndedMsg struct{}

// framesPerSecond bounds how often a frame is drawn. The renderer wakes so
// often also while nothing happens: at its own 60 an idle screen takes 0.85% of
// a core (bubbletea 2.0.9, measured over 20 s in /proc/PID/stat).
const framesPerSecond = 10

// runOn shows model, which m is part of, until it ends, and waits for what it
// started. What was written counts the ledger.
func (m *shell) runOn(model tea.Model, t Terminal) (written int, err error) {
	ctx, cancel := context.WithCancel(m.ctx)
	defer cancel()
	m.ctx, m.ledger.called, m.ledger.home = ctx, t.Called, t.Home
	var p *tea.Program
	in := watch(t.In, func() { go p.Send(inputEndedMsg{}) })
	p = tea.NewProgram(model, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(t.Out),
		tea.WithEnvironment(t.Environ), tea.WithFPS(framesPerSecond), tea.WithoutSignalHandler(), tea.WithFilter(drawn))
	_, err = p.Run()
	cancel()
	written = m.ledger.close()
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		m.end = Failed
		return written, &report.Error{Code: report.ExitInternal, What: "the screen failed",
			Next: "run again with --plain", Err: err}
	case m.end == "":
		m.end = Interrupted // a signal, or a terminal that went
	case m.end == Failed:
		return written, m.err
	}
	return written, nil
}

// watch tells when r has ended. A terminal stays one: bubbletea and its
// cancellable reader need the methods of a file.
func watch(r io.Reader, ended func()) io.Reader {
	w := watched{r, ended}
	if f, ok := r.(file); ok {
		return watchedFile{f, w}
	}
	return w
}

// file is what a terminal must be for bubbletea to set its mode.
type file interface {
	io.ReadWriteCloser
	Fd() uintptr
	Name() string
}

type watched struct {
	r     io.Reader
	ended func()
}

func (w watched) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	if err != nil && n == 0 {
		w.ended()
		return 0, io.EOF
	}
	return n, err // a reader passes its error on
}

type watchedFile struct {
	file
	w watched
}

func (f watchedFile) Read(b []byte) (int, error) { return f.w.Read(b) }
