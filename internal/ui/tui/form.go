// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one question a page, with what the answer changes, what
// it costs and where the suggested answer comes from; nothing is answered by
// leaving. Typing never leads to a key of the wizard, and no field starts a
// program (huh's editor and clipboard keys are taken away).

package tui

import (
	"fmt"
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
	at        int
	answers   report.Answers
	validate  func(report.Question, []string) error

	form  *huh.Form
	field huh.Field
	value *fieldValue
	room  int // the width that the labels were cut for
}

func newFormPage(title string, qs []report.Question, answers report.Answers, validate func(report.Question, []string) error) *formPage {
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
	switch k {
	case "esc", "shift+tab":
		return p.back(), nil
	case "ctrl+v", "ctrl+e": // huh would start a program for these
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

func (p *formPage) back() ask {
	if p.at == 0 {
		return askBack{}
	}
	p.step(-1)
	return nil
}

func (p *formPage) answered() ask {
	q := p.question()
	p.answers = p.answers.With(q.ID, p.value.strings(q)...)
	if p.at == len(p.questions)-1 {
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

// enough is how many rows a list of options needs to be read.
const enough = 5

// fieldHeight is the room for huh's field.
func (p *formPage) fieldHeight() int {
	want := p.value.height(p.question())
	return max(2, min(p.l.bodyHeight()-len(p.words())-len(p.remarks()), want))
}

// words are the rows over the field; they give way where it would be too low.
func (p *formPage) words() []string {
	rows := p.tell(false)
	if p.l.bodyHeight()-len(rows)-len(p.remarks()) < min(enough, p.value.height(p.question())) {
		return p.tell(true)
	}
	return rows
}

// tell says what the question is about; tight keeps it to a row a part.
func (p *formPage) tell(tight bool) []string {
	w, q := p.l.bodyWidth(), p.question()
	count := ""
	if len(p.questions) > 1 {
		count = fmt.Sprintf("question %d of %d", p.at+1, len(p.questions))
	}
	rows := []string{text.Ends(p.l.dim.Render(own(p.title)), p.l.dim.Render(count), w)}
	if !tight {
		rows = append(rows, "")
	}
	for _, row := range text.Wrap(own(q.Title), w) {
		rows = append(rows, p.l.bold.Render(row))
	}
	most := max(2, p.l.bodyHeight()/3)
	if tight {
		most = 2
	}
	rows = append(rows, p.l.prose(q.Help, w, most)...)
	for _, n := range []note{{label: "price", text: own(q.Price)}, {label: "suggested", text: "from " + own(q.DefaultFrom)}} {
		switch {
		case n.text == "" || n.text == "from ":
		case tight:
			rows = append(rows, p.l.noteHead(n)+text.Cut(n.text, w-noteLabel))
		default:
			rows = append(rows, p.l.noteFull(n, w)...)
		}
	}
	return append(rows, "")
}

// remarks are the rows under the field: what is wrong with the answer, or
// the note of the option under the cursor where its row had to cut it. They
// always have the same height.
func (p *formPage) remarks() []string {
	const height = 3
	w := p.l.bodyWidth()
	rows := []string{""}
	if p.form != nil && len(p.form.Errors()) > 0 {
		for _, err := range p.form.Errors() {
			for _, row := range text.Wrap("✗ "+text.Line(err.Error()), w) {
				rows = append(rows, p.l.fail.Render(row))
			}
		}
	} else if o, ok := p.hovered(); ok && text.Width(optionLabel(o, labelWidth(p.question()), 1<<16)) > w-optionMargin {
		for _, row := range text.Wrap(own(o.Note), w) {
			rows = append(rows, p.l.dim.Render(row))
		}
	}
	for len(rows) < height {
		rows = append(rows, "")
	}
	return rows[:height]
}

func (p *formPage) hovered() (report.Option, bool) {
	f, ok := p.field.(interface{ Hovered() (string, bool) })
	if !ok {
		return report.Option{}, false
	}
	value, ok := f.Hovered()
	for _, o := range p.question().Options {
		if ok && o.Value == value {
			return o, true
		}
	}
	return report.Option{}, false
}

func (p *formPage) view() []string {
	rows := p.words()
	for _, row := range strings.Split(printable(p.form.View()), "\n") {
		rows = append(rows, p.l.dim.Render(p.margin())+row)
	}
	return append(rows, p.remarks()...)
}

// margin marks the rows of a text of several lines.
func (p *formPage) margin() string {
	if p.question().Kind == report.List {
		return "│ "
	}
	return ""
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
		hs = append(hs, hint{key: "space", word: "in or out", keep: true}, hint{key: "ctrl-a", word: "all, none"})
	case report.List:
		hs = append(hs, hint{key: "ctrl-j", word: "new line", keep: true})
	}
	return append(hs, hint{key: "esc", word: "back", keep: true}, hint{key: "ctrl-c", word: "quit", keep: true})
}

func (p *formPage) help() []hint { return p.hints() }
