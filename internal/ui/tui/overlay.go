// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what lies over a page (help, everything that is said, the
// question before leaving) takes the page's room and nothing else, and goes
// with one key.

package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/viewport"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// readPage is a scrollable text; render makes its rows for a width.
type readPage struct {
	l      look
	title  string
	render func(l look, width int) []string
	port   viewport.Model
}

func newReadPage(title string, render func(l look, width int) []string) *readPage {
	return &readPage{title: title, render: render, port: viewport.New()}
}

func (p *readPage) layout(l look) {
	p.l = l
	p.port.SetWidth(l.bodyWidth())
	p.port.SetHeight(max(1, l.bodyHeight()-2))
	p.port.SetContentLines(p.render(l, l.bodyWidth()))
	p.port.SetYOffset(p.port.YOffset())
}

func (p *readPage) scroll(key string) {
	p.port.SetYOffset(moved(key, p.port.YOffset(), p.port.TotalLineCount(), p.port.Height()))
}

func (p *readPage) view() []string {
	more := ""
	if p.scrolls() {
		more = fmt.Sprintf("%d%%", int(p.port.ScrollPercent()*100))
	}
	head := text.Ends(p.l.bold.Render(p.title), p.l.dim.Render(more), p.l.bodyWidth())
	return append([]string{head, ""}, strings.Split(p.port.View(), "\n")...)
}

// scrolls says whether the page has no room for its text.
func (p *readPage) scrolls() bool { return !p.port.AtTop() || !p.port.AtBottom() }

func (p *readPage) keys() []binding {
	return []binding{{key: "esc", word: "close", keep: true},
		{on: moveKeys, key: "↑ ↓", word: when(p.scrolls(), "scroll"), move: p.scroll},
		{on: anyKey, do: does(askClose{})}}
}

// newHelpPage lists keys, one a row.
func newHelpPage(keys []hint) *readPage {
	return newReadPage("Keys", func(l look, width int) []string {
		const column = 16
		var rows []string
		for _, k := range keys {
			rows = append(rows, after(l.bold.Render(text.Pad(k.key, column)), k.word, width)...)
		}
		return rows
	})
}

func newSectionText(s report.Section) *readPage {
	return newReadPage(text.Own(s.Title), func(l look, width int) []string { return sectionRows(l, s, width) })
}

func sectionRows(l look, s report.Section, width int) []string {
	rows := l.prose(s.Why, width, -1)
	rows = append(rows, "")
	plain := s
	plain.Findings = nil
	rows = append(rows, l.noteRows(notes(plain), width, -1)...)
	for _, f := range s.Findings {
		rows = append(rows, "")
		rows = append(rows, l.findingText(f, nil, width)...)
	}
	return rows
}

// findingHead is what a finding is about: its check, and the layer that it
// speaks of.
func (l look) findingHead(f report.Finding, width int) []string {
	about := layerWord(f.Layer)
	if f.Duration > 0 {
		about += "  " + seconds(f.Duration)
	}
	return []string{text.Ends(l.bold.Render(text.Line(string(f.Check))), l.dim.Render(text.Line(about)), width)}
}

// bothLaunches are the ways to start the agent, in the order of the screens.
var bothLaunches = []report.Launch{report.Iso, report.Plain}

// findingText is one finding with what it says of each way to start the
// agent, its evidence and its remedies.
func (l look) findingText(f report.Finding, as AsCalled, width int) []string {
	rows := l.noteFull(note{label: f.Status.Symbol() + " " + string(f.Status), text: text.Line(f.Summary),
		status: f.Status}, width)
	label := "started"
	for _, launch := range bothLaunches {
		for _, s := range f.Launches {
			if s.Launch != launch || text.RepeatsLaunch(f, s) {
				continue
			}
			said, word := text.Line(text.OfLaunch(s)), text.Pad(text.Launch(launch), 13)
			if width < narrowBelow { // no room for a column
				said, word = text.Launch(launch)+": "+said, ""
			}
			head := l.dim.Render(text.Pad(label, noteLabel)) + l.of(s.Status).Render(s.Status.Symbol()) + " " + word
			for _, row := range after(head, said, width) {
				rows, label = append(rows, row), ""
			}
		}
	}
	for _, e := range f.Evidence {
		if text.Repeats(f, e) {
			continue
		}
		seen := text.Seen(text.Home(e.Where, l.facts.Home), e.Text, text.MaxOwn)
		rows = append(rows, l.labelled("seen", seen, width)...)
	}
	for _, s := range mends(f, as, l.facts) {
		rows = append(rows, l.labelled("fix", s.say, width)...)
		if s.line != "" {
			rows = append(rows, l.commandRows(s.line, width)...)
		}
	}
	return rows
}

func (l look) labelled(label, s string, width int) []string {
	return l.noteFull(note{label: label, text: s}, width)
}

// wordsPage says a few words, and what can be done.
type wordsPage struct {
	l     look
	words func(l look, w int) []string
	does  []binding
}

func (p *wordsPage) layout(l look)   { p.l = l }
func (p *wordsPage) view() []string  { return p.words(p.l, p.l.bodyWidth()) }
func (p *wordsPage) keys() []binding { return p.does }

// newQuitPage asks before something that was approved is given up, or a run that gave no
// answer yet is ended. applyLine gives the same answers without the wizard, "" if there
// are none.
func newQuitPage(question, why, leave, applyLine string) *wordsPage {
	return &wordsPage{words: func(l look, w int) []string {
		rows := append([]string{l.bold.Render(question), ""}, text.Wrap(why, w)...)
		if applyLine == "" {
			return rows
		}
		lines, _ := foldCommand(text.Own(applyLine), w-1)
		return slices.Concat(rows, []string{""}, text.Wrap(sameAnswers, w), []string{""}, lines)
	}, does: []binding{{on: "y q enter", word: leave, keep: true, do: does(askLeave{})},
		{on: "n b esc", word: "stay", keep: true, do: does(askClose{})}}}
}

// newErrorPage is shown when no plan could be made.
func newErrorPage(err error, back bool) *wordsPage {
	return &wordsPage{words: func(l look, w int) []string {
		rows := l.headline("No plan could be made. Nothing was written.", "", w)
		return append(append(rows, ""), l.errorRows(err, w)...)
	}, does: []binding{{on: "r enter", word: "try again", keep: true, help: "try again", do: does(askAgain{})},
		{on: "b esc", word: "back, with the previous answers", keep: true, off: !back, do: does(askBack{})},
		forHelp, quits("q", askQuit{})}}
}

// newWaitPage is shown until the first plan is there; words are "" for those of install.
func newWaitPage(words string) *wordsPage {
	return &wordsPage{words: func(l look, w int) []string {
		rows := l.headline(text.Own(cmp.Or(words, "Checking this machine and the project.")), "", w)
		return append(rows, "", "This changes nothing.")
	}, does: []binding{quits("q", askQuit{})}}
}
