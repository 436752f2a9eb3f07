// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: foreign text shows everything it holds and does nothing:
// what a terminal would obey, hide or reorder appears as a visible sign.

package redact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxShort bounds what of a text is redacted at all, in bytes. It is far more than
// what Short keeps, so that a secret is not cut in two before it is seen.
const maxShort = 16 << 10

// Short is the beginning of a text of any length as one line without secrets, at
// most limit characters long.
func Short(s string, limit int) string { return Line(Text(s[:min(len(s), maxShort)]), limit) }

// Line returns s as one line that is safe to show: control characters become
// their control pictures (ESC "␛", newline "␊"), other characters that do not
// print, or that Unicode lets a display ignore (C1 controls, bidi overrides,
// zero-width characters), become "\u{202e}", bytes that are not UTF-8 "\x9b".
// The result has at most limit characters, the last an ellipsis if s was
// longer; a limit below 1 means none.
func Line(s string, limit int) string { return show(s, limit, false) }

// Block is Line without a limit that keeps newlines and tabs.
func Block(s string) string { return show(s, 0, true) }

func show(s string, limit int, block bool) string {
	if limit < 1 {
		limit = len(s) * len(`\u{10ffff}`)
	}
	if len(s) <= limit && clean(s, block) {
		return s
	}
	var b strings.Builder
	count := 0 // characters in b
	last := 0  // length of b when one more character still fitted
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		sign := sign(r, s[i], size, block)
		for _, c := range sign {
			if count++; count > limit {
				return b.String()[:last] + "…"
			}
			b.WriteRune(c)
			if count < limit {
				last = b.Len()
			}
		}
		i += size
	}
	return b.String()
}

// clean says whether s is printable ASCII and can be shown as it is.
func clean(s string, block bool) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' || c > '~') && !(block && (c == '\n' || c == '\t')) {
			return false
		}
	}
	return true
}

// sign returns how a character is shown; first is its first byte.
func sign(r rune, first byte, size int, block bool) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf(`\x%02x`, first)
	case block && (r == '\n' || r == '\t'):
		return string(r)
	case r < ' ':
		return string('␀' + r)
	case r == '\x7f':
		return "␡"
	case r < utf8.RuneSelf:
		return string(r)
	case unseen(r):
		return fmt.Sprintf(`\u{%x}`, r)
	}
	return string(r)
}

// unseen says whether a character beyond ASCII does not print, reorders what
// does, or may be left out by a display.
func unseen(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// JSON returns the JSON text b with every character in it that a terminal
// would obey, hide or reorder written as an escape. It means the same: outside
// of strings JSON has none of them (RFC 8259).
func JSON(b []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(b); {
		if c := b[i]; c < utf8.RuneSelf && c != '\x7f' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if r != '\x7f' && !unseen(r) || r == utf8.RuneError && size == 1 {
			i += size
			continue
		}
		out = append(out, b[done:i]...)
		if r1, r2 := utf16.EncodeRune(r); r1 != utf8.RuneError {
			out = fmt.Appendf(out, `\u%04x\u%04x`, r1, r2)
		} else {
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
		done = i
	}
	if done == 0 {
		return b
	}
	return append(out, b[done:]...)
}
