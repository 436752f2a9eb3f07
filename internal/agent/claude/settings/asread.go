// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what Parse refuses and the runtime has in force all the
// same is read as the runtime reads it, and that it was refused is said beside
// it. What follows was measured with 2.1.324 and 2.1.329.

package settings

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf16"

	"github.com/steward-setup/steward-setup/internal/report"
)

// maxKnownDepth is the nesting up to which versions agree: 2.1.329 ignores what
// is deeper, 2.1.324 drops the file.
const maxKnownDepth = 5000

// Kept says whether an error of Parse is about a file that the runtime does
// not drop: nobody who edits it may guess, and nobody who judges it may say
// that nothing of it is in force.
func Kept(err error) bool {
	e, ok := errors.AsType[*report.Error](err)
	return ok && slices.Contains([]string{whyTwice, whyEncoding, whyDeep, whyMany}, e.Why)
}

// Read reads a settings file as the runtime does. doubt is what Parse refuses
// in it, nil if nothing: the document is then what the runtime takes, at the
// same places, and not what the file says. The error is Parse's.
func Read(path string, b []byte) (d *Doc, doubt, err error) {
	d, err = Parse(path, b)
	if err == nil || !Kept(err) {
		return d, nil, err
	}
	text, known := asRead(b)
	if !known {
		return nil, nil, err
	}
	d, again := Parse(path, text)
	switch {
	case again == nil:
		return d, err, nil
	case Kept(again):
		return nil, nil, err
	}
	return nil, nil, again
}

// asRead is a file's text with what the runtime does not see blanked out, so
// that places stay the same: of two members of one key the first, and values
// that are nested too deep. known is false if versions differ.
func asRead(b []byte) (text []byte, known bool) {
	text = decoded(b)
	w := blanker{text: text}
	w.walk()
	return w.text, w.deepest <= maxKnownDepth
}

// decoded is a file's text: UTF-16 with its mark if it begins with that of the
// little-endian form, else UTF-8, in which each byte of no character is U+FFFD.
func decoded(b []byte) []byte {
	if !bytes.HasPrefix(b, []byte("\xff\xfe")) {
		return bytes.TrimPrefix([]byte(string([]rune(string(b)))), bom)
	}
	units := make([]uint16, 0, len(b)/2)
	for b = b[2:]; len(b) >= 2; b = b[2:] {
		units = append(units, binary.LittleEndian.Uint16(b))
	}
	return []byte(string(utf16.Decode(units)))
}

// blanker goes over a text once. It understands as much of JSON as it needs;
// what is malformed stays, and Parse says it.
type blanker struct {
	text    []byte
	open    []container
	deepest int
	deep    int // where what is too deep begins
}

// container is an object or array that is open.
type container struct {
	members map[string]int // of an object: where the last of each key begins
	wants   bool           // a key comes next
}

func (w *blanker) walk() {
	for i := 0; i < len(w.text); i++ {
		switch c := w.text[i]; c {
		case '"':
			end := endOfString(w.text, i)
			w.key(i, end)
			i = end - 1
		case '{', '[':
			w.open = append(w.open, container{wants: c == '{'})
			if c == '{' {
				w.open[len(w.open)-1].members = map[string]int{}
			}
			w.deepest = max(w.deepest, len(w.open))
			if len(w.open) == maxDepth+1 {
				w.deep = i
			}
		case '}', ']':
			if len(w.open) == maxDepth+1 {
				w.blank(w.deep, i+1)
				w.text[w.deep] = '0' // a container is a value too deep for Parse
			}
			if len(w.open) > 0 {
				w.open = w.open[:len(w.open)-1]
			}
		case ',':
			if n := len(w.open); n > 0 && w.open[n-1].members != nil {
				w.open[n-1].wants = true
			}
		}
	}
}

// key notes a member that begins with the string at start, and blanks the
// member of the same key before it, with its comma.
func (w *blanker) key(start, end int) {
	n := len(w.open)
	if n == 0 || n > maxDepth || !w.open[n-1].wants {
		return
	}
	at := &w.open[n-1]
	at.wants = false
	var name string
	if json.Unmarshal(w.text[start:end], &name) != nil {
		return
	}
	if before, twice := at.members[name]; twice {
		w.blank(before, w.endOfMember(before))
	}
	at.members[name] = start
}

// endOfMember is the place behind the comma that ends the member at start.
func (w *blanker) endOfMember(start int) int {
	depth := 0
	for i := start; i < len(w.text); i++ {
		switch w.text[i] {
		case '"':
			i = endOfString(w.text, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				return i + 1
			}
		}
	}
	return start
}

// blank puts spaces in the place of characters; lines stay.
func (w *blanker) blank(from, to int) {
	for i := from; i < to; i++ {
		if w.text[i] != '\n' && w.text[i] != '\r' {
			w.text[i] = ' '
		}
	}
}

// endOfString is the place behind the string that begins at start.
func endOfString(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
