// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: no file that the runtime would import by a text is missed.
// Its reader of Markdown cuts a text into pieces and looks for imports in each;
// a second reader that differs would be a way past it, so every place where it
// may begin or end a piece counts here (the code of 2.1.329 and 2.1.324).

package iso

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// maxImport bounds the name of an import, and maxSpellings how many names of
// one text are looked for.
const (
	maxImport    = 4096
	maxSpellings = 20_000
)

// inMail are the signs that may begin an address of mail, as a class.
const inMail = "A-Za-z0-9.!#$%&'*+/=?_`{|}~-"

// isSpace is \s of JavaScript, with which the runtime reads texts.
func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', '\u00a0', '\u1680', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000', '\ufeff':
		return true
	}
	return r >= '\u2000' && r <= '\u200a'
}

// token is what the runtime's (?:[^\s\\]|\\ )+ finds at the start of a text,
// with its spaces unescaped.
func token(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], `\ `) {
			b.WriteByte(' ')
			i += 2
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == '\\' || isSpace(r) {
			break
		}
		b.WriteRune(r) // what is no UTF-8 becomes U+FFFD, as in the runtime
		i += size
	}
	return b.String()
}

var (
	comment = lazy.Regexp(`(?s)<!--.*?-->`)
	// escaped is what Markdown unescapes in cells of tables and in links.
	escaped = lazy.Regexp("\\\\([!-/:-@\\[-`{-~])")
	// page and mail are addresses, which end a piece.
	page       = lazy.Regexp(`^(?i:https?://|ftp://|www\.)`)
	mail       = lazy.Regexp("^[" + inMail + "]{1,64}@")
	quotedName = lazy.Regexp(`^"([^"]+)"`)
)

// imports calls follow with each name that a text may import, and its line.
// all says that there were not more than are looked for.
func imports(text string, follow func(line int, name string)) (all bool) {
	if !strings.Contains(text, "@") {
		return true
	}
	all = true
	left := maxSpellings
	scan := func(text string) {
		line := 1
		for i, r := range text {
			if r == '\n' {
				line++
			}
			if r != '@' {
				continue
			}
			names, fits := spellings(text[i+1:])
			all = all && fits
			for _, name := range names {
				if left--; left < 0 {
					all = false
					return
				}
				follow(line, name)
			}
		}
	}
	scan(text)
	bare := withoutComments(text)
	for _, form := range []string{bare, escaped().ReplaceAllString(text, "$1"), escaped().ReplaceAllString(bare, "$1")} {
		if form != text {
			scan(form)
		}
	}
	return all
}

// withoutComments is a text without its comments, which the runtime takes out
// before it looks for imports. Their line breaks follow at the next one.
func withoutComments(text string) string {
	var b strings.Builder
	owed, from := 0, 0
	keep := func(part string) {
		for _, r := range []byte(part) {
			b.WriteByte(r)
			if r == '\n' {
				b.WriteString(strings.Repeat("\n", owed))
				owed = 0
			}
		}
	}
	for _, at := range comment().FindAllStringIndex(text, -1) {
		keep(text[from:at[0]])
		owed += strings.Count(text[at[0]:at[1]], "\n")
		from = at[1]
	}
	keep(text[from:])
	return b.String()
}

// spellings are what an import at the start of a text may name: what follows a
// # is a part of it, and Markdown may end it. fits says that these are all.
func spellings(text string) (names []string, fits bool) {
	if m := quotedName().FindStringSubmatch(text); m != nil {
		names = append(names, m[1]) // in a text that is sent as a prompt
	}
	if len(text) > 2*maxImport {
		text = text[:2*maxImport]
	}
	whole := token(text)
	fits = len(whole) <= maxImport
	if !fits {
		whole = whole[:maxImport]
	}
	if strings.ContainsFunc(whole, combining) {
		fits = false // the runtime looks for the composed form
	}
	add := func(name string) {
		for _, n := range []string{name, strings.TrimFunc(name, isSpace), strings.TrimRightFunc(name, notInName)} {
			if n != "" && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	add(whole)
	if name, _, cut := strings.Cut(whole, "#"); cut {
		whole = name
		add(whole)
	}
	mails, before := strings.Contains(whole, "@"), "@"
	for i, r := range whole {
		after := whole[i:]
		switch {
		case strings.ContainsRune("<![]`*~|", r),
			r == '_' && !startsWord(after[1:]),
			page().MatchString(after),
			mails && !mail().MatchString(before+"@") && mail().MatchString(after):
			add(whole[:i])
		}
		before = string(r)
	}
	return names, fits
}

// notInName is what ends no word.
func notInName(r rune) bool { return r != '/' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// combining says whether a rune is a part of a letter that has a form of its
// own. Those that choose how a sign looks are none.
func combining(r rune) bool { return unicode.Is(unicode.Mn, r) && (r < '\ufe00' || r > '\ufe0f') }
