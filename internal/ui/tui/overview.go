// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an overview says how things are, and its keys lead to what
// can change that; it changes nothing itself.

package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

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
	m := newViewer(ctx, d.Command, d.Facts, newOverviewPage(d))
	_, err := m.runOn(m, t)
	return Choice{Key: m.pick, End: m.end}, err
}

type overviewPage struct {
	*readPage
	actions []Action
}

func newOverviewPage(d OverviewData) *overviewPage {
	return &overviewPage{newReadPage(own(d.Title), func(_ look, width int) []string {
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

func (p *overviewPage) update(msg tea.Msg) (ask, tea.Cmd) {
	key := pressed(msg)
	if leads(p.actions, key) {
		return askPick{key}, nil
	}
	switch key {
	case "q", "esc":
		return askLeave{}, nil
	}
	a, cmd := p.readPage.update(msg)
	if _, closes := a.(askClose); closes {
		return nil, cmd
	}
	return a, cmd
}

func (p *overviewPage) hints() []hint {
	hs := actionHints(p.actions)
	if p.scrolls() {
		hs = append(hs, hint{key: "↑ ↓", word: "scroll"})
	}
	return append(hs, hintHelp, hintQuit)
}

func (p *overviewPage) help() []hint {
	return append(actionHelp(p.actions), hint{key: "↑ ↓ pgup pgdn", word: "scroll"})
}
