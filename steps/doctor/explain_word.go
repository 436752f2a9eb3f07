// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a word of a command line without its quotes; a variable
// counts as its value only where the same line gives it one.

package doctor

import "strings"

// word reads a word; open says that a part of it is known to the shell alone.
func (p *shell) word() (text string, open bool) {
	var b strings.Builder
	for p.at < len(p.src) {
		switch ch := p.src[p.at]; {
		case strings.IndexByte(" \t\r\n;&|<>()", ch) >= 0:
			return b.String(), open
		case ch == '\'':
			p.at++
			inner, _, _ := strings.Cut(p.src[p.at:], "'")
			b.WriteString(inner)
			p.at = min(len(p.src), p.at+len(inner)+1)
		case ch == '"':
			p.at++
			open = p.quoted(&b) || open
		case ch == '\\':
			if p.at+1 < len(p.src) && p.src[p.at+1] != '\n' {
				b.WriteByte(p.src[p.at+1])
			}
			p.at = min(len(p.src), p.at+2)
		case ch == '$' || ch == '`':
			value, known := p.expand()
			b.WriteString(value)
			open = open || !known
		default:
			b.WriteByte(ch)
			p.at++
		}
	}
	return b.String(), open
}

// quoted reads up to the closing double quote.
func (p *shell) quoted(b *strings.Builder) (open bool) {
	for p.at < len(p.src) {
		switch ch := p.src[p.at]; ch {
		case '"':
			p.at++
			return open
		case '\\':
			if p.at+1 < len(p.src) {
				if strings.IndexByte("$`\"\\\n", p.src[p.at+1]) < 0 {
					b.WriteByte('\\')
				}
				b.WriteByte(p.src[p.at+1])
			}
			p.at = min(len(p.src), p.at+2)
		case '$', '`':
			value, known := p.expand()
			b.WriteString(value)
			open = open || !known
		default:
			b.WriteByte(ch)
			p.at++
		}
	}
	return open
}

// expand reads what begins with "$" or "`": a substitution, whose commands
// are found, or a variable.
func (p *shell) expand() (value string, known bool) {
	rest := p.src[p.at:]
	switch {
	case rest[0] == '`':
		p.at++
		inner, _, _ := strings.Cut(rest[1:], "`")
		sub := &shell{src: inner, vars: p.vars, depth: p.depth}
		if p.depth < maxNested {
			sub.list(0)
		}
		p.found = append(p.found, sub.found...)
		p.at = min(len(p.src), p.at+len(inner)+1)
		return "", false
	case strings.HasPrefix(rest, "$(("):
		p.at += len("$((")
		if i := strings.Index(rest, "))"); i >= 0 {
			p.at += i - 1
		}
		p.at = min(len(p.src), p.at)
		return "", false
	case strings.HasPrefix(rest, "$("):
		p.at += 2
		p.nested(')')
		return "", false
	case strings.HasPrefix(rest, "${"):
		inner, _, _ := strings.Cut(rest[2:], "}")
		p.at = min(len(p.src), p.at+len(inner)+3)
		value, known = p.vars[inner]
		return value, known
	case strings.HasPrefix(rest, "$'"):
		p.at++
		return "", true
	}
	n := 1
	for n < len(rest) && nameByte(rest[n], n == 1) {
		n++
	}
	p.at += n
	if n == 1 {
		if len(rest) > 1 && strings.IndexByte("?$!#@*0123456789-", rest[1]) >= 0 {
			p.at++
			return "", false
		}
		return "$", true
	}
	if value, known = p.vars[rest[1:n]]; known {
		return value, true
	}
	return "$" + rest[1:n], false
}

// isName says whether s is the name of a variable.
func isName(s string) bool {
	for i := range len(s) {
		if !nameByte(s[i], i == 0) {
			return false
		}
	}
	return s != ""
}

func nameByte(c byte, first bool) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' && !first
}
