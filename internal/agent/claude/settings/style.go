// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: how a file is written is read from the file, and what is
// added to it is written the same way.

package settings

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/steward-setup/steward-setup/internal/jsontext"
)

// Style is how a file is written.
type Style struct {
	// Indent is what one level is indented by; Newline is "\n" or "\r\n".
	Indent, Newline string
	// BOM says that a byte order mark stands first, OneLine that the whole
	// document is one line.
	BOM, OneLine bool

	colon, comma string // with the spaces around them, within a line
}

// newFile is the style of a file that does not exist yet.
var newFile = Style{Indent: "  ", Newline: "\n", colon: ": ", comma: ", "}

// styleOf reads a document's style; what it does not show is as in newFile.
func styleOf(d *Doc) Style {
	st := newFile
	if end := bytes.IndexByte(d.body, '\n'); end > 0 && d.body[end-1] == '\r' {
		st.Newline = "\r\n"
	}
	if d.blank {
		return st
	}
	text := d.body[d.Root.start:d.Root.end]
	st.OneLine = len(d.Root.Members) > 0 && !bytes.ContainsRune(text, '\n')
	indent, colon := d.habits()
	st.Indent, st.colon = cmp.Or(indent, st.Indent), cmp.Or(colon, st.colon)
	st.comma = "," + st.colon[strings.IndexByte(st.colon, ':')+1:]
	return st
}

// habits returns the first indent and the first colon that the document
// shows, "" for what it does not show; outermost values come first.
func (d *Doc) habits() (indent, colon string) {
	queue := []*Value{d.Root}
	for len(queue) > 0 && (indent == "" || colon == "") {
		v := queue[0]
		queue = queue[1:]
		entries := v.entries()
		if len(entries) > 0 && indent == "" && d.startsLine(entries[0].start) {
			if deeper, ok := strings.CutPrefix(d.lineIndent(entries[0].start), d.lineIndent(v.start)); ok {
				indent = deeper
			}
		}
		if len(v.Members) > 0 && colon == "" {
			colon = oneLine(d.body[v.Members[0].end:v.Members[0].Value.start])
		}
		for _, e := range entries {
			if e.value.Kind == Object || e.value.Kind == Array {
				queue = append(queue, e.value)
			}
		}
	}
	return indent, colon
}

// oneLine returns what stands between two tokens, "" if a line ends there.
func oneLine(between []byte) string {
	if bytes.ContainsRune(between, '\n') {
		return ""
	}
	return string(between)
}

// lineStart returns the offset at which the line of off begins.
func (d *Doc) lineStart(off int) int { return bytes.LastIndexByte(d.body[:off], '\n') + 1 }

// lineIndent returns the white space with which the line of off begins.
func (d *Doc) lineIndent(off int) string {
	line := d.body[d.lineStart(off):off]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// startsLine says whether nothing but white space stands before off on its
// line, and another line before that.
func (d *Doc) startsLine(off int) bool {
	return bytes.HasSuffix(bytes.TrimRight(d.body[:off], " \t"), []byte("\n"))
}

// Inline is a value on one line, as in a file that does not exist yet.
func Inline(v *Value) string { return newFile.render(v, inline) }

// render writes v in this style: on lines of its own where a line begins with
// indent, or on one line if indent is inline.
func (st Style) render(v *Value, indent string) string {
	switch {
	case v.Kind == Str:
		return jsontext.Quote(v.Text)
	case v.Kind == Null:
		return "null"
	case v.Kind == Bool || v.Kind == Number:
		return v.Text
	}
	items := make([]string, 0, len(v.Items)+len(v.Members))
	deeper := indent + st.Indent
	if indent == inline {
		deeper = inline
	}
	for _, item := range v.Items {
		items = append(items, st.render(item, deeper))
	}
	for _, m := range v.Members {
		items = append(items, jsontext.Quote(m.Key)+st.colon+st.render(m.Value, deeper))
	}
	open, end := "{", "}"
	if v.Kind == Array {
		open, end = "[", "]"
	}
	switch {
	case len(items) == 0:
		return open + end
	case indent == inline:
		return open + strings.Join(items, st.comma) + end
	}
	return open + st.lines(items, deeper) + st.Newline + indent + end
}

// inline, as an indent, asks for one line.
const inline = "\x00"

func (st Style) lines(items []string, indent string) string {
	var b strings.Builder
	for i, item := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(st.Newline + indent + item)
	}
	return b.String()
}
