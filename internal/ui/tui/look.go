// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: colour carries status only, and never alone: every
// coloured thing has a sign or a word beside it. What matters is bold, what
// stands back is dim. Until the terminal has said how bright its background
// is, the colours are its own sixteen, which its theme keeps readable.

package tui

import (
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// styles are the few ways in which text differs.
type styles struct {
	bold, dim, line           lipgloss.Style
	pass, warn, fail, unknown lipgloss.Style
}

// plainStyles hold for a terminal whose background is unknown.
func plainStyles() styles {
	s := lipgloss.NewStyle()
	return styles{
		bold: s.Bold(true), dim: s.Faint(true), line: s.Faint(true),
		pass: s.Foreground(lipgloss.Green), warn: s.Foreground(lipgloss.Yellow),
		fail: s.Foreground(lipgloss.Red), unknown: s.Foreground(lipgloss.Magenta),
	}
}

// stylesFor are the colours for a dark or a light background. Each but that of
// the lines keeps a contrast of at least 4.5 to 1 against black or white.
func stylesFor(dark bool) styles {
	pick := lipgloss.LightDark(dark)
	s := lipgloss.NewStyle()
	colour := func(light, dark string) lipgloss.Style {
		return s.Foreground(pick(lipgloss.Color(light), lipgloss.Color(dark)))
	}
	return styles{
		bold: s.Bold(true), dim: colour("#63676E", "#8B9099"), line: colour("#B9BEC6", "#4A505A"),
		pass: colour("#2B6E33", "#86BF8C"), warn: colour("#805300", "#DDB766"),
		fail: colour("#B02A24", "#E58782"), unknown: colour("#6A4C9C", "#BCA0DC"),
	}
}

func (s styles) of(status report.Status) lipgloss.Style {
	switch status {
	case report.Pass:
		return s.pass
	case report.Warn:
		return s.warn
	case report.Fail:
		return s.fail
	case report.Skip:
		return s.dim
	default:
		return s.unknown
	}
}

// look is what a page needs to know to draw itself.
type look struct {
	styles
	// width and height are the window's, in cells.
	width, height int
	facts         report.Facts
}

// take takes a message about the window.
func (l *look) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		l.width, l.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		l.styles = stylesFor(msg.IsDark())
	}
}

// maxWords bounds a paragraph of our own, in runes.
const maxWords = 4000

// own makes words of the program's own safe to show. Unlike what comes from
// outside (text.Line) they are not searched for secrets: many of them are
// about the names of credentials.
func own(s string) string { return redact.Line(s, maxWords) }

// The widths at which the layout changes: below narrow things stack, from
// wide on a detail pane stands beside the list.
const (
	narrowBelow = 60
	wideFrom    = 110
)

func (l look) narrow() bool { return l.width < narrowBelow }
func (l look) wide() bool   { return l.width >= wideFrom }

// Too small a window is told so instead of being drawn over.
const (
	minWidth  = 30
	minHeight = 12
)

func (l look) small() bool { return l.width < minWidth || l.height < minHeight }
