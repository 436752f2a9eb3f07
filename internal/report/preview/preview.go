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
	body := false // the header's lines begin with the same signs
	for line := range strings.Lines(Diff(c)) {
		switch {
		case strings.HasPrefix(line, "@@"):
			body = true
		case body && line[0] == '+':
			added++
		case body && line[0] == '-':
			removed++
		}
	}
	return added, removed
}

// Binary says whether the change has no lines to show: one of its sides holds
// a NUL byte or is not UTF-8. A link has none either way.
func Binary(c report.Change) bool {
	return !c.Link() && (!c.Turns && binary(c.Before) || binary(c.After))
}

func binary(b []byte) bool {
	return bytes.IndexByte(b, 0) >= 0 || !utf8.Valid(b)
}

func size(b []byte) string {
	if b == nil {
		return "absent"
	}
	return fmt.Sprintf("%d bytes", len(b))
}
