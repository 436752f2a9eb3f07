// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a width is a number of terminal cells, never of bytes or
// runes; what is cut says so with an ellipsis. Styled text is cut and padded
// by what is seen of it.

package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// tabWidth is how far apart tab stops are in a preview, in cells.
const tabWidth = 4

// Width is the number of cells that s takes.
func Width(s string) int { return ansi.StringWidth(s) }

// Cut shortens s to at most width cells, ending in "…" if anything is lost:
// after a word, unless that would lose half of the row.
func Cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	seen := ansi.Strip(s)
	head := ansi.Truncate(seen, width-1, "")
	i := strings.LastIndexByte(head, ' ')
	if Width(seen) <= width || i < len(head)/2 || strings.HasPrefix(seen[len(head):], " ") || i == len(head)-1 {
		return Clip(s, width)
	}
	return ansi.Truncate(s, Width(head[:i])+2, " …")
}

// Clip is Cut in the middle of a word: for the lines of a file.
func Clip(s string, width int) string { return ansi.Truncate(s, max(0, width), "…") }

// CutLeft shortens s from the left, so that the end of a path stays, from the
// name of a directory on where there is one. One in the home keeps its ~: the
// project may have a file of the same name.
func CutLeft(s string, width int) string {
	if home, path, ok := strings.Cut(s, "/"); ok && home == "~" && Width(s) > width {
		if cut := cutLeft(path, width-len("~/")); strings.HasPrefix(cut, "…/") {
			return "~/" + cut
		}
	}
	return cutLeft(s, width)
}

func cutLeft(s string, width int) string {
	over := Width(s) - width
	switch {
	case width <= 0:
		return ""
	case over <= 0:
		return s
	}
	// The ellipsis takes one cell, and half of a wide rune may not stay.
	for over++; ; over++ {
		cut := ansi.TruncateLeft(s, over, "…")
		if cut == "" {
			return "…"
		}
		if Width(cut) > width {
			continue
		}
		if i := strings.IndexByte(cut, '/'); i > 0 && i < len(cut)-1 && cut[i+1] != ' ' {
			cut = "…" + cut[i:]
		}
		return cut
	}
}

// Pad makes s exactly width cells wide: cut or filled with spaces.
func Pad(s string, width int) string {
	s = Cut(s, width)
	return s + strings.Repeat(" ", max(0, width-Width(s)))
}

// Ends puts left and right at the two ends of a row of width cells; where
// both do not fit, right is kept and left is cut.
func Ends(left, right string, width int) string {
	if right == "" {
		return Pad(left, width)
	}
	right = Cut(right, width)
	room := width - Width(right) - 2
	if room < 1 {
		return Pad(right, width)
	}
	return Pad(left, room) + "  " + right
}

// Wrap breaks s into rows of at most width cells: first between columns, which
// two blanks or more set apart, then between words; only a word that is longer
// than a row is broken, after a slash if it can be, so that no hyphen of a name
// or a command ends a row by accident. Columns in one row keep two blanks between
// them. An empty s has no rows. s has no styles.
func Wrap(s string, width int) []string {
	if width <= 0 {
		return nil
	}
	return packed(s, width, func(word string) []string { return broken(word, width) })
}

// broken are the parts of a word, at most width cells each.
func broken(word string, width int) []string {
	var rows []string
	for Width(word) > width {
		head := ansi.Truncate(word, width, "")
		if head == "" { // a wide rune in a single cell
			return rows
		}
		if i := strings.LastIndexByte(head, '/'); i > len(head)/2 {
			head = head[:i+1] // a path is easier to read in whole names
		}
		rows, word = append(rows, head), word[len(head):]
	}
	return append(rows, word)
}

// packed puts the columns of s into rows. One that does not fit as a whole begins
// the next row, unless only a short label stands before it. begin are the rows of
// a word that begins one.
func packed(s string, width int, begin func(word string) []string) []string {
	var rows []string
	for column := range strings.SplitSeq(s, "  ") {
		words := strings.Fields(column)
		for i, word := range words {
			n := len(rows) - 1
			if n < 0 {
				rows = begin(word)
				continue
			}
			gap, need := " ", Width(word)
			if i == 0 {
				gap = "  "
				if Width(rows[n]) > width/3 {
					need = Width(strings.Join(words, " "))
				}
			}
			if Width(rows[n]+gap)+need <= width {
				rows[n] += gap + word
			} else {
				rows = append(rows, begin(word)...)
			}
		}
	}
	return rows
}

// Pasted is what stands between words and the line that they are about.
const Pasted = ":  "

// Rows is Wrap for what scrolls by, where a terminal breaks what is too long by
// itself and copies it whole: a word that is longer than a row (a path, a name)
// stays whole, and so does what follows a colon and two blanks, which is a line
// to paste. What fits is one row as it is; with a width of 0 all of it fits.
func Rows(s string, width int) []string {
	if width <= 0 || Width(s) <= width {
		return []string{s}
	}
	line := ""
	if i := strings.LastIndex(s, Pasted); i >= 0 {
		s, line = s[:i+1], strings.TrimSpace(s[i+1:])
	}
	rows := packed(s, width, func(word string) []string { return []string{word} })
	if line != "" {
		rows = append(rows, line)
	}
	return rows
}

// Fold is a line as Rows of at most width cells, with its indent before the
// first and two cells more before the others. line has no styles.
func Fold(line string, width int) []string {
	words := strings.TrimLeft(line, " ")
	indent := len(line) - len(words)
	if width <= indent+2 || Width(line) <= width {
		return []string{line}
	}
	rows := Rows(words, width-indent-2)
	for i, row := range rows {
		rows[i] = strings.Repeat(" ", indent+min(2*i, 2)) + row
	}
	return rows
}

// Untab replaces the tabs of one line by spaces up to the next tab stop.
func Untab(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	col := 0
	for i, part := range strings.Split(line, "\t") {
		if i > 0 {
			n := tabWidth - col%tabWidth
			b.WriteString(strings.Repeat(" ", n))
			col += n
		}
		b.WriteString(part)
		col += Width(part)
	}
	return b.String()
}
