// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one question a page, with what the answer changes, what
// it costs and where the suggested answer comes from; nothing is answered by
// leaving. Where letters are text, no letter is a key of the wizard, and no
// field starts a program (huh's editor and clipboard keys are taken away).

package tui

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// formPage asks the questions of one section, one after the other.
type formPage struct {
	l         look
	title     string
	questions []report.Question
	first     bool // there is no page before the first question
	at        int
	answers   report.Answers
	validate  func(report.Question, []string) error
	// done, if set, is what follows the last answer in place of a new plan.
	done func(report.Answers) ask

	form  *huh.Form
	field huh.Field
	value *fieldValue
	room  int // the width that the labels were cut for
}

func newFormPage(title string, qs []report.Question, answers report.Answers,
	validate func(report.Question, []string) error) *formPage {
	p := &formPage{title: title, questions: qs, answers: answers, validate: validate}
	p.value = valueOf(qs[0], answers)
	return p
}

func (p *formPage) question() report.Question { return p.questions[p.at] }

// build makes huh's form for the question, with what was answered so far.
func (p *formPage) build() {
	p.room = p.l.bodyWidth()
	p.field = p.makeField()
	p.form = huh.NewForm(huh.NewGroup(p.field)).
		WithTheme(huh.ThemeFunc(func(bool) *huh.Styles { return p.l.formStyles() })).
		WithKeyMap(formKeys()).
		WithShowHelp(false).WithShowErrors(false).
		WithWidth(p.room - text.Width(p.margin())).WithHeight(p.fieldHeight())
	p.form.Init() // its commands only ask for the window's size, and blink
}

func (p *formPage) layout(l look) {
	p.l = l
	if p.form == nil || p.room != l.bodyWidth() {
		p.build()
		return
	}
	p.form.WithHeight(p.fieldHeight())
}

func (p *formPage) update(msg tea.Msg) (ask, tea.Cmd) {
	if p.form == nil {
		return nil, nil
	}
	if _, ok := msg.(tea.WindowSizeMsg); ok {
		return nil, nil // layout does the sizes
	}
	k := pressed(msg)
	switch {
	case k == "esc", k == "shift+tab":
		return p.back(), nil
	case k == p.readKey(), k == "ctrl+r":
		return askRead{}, nil
	case k == "q" && !p.typing():
		return askQuit{}, nil
	case k == "ctrl+v", k == "ctrl+e": // huh would start a program for these
		return nil, nil
	}
	_, cmd := p.form.Update(msg)
	if p.form.State == huh.StateCompleted {
		return p.answered(), nil
	}
	if _, pasted := msg.(tea.PasteMsg); pasted || p.typing() && k != "" && k != "enter" && k != "tab" {
		return nil, nil // the command would only make the cursor blink
	}
	return nil, cmd
}

// typing says whether the question is answered by typing.
func (p *formPage) typing() bool {
	kind := p.question().Kind
	return kind == report.Text || kind == report.List
}

// readKey reads all that is said about the question. A letter may be text, and
// n may be an answer.
func (p *formPage) readKey() string {
	switch p.question().Kind {
	case report.Choice, report.Multi:
		return "n"
	}
	return "ctrl+r"
}

func (p *formPage) back() ask {
	switch {
	case p.at > 0:
	case p.first && p.typing():
		return askSay{"this is the first page; ctrl-c quits"}
	case p.first:
		return askSay{noneBefore}
	default:
		return askBack{}
	}
	p.step(-1)
	return nil
}

func (p *formPage) answered() ask {
	q := p.question()
	p.answers = p.answers.With(q.ID, p.value.strings(q)...)
	if p.at == len(p.questions)-1 {
		if p.done != nil {
			return p.done(p.answers)
		}
		p.step(0) // the answer stays in sight until the plan is there
		return askAnswer{p.answers}
	}
	p.step(1)
	return nil
}

func (p *formPage) step(n int) {
	p.at += n
	p.value = valueOf(p.question(), p.answers)
	p.form = nil // layout builds the next
}

// printable replaces what a display ignores or obeys in what was typed; huh's
// fields drop the control characters themselves.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

func (p *formPage) hints() []hint {
	hs := []hint{{key: "enter", word: "next", keep: true}}
	switch p.question().Kind {
	case report.Confirm:
		hs = append(hs, hint{key: "← →", word: "choose"}, hint{key: "y n", word: "yes, no"})
	case report.Choice:
		hs = append(hs, hint{key: "↑ ↓", word: "choose"})
	case report.Multi:
		hs = append(hs, hint{key: "space", word: "toggle", keep: true}, hint{key: "ctrl-a", word: "all, none"})
	case report.List:
		hs = append(hs, hint{key: "ctrl-j", word: "new line", keep: true})
	}
	if p.cut() {
		hs = append(hs, p.readHint())
	}
	if p.at > 0 || !p.first {
		hs = append(hs, hint{key: "esc", word: "back", keep: true})
	}
	if p.typing() {
		return append(hs, hint{key: "ctrl-c", word: "quit", keep: true})
	}
	return append(hs, hintHelp, hintQuit)
}

func (p *formPage) readHint() hint {
	return hint{key: strings.Replace(p.readKey(), "+", "-", 1), word: "read all", keep: true}
}

func (p *formPage) help() []hint {
	hs := slices.DeleteFunc(p.hints(), func(h hint) bool { return h == hintHelp || h == hintQuit || h == p.readHint() })
	return append(hs, hint{key: p.readHint().key, word: hintFull.word})
}
