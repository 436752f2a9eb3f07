// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: strict JSON and nothing else (RFC 8259), read once from
// front to back, never deeper than the bound, every value with its place.
// Where it refuses it says what a person would call the mistake.

package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// scanner reads one document. Its off only moves forward.
type scanner struct {
	src []byte
	off int
	// line and col are the place of the byte at seen.
	line, col, seen int
	values          int // so far
	// lenient takes of two members of one key the last, and a number for what is too deep.
	lenient bool
}

// fault is why a document is refused, and where.
type fault struct {
	line, col       int
	what, why, next string
}

func scan(body []byte, lenient bool) (root *Value, values int, f *fault) {
	s := &scanner{src: body, line: 1, col: 1, lenient: lenient}
	if f := s.space(); f != nil {
		return nil, 0, f
	}
	v, f := s.value(1)
	if f != nil {
		return nil, 0, f
	}
	if f := s.space(); f != nil {
		return nil, 0, f
	}
	if s.off < len(s.src) {
		return nil, 0, s.fault(s.off, "the document goes on after its end, with "+s.found(), WhyIgnored,
			"remove what follows the last closing bracket")
	}
	return v, s.values, nil
}

// place returns the line and column of the byte at off, which must not lie
// before an earlier one asked for. Lines end with LF; a CR before it belongs
// to the line's end.
func (s *scanner) place(off int) (line, col int) {
	for s.seen < off {
		_, size := utf8.DecodeRune(s.src[s.seen:])
		if s.src[s.seen] == '\n' {
			s.line, s.col = s.line+1, 1
		} else {
			s.col++
		}
		s.seen += size
	}
	return s.line, s.col
}

func (s *scanner) fault(off int, what, why, next string) *fault {
	line, col := s.place(off)
	return &fault{line, col, what, why, next}
}

// space skips white space; a comment is a fault.
func (s *scanner) space() *fault {
	for ; s.off < len(s.src); s.off++ {
		switch c := s.src[s.off]; c {
		case ' ', '\t', '\n', '\r':
		case '/', '#':
			if rest := s.src[s.off:]; c == '/' && len(rest) > 1 && rest[1] != '/' && rest[1] != '*' {
				return s.fault(s.off, "a string needs quotes", WhyIgnored, "put the value in double quotes")
			}
			return s.fault(s.off, "a comment; settings are strict JSON", WhyIgnored, "remove the comment")
		default:
			return nil
		}
	}
	return nil
}

// found names what stands at off, for a sentence.
func (s *scanner) found() string {
	if s.off >= len(s.src) {
		return "the end of the file"
	}
	r, _ := utf8.DecodeRune(s.src[s.off:])
	if r == '\'' || r == '\\' { // as it stands in the file, not as Go writes it
		return `"` + string(r) + `"`
	}
	return fmt.Sprintf("%q", r)
}

// expected is the fault of something other than want at off.
func (s *scanner) expected(want string) *fault {
	if s.off >= len(s.src) {
		return s.fault(s.off, "the file ends too early: "+want+" is missing", WhyIgnored,
			"complete the file, or restore an earlier version of it")
	}
	if (s.off == 0 || s.src[s.off-1] == '\n') && bytes.HasPrefix(s.src[s.off:], []byte("<<<<<<< ")) {
		return s.fault(s.off, "a merge conflict begins here", WhyIgnored, "resolve the merge conflict")
	}
	return s.fault(s.off, want+" is expected, not "+s.found(), WhyIgnored, "correct the JSON at this place")
}

// value reads the value at off; depth counts the brackets that it stands in,
// its own included.
func (s *scanner) value(depth int) (*Value, *fault) {
	if s.values++; s.values > maxValues {
		return nil, s.fault(s.off, fmt.Sprintf("more than %d values", maxValues), whyMany, smaller)
	}
	v := &Value{start: s.off}
	v.Line, v.Col = s.place(s.off)
	var f *fault
	c := byte(0)
	if s.off < len(s.src) {
		c = s.src[s.off]
	}
	switch {
	case (c == '{' || c == '[') && depth > maxDepth && s.lenient && s.passes(depth):
		v.Kind, v.Text = Number, "0"
	case (c == '{' || c == '[') && depth > maxDepth:
		return nil, s.fault(s.off, fmt.Sprintf("brackets are nested more than %d deep", maxDepth), whyDeep,
			"flatten the value")
	case c == '{':
		v.Kind = Object
		f = s.sequence('}', func() *fault { return s.readMember(v, depth) })
		if f == nil {
			f = s.unique(v)
		}
	case c == '[':
		v.Kind = Array
		f = s.sequence(']', func() *fault {
			item, f := s.value(depth + 1)
			v.Items = append(v.Items, item)
			return f
		})
	case c == '"':
		v.Kind = Str
		v.Text, f = s.text()
	case c == '-' || '0' <= c && c <= '9':
		v.Kind = Number
		v.Text, f = s.number()
	default:
		f = s.word(v)
	}
	v.end = s.off
	return v, f
}

// sequence reads what stands between brackets, one item at a time.
func (s *scanner) sequence(end byte, item func() *fault) *fault {
	s.off++
	line, col := 0, 0 // of the comma read last
	for {
		if f := s.space(); f != nil {
			return f
		}
		if s.off < len(s.src) && s.src[s.off] == end {
			if line > 0 {
				return &fault{line, col, fmt.Sprintf("a comma with nothing between it and %q", end), WhyIgnored,
					"remove the comma"}
			}
			s.off++
			return nil
		}
		if f := item(); f != nil {
			return f
		}
		if f := s.space(); f != nil {
			return f
		}
		switch {
		case s.off < len(s.src) && s.src[s.off] == ',':
			line, col = s.place(s.off)
			s.off++
		case s.off < len(s.src) && s.src[s.off] == end:
			s.off++
			return nil
		default:
			return s.expected(fmt.Sprintf("a comma or %q", end))
		}
	}
}

func (s *scanner) readMember(v *Value, depth int) *fault {
	m := Member{start: s.off}
	m.Line, m.Col = s.place(s.off)
	if s.off >= len(s.src) || s.src[s.off] != '"' {
		return s.expected("a key in double quotes")
	}
	var f *fault
	if m.Key, f = s.text(); f != nil {
		return f
	}
	m.end = s.off
	if f := s.space(); f != nil {
		return f
	}
	if s.off >= len(s.src) || s.src[s.off] != ':' {
		return s.expected("a colon after the key")
	}
	s.off++
	if f := s.space(); f != nil {
		return f
	}
	m.Value, f = s.value(depth + 1)
	v.Members = append(v.Members, m)
	return f
}

// maxKnownDepth is the nesting up to which versions agree: 2.1.329 ignores what
// is deeper, 2.1.324 drops the file.
const maxKnownDepth = 5000

// passes goes behind the brackets at off, and says whether they end and are no deeper
// than versions agree.
func (s *scanner) passes(depth int) bool {
	for at, open := s.off, 0; at < len(s.src); at++ {
		switch s.src[at] {
		case '"':
			for at++; at < len(s.src) && s.src[at] != '"'; at++ {
				if s.src[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			if open++; depth+open-1 > maxKnownDepth {
				return false
			}
		case '}', ']':
			if open--; open == 0 {
				s.off = at + 1
				return true
			}
		}
	}
	return false
}

// unique refuses an object in which a key stands twice, however it is spelled.
func (s *scanner) unique(v *Value) *fault {
	at := make(map[string]int, len(v.Members))
	for i, m := range v.Members {
		if first, twice := at[m.Key]; twice && !s.lenient {
			return &fault{m.Line, m.Col, fmt.Sprintf("duplicate key %q in one object, first on line %d", m.Key,
				v.Members[first].Line), whyTwice, "remove one of the two"}
		}
		at[m.Key] = i
	}
	i := -1
	v.Members = slices.DeleteFunc(v.Members, func(m Member) bool { i++; return at[m.Key] != i })
	return nil
}

func (s *scanner) text() (string, *fault) {
	start, plain := s.off, true
	for s.off++; s.off < len(s.src); s.off++ {
		switch c := s.src[s.off]; {
		case c == '"':
			s.off++
			if plain {
				return string(s.src[start+1 : s.off-1]), nil
			}
			var text string
			if err := json.Unmarshal(s.src[start:s.off], &text); err != nil {
				return "", s.fault(start, "a string with a broken escape: "+err.Error(), WhyIgnored, "correct the string")
			}
			return text, nil
		case c == '\\':
			plain = false
			s.off++
		case c < ' ':
			return "", s.fault(s.off, fmt.Sprintf("the character %q is not allowed in a string", rune(c)), WhyIgnored,
				"write it as an escape, or close the string before it")
		}
	}
	s.off = len(s.src)
	return "", s.expected(`the closing '"' of a string`)
}

func (s *scanner) number() (string, *fault) {
	start := s.off
	digits := func() bool {
		from := s.off
		for s.off < len(s.src) && '0' <= s.src[s.off] && s.src[s.off] <= '9' {
			s.off++
		}
		return s.off > from
	}
	one := func(set string) bool {
		for i := range len(set) {
			if s.off < len(s.src) && s.src[s.off] == set[i] {
				s.off++
				return true
			}
		}
		return false
	}
	one("-")
	ok := one("0") || digits()
	if ok && one(".") {
		ok = digits()
	}
	if ok && one("eE") {
		one("+-")
		ok = digits()
	}
	if !ok {
		return "", s.expected("a digit")
	}
	return string(s.src[start:s.off]), nil
}

func (s *scanner) word(v *Value) *fault {
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(s.src[s.off:], []byte(word)) {
			s.off += len(word)
			if word == "null" {
				v.Kind = Null
			} else {
				v.Kind, v.Text = Bool, word
			}
			return nil
		}
	}
	return s.expected("a value")
}
