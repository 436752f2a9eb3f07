// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where there is no plan, the page says so, and what the
// user can do about it.

package tui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"
)

// errorPage is shown when no plan could be made.
type errorPage struct {
	l    look
	err  error
	back bool
}

func (p *errorPage) layout(l look) { p.l = l }

func (p *errorPage) update(msg tea.Msg) (ask, tea.Cmd) {
	switch pressed(msg) {
	case "r", "enter":
		return askAgain{}, nil
	case "b", "esc":
		if p.back {
			return askBack{}, nil
		}
	case "q":
		return askQuit{}, nil
	}
	return nil, nil
}

func (p *errorPage) view() []string {
	rows := p.l.headline("No plan could be made. Nothing was written.", "", p.l.bodyWidth())
	return append(append(rows, ""), p.l.errorRows(p.err, p.l.bodyWidth())...)
}

func (p *errorPage) hints() []hint {
	hs := []hint{{key: "r", word: "try again", keep: true}}
	if p.back {
		hs = append(hs, hint{key: "b", word: "back, with the previous answers", keep: true})
	}
	return append(hs, hintHelp, hintQuit)
}

func (p *errorPage) help() []hint { return p.hints()[:1] }

// waitPage is shown until the first plan is there.
type waitPage struct {
	l     look
	words string // "" for those of install
}

func (p *waitPage) layout(l look) { p.l = l }
func (p *waitPage) update(msg tea.Msg) (ask, tea.Cmd) {
	if pressed(msg) == "q" {
		return askQuit{}, nil
	}
	return nil, nil
}
func (p *waitPage) view() []string {
	rows := p.l.headline(own(cmp.Or(p.words, "Checking this machine and the project.")), "", p.l.bodyWidth())
	return append(rows, "", "This changes nothing.")
}
func (p *waitPage) hints() []hint { return []hint{hintQuit} }
func (p *waitPage) help() []hint  { return nil }
