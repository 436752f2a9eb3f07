// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: colour carries status only, and never alone: every
// coloured thing has a sign or a word beside it. What matters is bold, what
// stands back is dim. Until the terminal has said how bright its background
// is, the colours are its own sixteen, which its theme keeps readable. Every
// frame is exactly as high as the window and no row is wider, so that
// nothing scrolls and every region keeps its place: a header, one row of
// steps, the page between two rules, the keys.

package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
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

// MaxWidth and MaxHeight bound what is drawn, in cells. A terminal can say that it has
// 65535 times 65535, and the library keeps all of them.
const MaxWidth, MaxHeight = 2000, 500

// drawn bounds what the library is told of the window. What it starts with it asks
// for itself.
func drawn(_ tea.Model, msg tea.Msg) tea.Msg {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		return tea.WindowSizeMsg{Width: min(size.Width, MaxWidth), Height: min(size.Height, MaxHeight)}
	}
	return msg
}

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

// hint is one key and what it does. Hints stand in the order of their weight:
// where the row is too short the last ones go, but never a kept one. short is
// a shorter word, if there is one.
type hint struct {
	key, word string
	keep      bool
	short     string
}

// headerRows, keyRows and bodyHeight divide the window.
func (l look) headerRows() int {
	if l.narrow() {
		return 2
	}
	return 1
}

func (l look) keyRows() int { return l.headerRows() }

func (l look) bodyHeight() int { return max(0, l.height-l.headerRows()-l.keyRows()-3) }

// bodyWidth leaves a margin of one cell on each side.
func (l look) bodyWidth() int { return max(0, l.width-2) }

// frame puts the regions together. filled is how much of what is under way is
// done, between 0 and 1: the upper rule shows it. flash is one short remark;
// it stands in the lower rule, where it moves nothing.
func (l look) frame(command, steps string, filled float64, body []string, flash string, keys []hint) string {
	rows := l.header(command)
	rows = append(rows, " "+text.Cut(steps, l.bodyWidth()), l.gauge(filled))
	for i := range l.bodyHeight() {
		row := ""
		if i < len(body) {
			row = " " + body[i]
		}
		rows = append(rows, text.Cut(row, l.width))
	}
	rows = append(rows, l.rule(flash))
	return strings.Join(append(rows, l.keys(keys)...), "\n")
}

func (l look) header(command string) []string {
	left := l.bold.Render(strings.TrimSpace("steward-setup " + command))
	var parts []string
	if l.facts.Project != "" {
		parts = append(parts, text.CutLeft(text.Line(text.Home(l.facts.Project, l.facts.Home)), max(16, l.width/2)))
	}
	if l.facts.Branch != "" {
		parts = append(parts, text.Cut(text.Line(l.facts.Branch), 24))
	}
	runtime := ""
	if l.facts.Runtime != "" {
		runtime = l.facts.Program + " " + text.Line(l.facts.Runtime)
	}
	if l.narrow() {
		if text.Width(left)+2+text.Width(runtime) <= l.bodyWidth() {
			left = text.Ends(left, l.dim.Render(runtime), l.bodyWidth())
		}
		return []string{" " + text.Cut(left, l.bodyWidth()),
			" " + l.dim.Render(text.CutLeft(strings.Join(parts, "  "), l.bodyWidth()))}
	}
	room := l.bodyWidth() - text.Width(left) - 2
	if runtime != "" {
		parts = append(parts, runtime)
	}
	for len(parts) > 1 && text.Width(strings.Join(parts, "  ")) > room {
		parts = parts[:len(parts)-1]
	}
	return []string{" " + text.Ends(left, l.dim.Render(text.CutLeft(strings.Join(parts, "  "), room)), l.bodyWidth())}
}

// pointed marks a row that the cursor is on, and its label.
func (l look) pointed(label string, current bool) (mark, said string) {
	if !current {
		return "  ", label
	}
	return l.bold.Render("▸ "), l.bold.Render(label)
}

// gauge is a rule of which a part is heavier.
func (l look) gauge(filled float64) string {
	n := max(0, min(l.width, int(filled*float64(l.width))))
	return l.dim.Render(strings.Repeat("━", n)) + l.line.Render(strings.Repeat("─", l.width-n))
}

// rule is the lower rule, with a remark at its left end.
func (l look) rule(remark string) string {
	if remark != "" {
		remark = " " + text.Cut(remark, l.width-4) + " "
	}
	return l.line.Render("─") + l.bold.Render(remark) +
		l.line.Render(strings.Repeat("─", max(0, l.width-1-text.Width(remark))))
}

// edge is a rule of width cells between left and right, with a remark before right.
func (l look) edge(left, remark, right string, width int) string {
	if remark != "" {
		remark = " " + remark + " "
	}
	return l.line.Render(left+strings.Repeat("─", max(0, width-text.Width(left+remark+right)))) + l.dim.Render(remark) +
		l.line.Render(right)
}

// keys lays the hints out in keyRows rows.
func (l look) keys(hints []hint) []string {
	for {
		for _, short := range []bool{false, true} {
			for _, gap := range []string{"   ", "  "} {
				if rows, ok := l.tryKeys(hints, gap, short); ok {
					return rows
				}
			}
		}
		last := len(hints) - 1
		for last >= 0 && hints[last].keep {
			last--
		}
		if last < 0 { // the last one before help and quit
			last = max(0, len(hints)-3)
		}
		hints = append(append([]hint(nil), hints[:last]...), hints[last+1:]...)
	}
}

func (l look) tryKeys(hints []hint, gap string, short bool) (rows []string, ok bool) {
	row, width := "", 0
	for _, h := range hints {
		word := h.word
		if short && h.short != "" {
			word = h.short
		}
		w := text.Width(h.key) + 1 + text.Width(word)
		if width > 0 && width+len(gap)+w > l.bodyWidth() {
			rows = append(rows, " "+row)
			row, width = "", 0
		}
		if width > 0 {
			row += gap
			width += len(gap)
		}
		row += l.bold.Render(h.key) + " " + l.dim.Render(word)
		width += w
	}
	rows = append(rows, " "+row)
	ok = len(rows) <= l.keyRows()
	for len(rows) < l.keyRows() {
		rows = append(rows, "")
	}
	return rows, ok || len(hints) == 1
}

// tooSmall is the frame of a window in which nothing fits: first of all, how to
// leave it.
func (l look) tooSmall() string {
	rows := text.Wrap(fmt.Sprintf("ctrl-c quits; needs %d×%d, this is %d×%d", minWidth, minHeight, l.width, l.height),
		l.width)
	return strings.Join(rows[:min(len(rows), l.height)], "\n")
}

// exactly are rows cut or filled to n.
func exactly(rows []string, n int) []string {
	rows = slices.Clip(rows)
	for len(rows) < n {
		rows = append(rows, "")
	}
	return rows[:max(0, n)]
}

// cutAt are rows cut to n; a remark in the place of the last says so, where there is
// room for both.
func (l look) cutAt(rows []string, n int, remark string) []string {
	if len(rows) > n {
		if rows = rows[:max(0, n)]; n > 1 {
			rows[n-1] = l.dim.Render(remark)
		}
	}
	return rows
}

func styled(s lipgloss.Style, rows []string) []string {
	for i, row := range rows {
		rows[i] = s.Render(row)
	}
	return rows
}

// after puts words behind head, in rows of at most width cells; those that follow
// begin below the first of the words.
func after(head, words string, width int) []string {
	rows := text.Wrap(words, width-text.Width(head))
	for i, row := range rows {
		rows[i] = head + row
		head = text.Pad("", text.Width(head))
	}
	return rows
}

// beside puts two columns of rows next to each other, left padded to width.
func beside(left, right []string, width int) []string {
	n := max(len(left), len(right))
	rows, right := exactly(left, n), exactly(right, n)
	for i, row := range rows {
		rows[i] = text.Pad(row, width) + right[i]
	}
	return rows
}

// window returns the part of n rows that is shown in height rows so that cur
// is in it, staying as near to the former top as it can.
func window(n, height, cur, top int) (first, last int) {
	if cur >= 0 {
		top = max(min(top, cur), cur-height+1)
	}
	top = max(0, min(top, n-height))
	return top, min(n, top+height)
}

// headline is the first row of a page: what, and beside it a remark, which
// takes a row of its own where both do not fit.
func (l look) headline(what, remark string, width int) []string {
	if remark != "" && text.Width(what)+2+text.Width(remark) <= width {
		return []string{text.Ends(l.bold.Render(what), l.dim.Render(remark), width)}
	}
	rows := styled(l.bold, text.Wrap(what, width))
	if remark != "" {
		rows = append(rows, l.dim.Render(text.Cut(remark, width)))
	}
	return rows
}
