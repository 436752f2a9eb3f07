// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what an array or object already holds is copied as it
// stands. New entries follow the last one, each on a line of its own where
// the others have theirs; on its line where they share one and it stays short.

package settings

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/jsontext"
)

// lineWidth is the length in characters up to which a line that several
// entries share may grow.
const lineWidth = 100

// grown returns the text of the array or object c with entries added at its
// end; the keys of an array's are not used.
func (d *Doc) grown(c *Value, add []Member) string {
	st, raw := d.Style, string(d.body[c.start:c.end])
	texts := func(indent string) []string {
		list := make([]string, len(add))
		for i, m := range add {
			list[i] = st.render(m.Value, indent)
			if c.Kind == Object {
				list[i] = jsontext.Quote(m.Key) + st.colon + list[i]
			}
		}
		return list
	}
	outer := d.lineIndent(c.start)
	inner := outer + st.Indent
	entries := c.entries()
	if len(entries) == 0 {
		open, end := raw[:1], raw[len(raw)-1:]
		if st.OneLine {
			return open + strings.Join(texts(inline), st.comma) + end
		}
		return open + st.lines(texts(inner), inner) + st.Newline + outer + end
	}
	last := entries[len(entries)-1].value
	head, tail := raw[:last.end-c.start], raw[last.end-c.start:]
	if indent, own := d.ownLines(entries); own || strings.ContainsRune(tail, '\n') {
		if !own {
			indent = inner
		}
		return head + "," + st.lines(texts(indent), indent) + tail
	}
	comma := st.comma
	if n := len(entries); n > 1 {
		comma = cmp.Or(oneLine(d.body[entries[n-2].value.end:entries[n-1].start]), comma)
	}
	if bytes.ContainsRune(d.body[last.start:last.end], '\n') {
		// "[{" and "}]" share lines with what is outside: so will "}, {".
		return head + comma + strings.Join(texts(d.lineIndent(last.end)), comma) + tail
	}
	added := comma + strings.Join(texts(inline), comma)
	if st.OneLine || d.lineLength(last.end)+utf8.RuneCountInString(added) <= lineWidth {
		return head + added + tail
	}
	return head + "," + st.lines(texts(inner), inner) + st.Newline + outer + strings.TrimLeft(tail, " \t\r")
}

// ownLines returns the indent of the last entry that begins a line, if any
// does.
func (d *Doc) ownLines(entries []entry) (indent string, own bool) {
	for _, e := range slices.Backward(entries) {
		if d.startsLine(e.start) {
			return d.lineIndent(e.start), true
		}
	}
	return "", false
}

func (d *Doc) lineLength(off int) int {
	line, _, _ := bytes.Cut(d.body[d.lineStart(off):], []byte("\n"))
	return utf8.RuneCount(line)
}
