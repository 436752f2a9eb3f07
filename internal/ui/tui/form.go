// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one question a page, with what the answer changes, what
// it costs and where the suggested answer comes from; nothing is answered by
// leaving. Where letters are text, no letter is a key of the wizard, and no
// field starts a program (huh's editor and clipboard keys are taken away).
// An answer goes into huh's field and comes out of it as the strings that a
// flag would give.

package tui

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"
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

func (p *formPage) keys() []binding {
	keys := []binding{{key: "enter", word: "next", keep: true}}
	switch p.question().Kind {
	case report.Confirm:
		keys = append(keys, binding{key: "← →", word: "choose"}, binding{key: "y n", word: "yes, no"})
	case report.Choice:
		keys = append(keys, binding{key: "↑ ↓", word: "choose"})
	case report.Multi:
		keys = append(keys, binding{key: "space", word: "toggle", keep: true}, binding{key: "ctrl-a", word: "all, none"})
	case report.List:
		keys = append(keys, binding{key: "ctrl-j", word: "new line", keep: true})
	}
	at := len(keys)
	keys = append(keys, binding{key: "esc", word: when(p.at > 0 || !p.first, "back"), keep: true})
	if p.typing() {
		keys = append(keys, binding{key: "ctrl-c", word: "quit", keep: true})
	}
	for i, b := range keys {
		keys[i].help = b.word
	}
	if !p.typing() {
		keys = append(keys, forHelp, quits("q", askQuit{}))
	}
	read := binding{key: strings.Replace(p.readKey(), "+", "-", 1), word: when(p.cut(), "read all"), keep: true}
	return append(slices.Insert(keys, at, read), binding{key: read.key, help: fullText})
}

// fieldValue is the answer while it is made; the question's kind says which
// part counts.
type fieldValue struct {
	yes  bool
	one  string
	many []string
}

func valueOf(q report.Question, a report.Answers) *fieldValue {
	given := a.Of(q)
	v := &fieldValue{yes: a.Yes(q), many: slices.Clone(given)}
	switch {
	case q.Kind == report.List:
		v.one = strings.Join(given, "\n")
	case len(given) > 0:
		v.one = given[0]
	}
	return v
}

func (v *fieldValue) strings(q report.Question) []string {
	switch q.Kind {
	case report.Confirm:
		if v.yes {
			return []string{"yes"}
		}
		return []string{"no"}
	case report.Multi:
		return v.many
	case report.List:
		return listOf(v.one)
	case report.Text:
		return []string{strings.TrimSpace(v.one)}
	default:
		return []string{v.one}
	}
}

// listOf are the lines of s that say something.
func listOf(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// height is how many rows the field would like.
func (v *fieldValue) height(q report.Question) int {
	switch q.Kind {
	case report.Choice, report.Multi:
		return max(1, len(q.Options))
	case report.List:
		return 6
	default:
		return 2
	}
}

func (p *formPage) makeField() huh.Field {
	q, v := p.question(), p.value
	judge := func([]string) error { return nil }
	if p.validate != nil {
		judge = func(a []string) error { return p.validate(q, a) }
	}
	switch q.Kind {
	case report.Confirm:
		return huh.NewConfirm().Affirmative("yes").Negative("no").WithButtonAlignment(lipgloss.Left).
			Validate(func(yes bool) error { return judge((&fieldValue{yes: yes}).strings(q)) }).Value(&v.yes)
	case report.Multi:
		return huh.NewMultiSelect[string]().Filterable(false).Options(p.options(q)...).Validate(judge).Value(&v.many)
	case report.Choice:
		return huh.NewSelect[string]().Options(p.options(q)...).
			Validate(func(s string) error { return judge([]string{s}) }).Value(&v.one)
	case report.List:
		return huh.NewText().ExternalEditor(false).ShowLineNumbers(false).Lines(v.height(q)).
			Validate(func(s string) error { return judge(listOf(s)) }).Value(&v.one)
	default:
		return huh.NewInput().Prompt("> ").
			Validate(func(s string) error { return judge([]string{strings.TrimSpace(s)}) }).Value(&v.one)
	}
}

// optionMargin is what stands before an option: the cursor and the box.
const optionMargin = 7

func labelWidth(q report.Question) int {
	n := 0
	for _, o := range q.Options {
		n = max(n, text.Width(text.Own(o.Label)))
	}
	return n
}

// minNote is the least of a cut note that says something, in cells.
const minNote = 10

// optionLabel is an option's row: its label and, in a column, its note, unless
// the label needs its room or hardly any of it would be left: it stands under
// the field then.
func optionLabel(o report.Option, column, width int) string {
	label, note := text.Own(o.Label), text.Own(o.Note)
	if note == "" || text.Width(label) > column {
		return text.Cut(label, width)
	}
	all := text.Pad(label, column) + "   " + note
	row := text.Cut(all, width)
	if row != all && text.Width(row) < column+text.Width("   ")+minNote {
		return text.Cut(label, width)
	}
	return row
}

// options are huh's options. huh tells them apart by what is shown, so two
// that would look alike get a number.
func (p *formPage) options(q report.Question) []huh.Option[string] {
	column := min(labelWidth(q), p.room/2)
	width := max(8, p.room-optionMargin)
	seen := make(map[string]bool)
	var out []huh.Option[string]
	for i, o := range q.Options {
		label := optionLabel(o, column, width)
		if seen[label] {
			label = text.Cut(label, width-5) + fmt.Sprintf(" (%d)", i+1)
		}
		seen[label] = true
		out = append(out, huh.NewOption(label, o.Value))
	}
	return out
}

// formKeys are huh's keys without those that would start a program, filter,
// or end the form behind the wizard's back.
func formKeys() *huh.KeyMap {
	k := huh.NewDefaultKeyMap()
	none := key.NewBinding(key.WithDisabled())
	k.Quit = none
	k.Text.Editor = none
	k.Input.AcceptSuggestion = none
	k.Select.Filter, k.Select.SetFilter, k.Select.ClearFilter = none, none, none
	k.MultiSelect.Filter, k.MultiSelect.SetFilter, k.MultiSelect.ClearFilter = none, none, none
	return k
}

// formStyles dress huh's fields like the rest. What is chosen has a sign, so
// that it can be seen without colour.
func (l look) formStyles() *huh.Styles {
	t := huh.ThemeBase(false)
	plain := lipgloss.NewStyle()
	f := &t.Focused
	f.Base = plain
	f.Title, f.Description = l.bold, plain
	f.ErrorIndicator, f.ErrorMessage = plain, l.fail
	f.SelectSelector = l.bold.SetString("▸ ")
	f.MultiSelectSelector = l.bold.SetString("▸ ")
	f.Option, f.UnselectedOption, f.SelectedOption = plain, plain, plain
	f.SelectedPrefix = l.pass.SetString("[✓] ")
	f.UnselectedPrefix = l.dim.SetString("[ ] ")
	f.FocusedButton = l.bold.SetString("▸").PaddingRight(3)
	f.BlurredButton = l.dim.SetString(" ").PaddingRight(3)
	f.TextInput.Prompt, f.TextInput.Text, f.TextInput.Placeholder = l.bold, plain, l.dim
	t.Blurred = t.Focused
	return t
}
