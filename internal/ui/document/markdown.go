// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: it is pasted into a comment, where a word can call a person, link
// an issue or an address and become a formula or a picture: foreign text is escaped,
// and a word that would do such a thing is code. The verdict comes first.

package document

import (
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// shortSeen bounds how much evidence of a finding a comment has, in number.
const shortSeen = 8

func markdown(p page) ([]byte, error) {
	var b strings.Builder
	line := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	line("## %s %s\n", p.Status.Symbol(), strings.TrimSpace(strings.ToUpper(string(p.Verdict))+" "+prose(p.Where)))
	line("%s\n", strings.TrimPrefix(p.Tally+" · "+p.Rehearsed, " · "))
	for _, l := range p.Launches {
		for i, part := range l.Parts {
			name := "**" + l.Name + "** "
			if i > 0 {
				name = ""
			}
			line("%s- %s%s %s", strings.Repeat("  ", min(i, 1)), name, part.Status.Symbol(), prose(part.String()))
		}
	}
	if p.Launches != nil {
		line("")
	}
	line("| | Check | Result |\n|---|---|---|")
	for _, f := range p.sorted() {
		line("| %s&nbsp;%s | %s | %s |", f.Status.Symbol(), f.Status, cell(code(string(f.ID))), cell(prose(f.Summary)))
	}
	for _, f := range p.sorted() {
		if f.Open() || f.listed() {
			line("\n### %s %s\n\n%s\n", f.Status.Symbol(), join(code(string(f.ID)), f.Title), prose(f.Summary))
			detail(line, f)
		}
	}
	line("\n%s", prose(strings.Join(strings.Fields("steward-setup "+p.Version+" · "+p.Runtime+" · "+p.Project), " ")))
	return []byte(b.String()), nil
}

// detail is what was seen, and what to do.
func detail(line func(string, ...any), f finding) {
	for _, l := range f.Launches {
		line("- %s %s %s", l.Launch, l.Status.Symbol(), prose(l.Summary))
	}
	for i, s := range f.Seen {
		if i == shortSeen && len(f.Seen) > shortSeen+1 && !f.listed() {
			line("- and %d more", len(f.Seen)-i)
			break
		}
		line("- %s", join(code(s.Where), prose(s.Text)))
	}
	for i, s := range f.Steps {
		words := s.Text
		if s.Why != "" {
			words += " (" + s.Why + ")"
		}
		line("\n%d. next: %s", i+1, prose(words))
		if s.Line != "" {
			fence := strings.Repeat("`", max(3, ticks(s.Line)+1))
			line("\n   %s\n   %s\n   %[1]s", fence, s.Line)
		}
	}
}

// lively matches a word that does something in a comment although it is escaped:
// @someone, #12, $x$, :smile:, https://, www., a@b.c.
var lively = lazy.Regexp(`[@#!$%&~^][\pL\pN_]|\$|://|(?i:www\.|gh-\d)|:[\w+-]+:`)

// marks are the characters that mean something within a line.
var marks = strings.NewReplacer(`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `>`, `\>`,
	`&`, `\&`, `|`, `\|`, `~`, `\~`)

// numbered matches what begins a numbered list.
var numbered = lazy.Regexp(`^\d+[.)]$`)

// prose is a safe line as text that stands for itself.
func prose(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		switch {
		case lively().MatchString(w):
			words[i] = code(w)
		case i == 0 && strings.ContainsAny(w[:1], "-+=#"): // a list, a line, a heading
			words[i] = `\` + marks.Replace(w)
		case i == 0 && numbered().MatchString(w):
			words[i] = w[:len(w)-1] + `\` + w[len(w)-1:]
		default:
			words[i] = marks.Replace(w)
		}
	}
	return strings.Join(words, " ")
}

// code is a safe line as it is, "" for none.
func code(s string) string {
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", ticks(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// ticks is the length of the longest row of backticks.
func ticks(s string) (most int) {
	n := 0
	for _, r := range s {
		if n++; r != '`' {
			n = 0
		}
		most = max(most, n)
	}
	return most
}

// cell is a text in a table, which ends at a bar wherever it stands.
func cell(s string) string {
	var b strings.Builder
	escaped := false
	for _, r := range s {
		if r == '|' && !escaped {
			b.WriteByte('\\')
		}
		escaped = r == '\\' && !escaped
		b.WriteRune(r)
	}
	return b.String()
}
