// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command is the user's. It is shown on rows of its own,
// with nothing beside it, so that selecting the rows selects the command. A
// line that is longer than the window is broken only where a shell joins it
// again: at a blank outside quotes, with a backslash. A key copies the exact
// line.

package tui

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// maxCommand bounds a command line on the screen, in runes.
const maxCommand = 4000

// commandPane draws a command in exactly h rows of w cells: why, what to do
// with the line, and the line. Where it is tight, first the blank rows go and
// then the reason; never the line.
func (l look) commandPane(c report.Command, w, h int) []string {
	var why []string
	for _, row := range text.Wrap(own(c.Why), w) {
		why = append(why, l.dim.Render(row))
	}
	do := text.Wrap(instruction(c, l.facts.Home), w)
	lines, whole := foldCommand(redact.Line(c.Line, maxCommand), w-1)
	if !whole || redact.Line(c.Line, maxCommand) != c.Line {
		do = append(do, text.Wrap(tooLong, w)...)
	}
	for i := range lines {
		lines[i] = l.bold.Render(lines[i])
	}
	blank := []string{""}
	var rows []string
	for _, parts := range [][][]string{{blank, why, do, blank, lines}, {why, do, lines}, {do, lines}, {lines}} {
		if rows = slices.Concat(parts...); len(rows) <= h {
			break
		}
	}
	for len(rows) < h {
		rows = append(rows, "")
	}
	return rows[:max(0, h)]
}

// instruction says what the user does with the line.
func instruction(c report.Command, home string) string {
	s := "Run this in another terminal"
	if c.Where != "" {
		s = "Add this line to " + text.Line(text.Home(c.Where, home)) + " in your editor"
	}
	switch {
	case c.Privileged && c.Optional:
		s += " (optional, as root)"
	case c.Privileged:
		s += " (it needs root)"
	case c.Optional:
		s += " (optional)"
	}
	return s + ":"
}

// foldCommand breaks line into rows of at most width cells that a shell reads
// as the same line. whole is false where it cannot.
func foldCommand(line string, width int) (rows []string, whole bool) {
	whole = true
	for text.Width(line) > width {
		at := foldAt(line, width-2)
		if at <= 0 {
			cut := len(line) - len(cutCells(line, width))
			rows, line, whole = append(rows, line[:cut]), line[cut:], false
			continue
		}
		rows, line = append(rows, line[:at]+` \`), line[at+1:]
	}
	return append(rows, line), whole
}

// cutCells returns what is left of s after its first width cells.
func cutCells(s string, width int) string {
	used := 0
	for i, r := range s {
		used += text.Width(string(r))
		if used > max(1, width) {
			return s[i:]
		}
	}
	return ""
}

// foldAt finds the last blank outside quotes within the first width cells of
// line, -1 if there is none.
func foldAt(line string, width int) int {
	at, used := -1, 0
	var quote rune
	escaped := false
	for i, r := range line {
		if used > width {
			break
		}
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == ' ' && i > 0:
			at = i
		}
		used += text.Width(string(r))
	}
	return at
}
