// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: os-release is read as its manual page says (os-release(5):
// shell assignments without any expansion); a line that is none is passed over.

package platform

import "strings"

// maxOSRelease bounds what is read of os-release, in bytes; real ones have
// under 1 kB.
const maxOSRelease = 64 << 10

// ParseOSRelease returns the assignments of an os-release file, unquoted.
func ParseOSRelease(data []byte) map[string]string {
	values := make(map[string]string)
	for line := range strings.Lines(string(data[:min(len(data), maxOSRelease)])) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && variable(name) {
			values[name] = unquote(value)
		}
	}
	return values
}

// variable says whether name is one that os-release may assign.
func variable(name string) bool {
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// unquote takes a shell word apart: '...' as it is; "..." and bare words with
// backslashes. What follows the word is ignored.
func unquote(word string) string {
	if word == "" {
		return ""
	}
	quote := word[0]
	if quote == '\'' {
		value, _, _ := strings.Cut(word[1:], "'")
		return value
	}
	if quote == '"' {
		word = word[1:]
	}
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c == '\\' && i+1 < len(word):
			i++
			b.WriteByte(word[i])
		case quote == '"' && c == '"', quote != '"' && (c == ' ' || c == '\t'):
			return b.String()
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
