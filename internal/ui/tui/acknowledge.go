// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what has to be acknowledged is shown in full, and the
// acknowledgement is typed once its end was on the screen. It holds for the text
// that was shown: another text asks again.

package tui

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// Acknowledgement is asked for before a section can be approved.
type Acknowledgement struct {
	// Section is the one that says what has to be understood.
	Section report.ID
	// Words are typed to acknowledge it.
	Words string
	// Given says that a flag did already.
	Given bool
}

// ackPage shows a section's words in full and takes the acknowledgement.
type ackPage struct {
	*readPage
	words, typed string
	first        bool
	wrong        bool
	// read says that the end of the text was on the screen.
	read bool
}

// ackRows is the room below the text.
const ackRows = 3

func (p *ackPage) layout(l look) {
	p.readPage.layout(l)
	p.port.SetHeight(max(1, l.bodyHeight()-2-ackRows))
	p.port.SetYOffset(p.port.YOffset())
	p.read = p.read || p.port.AtBottom()
}

func (p *ackPage) update(msg tea.Msg) (ask, tea.Cmd) {
	if paste, ok := msg.(tea.PasteMsg); ok {
		p.add(paste.Content)
		return nil, nil
	}
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	switch k := key.String(); k {
	case "esc", "shift+tab":
		return askBack{}, nil
	case "enter":
		if !p.read {
			p.wrong = true
			return askSay{"scroll to the end of the text first: press end"}, nil
		}
		if strings.TrimSpace(p.typed) == p.words {
			return askNext{}, nil
		}
		p.wrong = true
		return askSay{"type " + p.words + ", then press enter"}, nil
	case "backspace":
		if r := []rune(p.typed); len(r) > 0 {
			p.typed = string(r[:len(r)-1])
		}
	case "ctrl+u":
		p.typed = ""
	case "up", "down", "pgup", "pgdown", "home", "end":
		a, cmd := p.readPage.update(msg)
		if !p.read && p.port.AtBottom() {
			p.read, p.wrong = true, false
		}
		return a, cmd
	default:
		p.add(key.Text)
	}
	return nil, nil
}

// maxTyped bounds what is kept of what was typed, in runes.
const maxTyped = 40

func (p *ackPage) add(s string) {
	for _, r := range s {
		if unicode.IsPrint(r) && len([]rune(p.typed)) < maxTyped {
			p.typed += string(r)
		}
	}
}

func (p *ackPage) typing() bool { return true }

func (p *ackPage) view() []string {
	w := p.l.bodyWidth()
	line := "To continue, type " + p.words + " and press enter."
	if !p.read {
		line = "Read to the end first: ↓ or end."
	}
	say := p.l.bold.Render(text.Cut(line, w))
	if p.wrong {
		say = p.l.warn.Render("⚠ ") + text.Cut(say, w-2)
	}
	return append(p.readPage.view(), "", say, text.Cut(p.l.bold.Render("> ")+text.Line(p.typed)+"▏", w))
}

func (p *ackPage) hints() []hint {
	hs := []hint{{key: "enter", word: "acknowledge", keep: true}, {key: "↑ ↓", word: "scroll", keep: true}}
	if !p.first {
		hs = append(hs, hint{key: "esc", word: "back", keep: true})
	}
	return append(hs, hint{key: "ctrl-c", word: "quit", keep: true})
}

// acknowledges says whether the section has to be acknowledged still.
func (m *wizard) acknowledges(s report.Section) bool {
	a := m.o.Acknowledge
	return a != nil && !a.Given && a.Section == s.ID && !s.Skipped && hasChange(s) && m.acknowledged != said(s)
}

// said is everything that a section says.
func said(s report.Section) string {
	var b strings.Builder
	b.WriteString(s.Title + "\n" + s.Why + "\n" + strings.Join(s.Exposes, "\n"))
	for _, f := range s.Findings {
		b.WriteString("\n" + f.Summary)
		for _, e := range f.Evidence {
			b.WriteString("\n" + e.Where + ": " + e.Text)
		}
	}
	return b.String()
}
