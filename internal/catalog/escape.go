// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: colour is no part of an error, and what a terminal obeys
// is no part of what is looked at or shown.

package catalog

import "strings"

const escape = 0x1b

// uncoloured is a text without the escape sequences of a terminal (ECMA-48):
// CSI, which colours, OSC and the other strings, which set titles and links,
// and the short ones. One that is not closed ends with its line.
func uncoloured(text string) string {
	if strings.IndexByte(text, escape) < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != escape {
			b.WriteByte(text[i])
			i++
			continue
		}
		i = sequenceEnd(text, i+1)
	}
	return b.String()
}

// sequenceEnd is where the sequence ends whose escape stands before text[i].
func sequenceEnd(text string, i int) int {
	if i == len(text) {
		return i
	}
	switch text[i] {
	case '[':
		i = skip(text, i+1, 0x20, 0x3f)
	case ']', 'P', 'X', '^', '_':
		for i++; i < len(text) && text[i] != '\n'; i++ {
			if text[i] == '\a' {
				return i + 1
			}
			if text[i] == escape {
				return skip(text, i+1, '\\', '\\')
			}
		}
		return i
	default:
		i = skip(text, i, 0x20, 0x2f)
	}
	if i < len(text) && 0x30 <= text[i] && text[i] <= 0x7e {
		i++
	}
	return i
}

// skip is the end of the bytes between low and high that begin at text[i].
func skip(text string, i int, low, high byte) int {
	for i < len(text) && low <= text[i] && text[i] <= high {
		i++
	}
	return i
}
