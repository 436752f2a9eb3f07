// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: fish text becomes commands of words, each word with its
// values or with none. Where a quote or a bracket does not end, it says so.
// (fish "The fish language": Quotes, Escaping Characters, Parameter
// expansion, Input/Output Redirection.)

package shellrc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/shell"
)

// fishWord is one word of a command: as written, and its values, nil if they
// are not known.
type fishWord struct {
	raw    string
	values []shell.Value
}

func (w fishWord) known() []shell.Value { return w.values }

// text is the word's value if it has one, else "".
func (w fishWord) text() string {
	if len(w.values) == 1 {
		return w.values[0].Text
	}
	return ""
}

// quoted says whether the whole word stands in one pair of quotes, with nothing escaped.
func (w fishWord) quoted() bool {
	n := len(w.raw) - 1
	return n > 0 && strings.ContainsAny(w.raw[:1], `"'`) && w.raw[n] == w.raw[0] &&
		!strings.Contains(w.raw[1:n], w.raw[:1]) && !strings.Contains(w.raw[1:n], `\\`)
}

// fishCommand is what stands between two separators. before is the one in front of it.
type fishCommand struct {
	line   int
	words  []fishWord
	before string
}

type fishLexer struct {
	src  []byte
	pos  int
	line int
	scope
}

var errFishOpen = errors.New("a quote or a bracket does not end")

// next returns the next command; ok is false at the end of the text. An empty
// command has no words.
func (l *fishLexer) next(before string) (c fishCommand, separator string, ok bool, err error) {
	c = fishCommand{line: l.line, before: before}
	redirect := false
	for l.pos < len(l.src) {
		ch := l.src[l.pos]
		switch {
		case ch == ' ' || ch == '\t' || ch == '\r':
			l.pos++
		case ch == '\n' || ch == ';':
			l.skip(1)
			return c, "", true, nil
		case ch == '#':
			l.skip(len(upTo(l.src[l.pos:], '\n')))
		case ch == '\\' && l.at(1) == '\n':
			l.skip(2)
		case ch == '|' || ch == '&' && l.at(1) != '>' && l.at(1) != '|':
			n := 1
			if l.at(1) == ch {
				n = 2
			}
			separator = string(l.src[l.pos : l.pos+n])
			l.skip(n)
			return c, separator, true, nil
		case ch == '<' || ch == '>' || ch == '&':
			for l.pos < len(l.src) && strings.IndexByte("<>&|?", l.src[l.pos]) >= 0 {
				l.pos++
			}
			redirect = true
		default:
			if len(c.words) == 0 {
				c.line = l.line
			}
			w, err := l.word()
			if err != nil {
				return c, "", false, fmt.Errorf("%d: %w", l.line, err)
			}
			// The digits of "2>" belong to the redirection.
			number := strings.Trim(w.raw, "0123456789") == "" && (l.at(0) == '>' || l.at(0) == '<')
			if !redirect && !number {
				c.words = append(c.words, w)
			}
			redirect = false
		}
	}
	return c, "", len(c.words) > 0, nil
}

func (l *fishLexer) at(i int) byte {
	if l.pos+i < len(l.src) {
		return l.src[l.pos+i]
	}
	return 0
}

// skip moves on by n bytes, counting lines.
func (l *fishLexer) skip(n int) {
	l.line += bytes.Count(l.src[l.pos:l.pos+n], []byte("\n"))
	l.pos += n
}

func upTo(b []byte, c byte) []byte {
	before, _, _ := bytes.Cut(b, []byte{c})
	return before
}

func (l *fishLexer) word() (fishWord, error) {
	start := l.pos
	all := []shell.Value{{}}
	for l.pos < len(l.src) && strings.IndexByte(" \t\r\n;|&<>", l.src[l.pos]) < 0 {
		vs, err := l.part(l.pos == start)
		if err != nil {
			return fishWord{}, err
		}
		all = shell.Product(all, vs)
	}
	return fishWord{raw: string(l.src[start:l.pos]), values: all}, nil
}

// part reads one piece of a word.
func (l *fishLexer) part(first bool) ([]shell.Value, error) {
	switch ch := l.src[l.pos]; ch {
	case '\'':
		return l.single()
	case '"':
		return l.double()
	case '(':
		return nil, l.brackets()
	case '$':
		if l.at(1) == '(' {
			l.pos++
			return nil, l.brackets()
		}
		return l.variable(), nil
	case '\\':
		c := l.at(1)
		l.skip(min(2, len(l.src)-l.pos))
		switch {
		case c == '\n':
			return []shell.Value{{}}, nil
		case c == 0 || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
			return nil, nil // a control character or a code: not a path that we print
		}
		return []shell.Value{shell.Literal(string([]byte{c}))}, nil
	case '*', '?':
		l.pos++
		return []shell.Value{{Text: string(ch), Pattern: string(ch), Glob: true}}, nil
	case '~':
		if l.pos++; !first || l.pos < len(l.src) && strings.IndexByte("/ \t\r\n;|&<>", l.at(0)) < 0 {
			return nil, nil
		}
		return []shell.Value{shell.Literal(l.user.Home)}, nil
	case '{', '}', ')', '[', ']':
		l.pos++
		return nil, nil
	}
	start := l.pos
	for l.pos < len(l.src) && strings.IndexByte("'\"($\\*?~{})[] \t\r\n;|&<>", l.src[l.pos]) < 0 {
		l.pos++
	}
	return []shell.Value{shell.Literal(string(l.src[start:l.pos]))}, nil
}

// variable reads $NAME; an index or a second "$" makes it unknown.
func (l *fishLexer) variable() []shell.Value {
	l.pos++
	start := l.pos
	for c := l.at(0); c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'; c = l.at(0) {
		l.pos++
	}
	name := string(l.src[start:l.pos])
	if name == "" || l.at(0) == '[' {
		return nil
	}
	vs, _ := l.get(name)
	return vs
}

func (l *fishLexer) single() ([]shell.Value, error) {
	var b strings.Builder
	for l.skip(1); l.pos < len(l.src); l.skip(1) {
		c := l.src[l.pos]
		switch {
		case c == '\'':
			l.pos++
			return []shell.Value{shell.Literal(b.String())}, nil
		case c == '\\' && (l.at(1) == '\'' || l.at(1) == '\\'):
			l.pos++
			c = l.src[l.pos]
		}
		b.WriteByte(c)
	}
	return nil, errFishOpen
}

func (l *fishLexer) double() ([]shell.Value, error) {
	all := []shell.Value{{}}
	var b strings.Builder
	flush := func() {
		all = shell.Product(all, []shell.Value{shell.Literal(b.String())})
		b.Reset()
	}
	l.pos++
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '"':
			flush()
			l.pos++
			return all, nil
		case c == '\\' && l.pos+1 < len(l.src) && strings.IndexByte("\"\\$\n", l.at(1)) >= 0:
			if l.at(1) != '\n' {
				b.WriteByte(l.at(1))
			}
			l.skip(2)
		case c == '$' && l.at(1) == '(':
			l.pos++
			if err := l.brackets(); err != nil {
				return nil, err
			}
			all = nil
		case c == '$':
			flush()
			all = shell.Product(all, l.variable())
		default:
			b.WriteByte(c)
			l.skip(1)
		}
	}
	return nil, errFishOpen
}

// brackets passes over a command substitution, whose output is unknown.
func (l *fishLexer) brackets() error {
	depth := 0
	for l.pos < len(l.src) {
		switch l.src[l.pos] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.pos++
				return nil
			}
		case '\'':
			if _, err := l.single(); err != nil {
				return err
			}
			continue
		case '"':
			if err := l.passDouble(); err != nil {
				return err
			}
			continue
		case '\\':
			l.skip(min(2, len(l.src)-l.pos))
			continue
		}
		l.skip(1)
	}
	return errFishOpen
}

// passDouble passes over double quotes inside a command substitution. It does
// not look into a further one there: a quote in it is taken for the end,
// which leaves the text open at worst.
func (l *fishLexer) passDouble() error {
	for l.pos++; l.pos < len(l.src); {
		switch l.src[l.pos] {
		case '"':
			l.pos++
			return nil
		case '\\':
			l.skip(min(2, len(l.src)-l.pos))
		default:
			l.skip(1)
		}
	}
	return errFishOpen
}
