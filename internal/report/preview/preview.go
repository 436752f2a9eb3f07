// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package preview shows what a change would write, as its unified diff.
//
// Contract: a preview is made from the very bytes that will be written. It is no
// method of a change: what runs on every tool call knows changes and shows none,
// and the library of diffs prepares itself at each start of a program.
package preview

import (
	"bytes"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/steward-setup/steward-setup/internal/report"
)

// Diff returns the unified diff of c, or one line where a diff says nothing:
// a link, a binary, a change of mode. A name that would break its line or
// steer a terminal stands in quotes, as a Go string.
func Diff(c report.Change) string {
	switch {
	case c.Turns && c.Link():
		return "- a regular file, " + size(c.Before) + "\n" + linkLine("+", c.After)
	case c.Turns:
		after := c
		after.Before, after.Turns = nil, false
		return linkLine("-", c.Before) + Diff(after)
	case c.Emptied:
		return "- the directory, empty by then\n" + linkLine("+", c.After)
	case c.Link():
		return linkLine("-", c.Before) + linkLine("+", c.After)
	}
	mode := ""
	if c.SetMode && c.Before != nil && c.Mode.Perm() != c.ModeBefore.Perm() {
		mode = fmt.Sprintf("mode %04o -> %04o\n", c.ModeBefore.Perm(), c.Mode.Perm())
	}
	if Binary(c) {
		return mode + fmt.Sprintf("binary file, %s -> %s\n  %s -> %s\n", size(c.Before), size(c.After), c.Base(), c.Result())
	}
	old, new := oneLine(c.Path), oneLine(c.Path)
	if c.Before == nil {
		old = "/dev/null"
	}
	if c.After == nil {
		new = "/dev/null"
	}
	return mode + udiff.Unified(old, new, string(c.Before), string(c.After))
}

// linkLine says where a link leads; nothing for none.
func linkLine(sign string, target []byte) string {
	if target == nil {
		return ""
	}
	return sign + " symlink to " + oneLine(string(target)) + "\n"
}

// oneLine returns a name as it is if it can stand in a line of text.
func oneLine(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}

// Stat counts the lines that the diff adds and removes, none of a binary.
func Stat(c report.Change) (added, removed int) {
	if Binary(c) {
		return 0, 0
	}
	for line := range Lines(Diff(c)) {
		switch line.Sign {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}

// Line is a line of a preview, without its end.
type Line struct {
	Text string
	// Sign is ' ', '+', '-' or '\\' in a hunk, '@' of its head; 0 before the first: the lines of the file's names begin
	// with the same signs.
	Sign byte
	// Old and New are the lines at which a hunk begins, of its head.
	Old, New int
}

// Lines reads a preview as Diff writes it.
func Lines(diff string) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		body := false
		for text := range strings.Lines(diff) {
			line := Line{Text: strings.TrimSuffix(text, "\n")}
			if head, is := strings.CutPrefix(text, "@@ -"); is { // "@@ -1,2 +3,4 @@"
				_, other, _ := strings.Cut(head, " +")
				body, line.Sign, line.Old, line.New = true, '@', number(head), number(other)
			} else if body {
				line.Sign = text[0]
			}
			if !yield(line) {
				return
			}
		}
	}
}

// number is that at the beginning of s, 0 if there is none.
func number(s string) int {
	n, _ := strconv.Atoi(s[:len(s)-len(strings.TrimLeft(s, "0123456789"))])
	return n
}

// Binary says whether the change has no lines to show: one of its sides holds
// a NUL byte or is not UTF-8. A link has none either way.
func Binary(c report.Change) bool {
	return !c.Link() && (!c.Turns && binary(c.Before) || binary(c.After))
}

func binary(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 || !utf8.Valid(b) }

func size(b []byte) string {
	if b == nil {
		return "absent"
	}
	return fmt.Sprintf("%d bytes", len(b))
}
