// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package gitconfig is the text of a git configuration file: what its lines set,
// and the lines of ours put in and taken out again.
//
// Contract: pure, bytes in and bytes out. What a file means is git's to say
// (internal/gitrepo); this package finds lines. Taken out, what was put in
// leaves every other byte where it was.
package gitconfig

import (
	"bytes"
	"slices"
	"strings"
)

// line is one logical line: a value may go on over several with a backslash.
type line struct {
	start, end int // end is behind the newline
	number     int // from 1
	section    string
	// header says that the line begins a section; key is the name it sets,
	// in small letters, "" for none.
	header bool
	key    string
	// after is what follows the key, as it is written.
	after string
}

// lines takes a file apart (git-config(1), "Syntax").
func lines(b []byte) []line {
	var list []line
	section, number := "", 1
	for start := 0; start < len(b); {
		l := line{start: start, end: logicalEnd(b, start), number: number, section: section}
		text := strings.TrimLeft(strings.TrimPrefix(string(b[start:l.end]), "\ufeff"), " \t\r\n")
		if strings.HasPrefix(text, "[") {
			l.header = true
			if name, rest, ok := strings.Cut(text[1:], "]"); ok {
				section, text = strings.ToLower(strings.TrimSpace(name)), strings.TrimLeft(rest, " \t\r\n")
			}
			l.section = section
		}
		if i := strings.IndexFunc(text, notKey); i != 0 {
			if i < 0 {
				i = len(text)
			}
			l.key, l.after = strings.ToLower(text[:i]), text[i:]
		}
		list = append(list, l)
		number += bytes.Count(b[start:l.end], []byte("\n"))
		start = l.end
	}
	return list
}

// notKey says that r ends the name of a variable: letters, digits and "-".
func notKey(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-')
}

// logicalEnd is the end of the line that begins at start. A comment never goes
// on; it begins outside of quotes.
func logicalEnd(b []byte, start int) int {
	comment, quoted := false, false
	for i := start; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\n':
			return i + 1
		case comment:
		case c == '\\':
			if i++; i+1 < len(b) && b[i] == '\r' && b[i+1] == '\n' {
				i++
			}
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '#' || c == ';'):
			comment = true
		}
	}
	return len(b)
}

// Setting is one line that sets a variable.
type Setting struct {
	// Line is its number; Section and Key are in small letters, the section with
	// what follows its name.
	Line         int
	Section, Key string
	// Raw is the value as git config --fixed-value compares it: without
	// quotes, nothing expanded. Given says that there is one.
	Raw   string
	Given bool
}

// Settings are the lines that set a variable, in their order.
func Settings(b []byte) (list []Setting) {
	for _, l := range lines(b) {
		if l.key != "" {
			raw, given := l.value()
			list = append(list, Setting{l.number, l.section, l.key, raw, given})
		}
	}
	return list
}

// HooksPaths are those that set core.hooksPath.
func HooksPaths(b []byte) []Setting {
	return slices.DeleteFunc(Settings(b), func(s Setting) bool { return s.Section != "core" || s.Key != hooksPath })
}

// value is what the line sets its key to, if it gives a value. Blanks around it
// count only in quotes (git-config(1), "Syntax"); a backslash before a newline
// joins two lines.
func (l line) value() (raw string, given bool) {
	text, given := strings.CutPrefix(strings.TrimLeft(l.after, " \t\r"), "=")
	if !given {
		return "", false
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var value []byte
	quoted, kept := false, 0 // kept is how much of value trailing blanks are not cut from
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] == '\n' {
				continue
			}
			value = append(value, escaped(text[i]))
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '#' || c == ';') || c == '\n':
			return string(value[:kept]), true
		case !quoted && (c == ' ' || c == '\t'):
			if kept > 0 {
				value = append(value, c)
			}
			continue
		default:
			value = append(value, c)
		}
		kept = len(value)
	}
	return string(value[:kept]), true
}

func escaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}

const hooksPath = "hookspath"
