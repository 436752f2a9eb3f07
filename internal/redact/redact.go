// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package redact keeps secrets and terminal controls out of everything that
// is printed, logged or stored.
//
// Contract: pure and linear in its input, with nothing prepared at package
// init, since hooks run on every tool call. Text takes secrets out, Line and
// Block make what is left safe to show; a caller that shows foreign text does
// both, Text first, because a cut or an escaped secret is no longer
// recognised. Every function is idempotent. Recognition is by shape, so it
// errs towards hiding: a word too many is lost rather than a key shown.
package redact

import (
	"slices"
	"strings"
)

// Mark stands where a secret stood.
const Mark = "[redacted]"

// Text returns s with each secret in it replaced by "[redacted]": tokens with
// a known prefix, private key blocks, JSON web tokens, Authorization and
// Cookie headers, passwords in URLs and in "-u user:password", and the values
// of credential-shaped names (CredentialName), in shell, JSON, YAML and flag
// form. A value that only refers to another place ("$TOKEN", "$(cmd)") stays.
func Text(s string) string { return Replace(s, func(string) string { return Mark }) }

// Replace is Text with each secret replaced by what by returns for it.
func Replace(s string, by func(secret string) string) string {
	x := scanner{s: s}
	for i := 0; i < len(s); {
		i = x.step(i)
	}
	x.programs()
	return x.result(by)
}

// span is a part of the text that holds a secret.
type span struct{ from, to int }

type scanner struct {
	s     string
	spans []span
	url   authority
	// edge is the end of the last secret: what follows it starts a word
	// even if it would belong to the secret's word otherwise.
	edge int
	// urlEnd is the end of the last URL that was looked through.
	urlEnd int
	// noJWT is where the next JSON web token may begin.
	noJWT int
}

// step looks at position i and returns the next position to look at. Every
// rule that reads ahead either moves on past what it read or stops at a
// fixed distance, which keeps the whole scan linear.
func (x *scanner) step(i int) int {
	c := x.s[i]
	if end := x.url.step(x.s, i); end > 0 {
		x.cut(end, i)
	}
	if c == '/' && i >= 2 && x.s[i-1] == '/' && x.s[i-2] == ':' {
		x.secretSegments(i + 1)
	}
	// "\nTOKEN" in text that was quoted holds a newline, not an n.
	fresh := i == 0 || i == x.edge || i >= 2 && x.s[i-2] == '\\'
	if c == '-' {
		if end := pemEnd(x.s[i:]); end > 0 {
			return x.cut(i, i+end)
		}
	}
	if alnum(c) && (fresh || !alnum(x.s[i-1])) {
		if end := tokenEnd(x.s[i:]); end > 0 {
			return x.cut(i, i+end)
		}
		if i >= x.noJWT {
			end, part := jwtEnd(x.s[i:])
			if end > 0 {
				return x.cut(i, i+end)
			}
			x.noJWT = i + part
		}
	}
	if c == '<' {
		if from, to := hereString(x.s, i); to > from {
			return x.cut(from, to)
		}
	}
	if nameByte(c) && (fresh || !nameByte(x.s[i-1])) {
		if from, to := secretValue(x.s, i); to > from {
			return x.cut(from, to)
		}
	}
	return i + 1
}

// cut notes a secret and returns where to go on.
func (x *scanner) cut(from, to int) int {
	if to > from {
		x.spans = append(x.spans, span{from, to})
		x.edge = to
	}
	return to
}

func (x *scanner) result(by func(string) string) string {
	if len(x.spans) == 0 {
		return x.s
	}
	// A password in a URL is noticed at its "@", after what it contains.
	slices.SortFunc(x.spans, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	done := 0
	for i := 0; i < len(x.spans); {
		p := x.spans[i]
		for i++; i < len(x.spans) && x.spans[i].from <= p.to; i++ {
			p.to = max(p.to, x.spans[i].to)
		}
		b.WriteString(x.s[done:p.from])
		b.WriteString(by(x.s[p.from:p.to]))
		done = p.to
	}
	b.WriteString(x.s[done:])
	return b.String()
}

// authority follows "scheme://user:password@host" through the text, one byte
// at a time. The positions are 0 while unknown.
type authority struct{ start, colon, at int }

// step takes byte i. At an "@" that ends user information it returns where
// the password begins, else 0.
func (a *authority) step(s string, i int) int {
	switch c := s[i]; {
	case c == '/' && i >= 2 && s[i-1] == '/' && s[i-2] == ':':
		*a = authority{start: i + 1}
	case a.start == 0:
	case c <= ' ', c == '"', c == '\'', c == '`', c == '<', c == '>':
		*a = authority{}
	case c == ':' && a.colon == 0:
		a.colon = i + 1
	case c == '/' || c == '?' || c == '#':
		// A port or the host ends the authority; anything else before
		// a slash may be a password that holds one.
		if a.colon == 0 || a.at > 0 || digits(s[a.colon:i]) {
			*a = authority{}
		}
	case c == '@' && a.colon == 0 && i-a.start >= 20 && isOne(scheme(s, a.start), []string{"http", "https"}) &&
		mixed(s[a.start:i]):
		return a.start // a token in the place of a user's name
	case c == '@' && a.colon > 0:
		a.at = i
		return a.colon
	}
	return 0
}

// scheme is that of the address whose authority begins at s[i].
func scheme(s string, i int) string {
	end := i - len("://")
	from := end
	for from > max(0, end-len("https")-1) && alnum(s[from-1]) {
		from--
	}
	return s[from:end]
}

// mixed says whether a word of s, between dots and hyphens, has letters and
// digits: a name has the one or the other.
func mixed(s string) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '.' || r == '-' }) {
		if strings.ContainsAny(part, "0123456789") && !digits(part) {
			return true
		}
	}
	return false
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func alnum(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// nameByte says whether c may stand in the name of a variable, a key, a
// header or a flag.
func nameByte(c byte) bool { return alnum(c) || c == '_' || c == '-' || c == '.' }
