// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a quoted path is one word to the shell, whatever is in
// it, under every option that a user may have set.

package scripts

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/redact"
)

// Quote makes a word one word of a line that the user will paste into a POSIX
// shell, bash or zsh, whatever is in it: a name from a repository or from a
// package list may be hostile. A word of plain characters stays as it is, and
// what a screen must not show as it is (a newline, an escape, an override of the
// direction) is spelled: the line shown is then the line that works.
func Quote(word string) string {
	if spelled, hidden := spell(word); hidden && !strings.HasSuffix(word, "\n") {
		return `"$(printf '` + spelled + `')"`
	}
	return Literal(word)
}

// Literal is Quote for a line that a program reads or a scripted call runs, and no user
// pastes: whatever is in the word, it stays a word that is known.
func Literal(word string) string { return pathname.Word(word) }

// spell is a word as a format of printf, and whether a screen would show another
// word.
func spell(word string) (format string, hidden bool) {
	var b strings.Builder
	for rest := word; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		switch char := rest[:n]; {
		case redact.Line(char, 0) != char:
			hidden = true
			fallthrough
		case strings.ContainsRune(`\'!%`, r), r == '-' && b.Len() == 0: // csh expands !, also between quotes
			for _, c := range []byte(char) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteString(char)
		}
		rest = rest[n:]
	}
	return b.String(), hidden
}

// QuoteFor is the quoting of the shell that reads the file of that name.
func QuoteFor(name string) func(string) string {
	switch {
	case strings.HasSuffix(name, ".fish"):
		return quoteFish
	case strings.HasSuffix(name, ".tcsh"):
		return quoteCsh
	}
	return quote
}

// quoteCsh is right for csh, where history is expanded and a line ends in quotes
// too.
func quoteCsh(s string) string { return strings.NewReplacer("!", `\!`, "\n", "\\\n").Replace(quote(s)) }

// quote is right for POSIX shells, bash and zsh.
func quote(s string) string { return pathname.Quoted(s) }

// quoteFish is right for fish, which knows two escapes between single quotes.
func quoteFish(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

// unquote reads a word that quote or quoteFish wrote, at the beginning of s.
func unquote(s string, fish bool) (word string, ok bool) {
	s, ok = strings.CutPrefix(s, "'")
	if !ok {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case fish && s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] != '\'':
			b.WriteByte(s[i])
		case !fish && strings.HasPrefix(s[i:], `'\''`):
			b.WriteByte('\'')
			i += 3
		default:
			return b.String(), true
		}
	}
	return "", false
}
