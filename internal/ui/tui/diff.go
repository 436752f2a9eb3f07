// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a diff is shown as it will be written, made safe for a
// terminal and nothing else: a sign in front of every line, tabs at their
// stops, and an ellipsis where a line goes on beyond the pane.

package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/viewport"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/report/preview"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// sideways is how far one key scrolls to the side, in cells.
const sideways = 12

// gutter is the room for the cursor, the sign and a space.
const gutter = 3

// diffLine is one line of a diff; sign is '+', '-', ' ' or 0 for a remark
// of ours (where a part begins, a change of mode).
type diffLine struct {
	sign byte
	text string
}

// diff is a scrollable preview of one or more changes.
type diff struct {
	lines  []diffLine
	port   viewport.Model
	cursor int
	x      int
	begun  bool                  // x is where the user sees the first change
	filled struct{ room, x int } // what the port's rows were cut for
	l      look
}

func newDiff(changes []shown, facts report.Facts) *diff {
	d := &diff{port: viewport.New()}
	for _, c := range changes {
		if len(changes) > 1 {
			d.lines = append(d.lines, diffLine{text: text.Path(c.Path, facts) + "   " + c.stat})
		}
		d.lines = append(d.lines, c.lines...)
	}
	d.port.LeftGutterFunc = func(g viewport.GutterContext) string {
		if g.Index == d.cursor && g.Index < g.TotalLines {
			return d.l.bold.Render("▸")
		}
		return " "
	}
	d.port.StyleLineFunc = func(i int) lipgloss.Style {
		switch d.lines[i].sign {
		case '+':
			return d.l.pass
		case '-':
			return d.l.fail
		case 0:
			return d.l.dim
		}
		return lipgloss.NewStyle()
	}
	return d
}

// parseDiff reads a unified diff that is safe to show. The file header goes: the page names the
// file; the head of a hunk becomes a remark.
func parseDiff(safe string) []diffLine {
	var lines []diffLine
	for line := range preview.Lines(safe) {
		row := cmp.Or(line.Text, " ")
		switch {
		case line.Sign == '@':
			if line.New > 1 {
				lines = append(lines, diffLine{text: fmt.Sprint("from line ", line.New)})
			}
		case line.Sign == 0 && (strings.HasPrefix(row, "--- ") || strings.HasPrefix(row, "+++ ")):
		case strings.IndexByte("+- ", row[0]) >= 0:
			lines = append(lines, diffLine{row[0], text.Untab(row[1:])})
		default:
			lines = append(lines, diffLine{text: text.Untab(strings.TrimPrefix(row, `\ `))})
		}
	}
	return lines
}

// layout fits the diff into a box of this size; the line under the cursor stays in it.
func (d *diff) layout(l look, width, height int) {
	d.l = l
	if !l.narrow() {
		width -= 2
	}
	d.port.SetWidth(max(0, width))
	d.port.SetHeight(max(0, height-2))
	if !d.begun {
		d.begun, d.x = true, d.firstChange()
	}
	d.fill()
	d.put(d.cursor)
}

// firstChange is how far to scroll to the side so that the nearest change within
// a line is in sight, in cells: 0 where one is already, or whole lines come or go.
func (d *diff) firstChange() int {
	lines := slices.DeleteFunc(slices.Clone(d.lines), func(l diffLine) bool { return l.sign == 0 })
	run := func(from int, sign byte) int {
		to := from
		for to < len(lines) && lines[to].sign == sign {
			to++
		}
		return to
	}
	nearest := -1
	for i := 0; i < len(lines); {
		removed := run(i, '-')
		added := run(removed, '+')
		if removed-i != added-removed {
			return 0
		}
		for k := range removed - i {
			same := text.Width(commonPrefix(lines[i+k].text, lines[removed+k].text))
			if nearest < 0 || same < nearest {
				nearest = same
			}
		}
		i = max(added, i+1)
	}
	if nearest < d.room()-sideways {
		return 0
	}
	return nearest/sideways*sideways - sideways
}

// commonPrefix is what a and b begin with, in whole runes.
func commonPrefix(a, b string) string {
	for i, r := range a {
		if !strings.HasPrefix(b[min(i, len(b)):], string(r)) {
			return a[:i]
		}
	}
	return a
}

// room is the width of a line in the pane, in cells.
func (d *diff) room() int { return max(1, d.port.Width()-gutter) }

// cut says whether a line goes on beyond the pane.
func (d *diff) cut() bool { return d.x > 0 || d.longest() > d.room() }

// fill cuts the lines for the pane, if that is not done yet.
func (d *diff) fill() {
	room := d.room()
	if d.filled.room == room && d.filled.x == d.x {
		return
	}
	d.filled.room, d.filled.x = room, d.x
	rows := make([]string, len(d.lines))
	for i, line := range d.lines {
		if line.sign == 0 {
			rows[i] = text.Clip("· "+line.text, room+gutter-1)
			continue
		}
		rows[i] = string(line.sign) + " " + slide(line.text, d.x, room)
	}
	d.port.SetContentLines(rows)
}

// slide shows the part of s that begins x cells in.
func slide(s string, x, width int) string {
	if x > 0 && s != "" {
		if s = ansi.TruncateLeft(s, x+1, "…"); s == "" {
			return "…"
		}
	}
	return text.Clip(s, width)
}

// put puts the cursor on a line and scrolls no further than it must.
func (d *diff) put(line int) {
	d.cursor = max(0, min(line, len(d.lines)-1))
	top, _ := window(len(d.lines), d.port.Height(), d.cursor, d.port.YOffset())
	d.port.SetYOffset(top)
}

// diffKeys are the keys of a preview.
const diffKeys = moveKeys + " < shift+left > shift+right"

// key scrolls by one of diffKeys.
func (d *diff) key(k string) {
	switch k {
	case "<", "shift+left":
		d.x = max(0, d.x-sideways)
		d.fill()
	case ">", "shift+right":
		if d.longest() > d.x+d.room() {
			d.x += sideways
			d.fill()
		}
	default:
		d.put(moved(k, d.cursor, len(d.lines), d.port.Height()))
	}
}

func (d *diff) longest() int {
	n := 0
	for _, line := range d.lines {
		if line.sign != 0 { // a remark does not scroll
			n = max(n, text.Width(line.text))
		}
	}
	return n
}

// sideKeys are the keys that scroll the preview d to the side, for the help and, where
// a line of it is cut, for the bottom row.
func (d *diff) sideKeys() (help, row binding) {
	return binding{key: "< >", help: "scroll long lines sideways"},
		binding{key: "< >", word: when(d != nil && d.cut(), "sideways"), short: "side"}
}

// position says where in the diff the pane is: "8 of 61 ↓".
func (d *diff) position() string {
	n := len(d.lines)
	if n <= d.port.Height() {
		return ""
	}
	return fmt.Sprintf("line %d of %d ", d.cursor+1, n) + when(!d.port.AtTop(), "↑") + when(!d.port.AtBottom(), "↓")
}

func (d *diff) rows() []string {
	if len(d.lines) == 0 {
		return []string{d.l.dim.Render(" the bytes stay as they are")}
	}
	return strings.Split(d.port.View(), "\n")
}

// box draws a border around rows; on a narrow window it keeps only the upper
// and lower edge. height counts the edges.
func (l look) box(rows []string, width, height int, title, foot string) []string {
	edge := func(left, words, right string) string {
		return l.edge(left, text.Cut(words, width-6), "─"+right, width)
	}
	top, bottom := edge("┌", title, "┐"), edge("└", foot, "┘")
	side := l.line.Render("│")
	if l.narrow() {
		top, bottom, side = edge("─", title, "─"), edge("─", foot, "─"), ""
	}
	inner := width - 2*text.Width(side)
	out := []string{top}
	for _, row := range exactly(rows, height-2) {
		out = append(out, side+text.Pad(row, inner)+side)
	}
	return append(out, bottom)
}
