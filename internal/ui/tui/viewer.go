// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what only looks has a model without a plan: there is
// nothing in it that could be approved, and no command of it writes. An
// overview says how things are, and its keys lead to what can change that;
// it changes nothing itself.

package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// viewer is the model of a screen that changes nothing.
type viewer struct {
	shell
	command string
	quits   string // what leaving means, for the help

	work func(context.Context, engine.Sink) error // nil if there is none
}

func newViewer(ctx context.Context, command string, facts report.Facts, p page) *viewer {
	return &viewer{shell: newShell(ctx, facts, p), command: command, quits: "quit"}
}

// choice shows the screen until a key leads away from it.
func (m *viewer) choice(t Terminal) (Choice, error) {
	_, err := m.runOn(m, t)
	return Choice{Key: m.pick, End: m.end}, err
}

// Init asks for the background's colour, without waiting for it, and starts
// the work.
func (m *viewer) Init() tea.Cmd { return tea.Batch(tea.RequestBackgroundColor, m.start()) }

// start runs the work; its events come as messages.
func (m *viewer) start() tea.Cmd {
	if m.work == nil {
		return nil
	}
	work := m.work
	return m.stream(func(emit engine.Sink) error { return work(m.ctx, emit) })
}

// Update takes one message.
func (m *viewer) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.take(msg)
	m.fit()
	return m, cmd
}

func (m *viewer) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case inputEndedMsg:
		return m.cutOff()
	case eventMsg:
		return m.happened(msg)
	case endMsg:
		return m.ended(msg)
	case tea.KeyPressMsg:
		return m.key(msg)
	}
	m.look.take(msg)
	return nil
}

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
		a, _ := update(m.over, msg)
		return m.act(a)
	case k == "?":
		keys := append(helpOf(m.page), hint{key: "?", word: "this help"}, hint{key: "q", word: m.quits})
		if _, ok := m.page.(filling); ok {
			keys = append(keys, hint{key: "esc", word: "quit; asks first during a run"})
		}
		m.over = newHelpPage(append(keys, hint{key: "ctrl-c", word: "quit at once"}))
		return nil
	case k == "esc" && m.running():
		m.over = newQuitPage("Stop and quit?",
			"A run is in progress. It stops and its results are lost. Nothing was changed.", "stop and quit", "")
		return nil
	}
	a, cmd := update(m.page, msg)
	return tea.Batch(cmd, m.act(a))
}

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
	if cmd, ok := m.shell.act(a); ok {
		return cmd
	}
	switch a := a.(type) {
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

func (m *viewer) cutOff() tea.Cmd {
	m.end = Interrupted
	return tea.Quit
}

// View draws the frame.
func (m *viewer) View() tea.View { return m.draw(m.command, "", 0, m.flash) }

// OverviewData is what an overview shows; all of it was computed before.
type OverviewData struct {
	// Command is the word after the program's name in the header.
	Command string
	Facts   report.Facts
	Title   string
	// Lines are the program's own, made safe to show.
	Lines []string
	// Actions are the commands that can follow. The keys of scrolling, ? and
	// q are taken.
	Actions []Action
}

// Overview shows lines until a key is pressed that leads somewhere. Its terms
// are those of Home.
func Overview(ctx context.Context, t Terminal, d OverviewData) (Choice, error) {
	return newViewer(ctx, d.Command, d.Facts, newOverviewPage(d)).choice(t)
}

type overviewPage struct {
	*readPage
	actions []Action
}

func newOverviewPage(d OverviewData) *overviewPage {
	return &overviewPage{newReadPage(text.Own(d.Title), func(_ look, width int) []string {
		var rows []string
		for _, line := range d.Lines {
			rows = append(rows, hung(line, width)...)
		}
		return rows
	}), d.Actions}
}

// hung wraps a line; what follows stands two cells further in than its first
// row, or under the last of its columns where they leave half of the width.
func hung(line string, width int) []string {
	if text.Width(line) <= width {
		return []string{line} // with its columns
	}
	from := 0
	for from < len(line) && line[from] == ' ' {
		from++
	}
	in := from + 2
	if gap := strings.LastIndex(strings.TrimRight(line[from:], " "), "  ") + from + 2; gap > from+1 &&
		text.Width(line[:gap]) <= width/2 {
		from, in = gap, text.Width(line[:gap])
	}
	rows := text.Wrap(line[from:], width-in)
	head := line[:from]
	for i, row := range rows {
		rows[i], head = head+row, text.Pad("", in)
	}
	return rows
}

func (p *overviewPage) keys() []binding {
	return append(actionKeys(p.actions, true, picked), binding{on: moveKeys, key: "↑ ↓", as: "↑ ↓ pgup pgdn",
		word: when(p.scrolls(), "scroll"), help: "scroll", move: p.scroll}, forHelp, quits("q esc", askLeave{}))
}
