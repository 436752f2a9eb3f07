// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package settings knows the agent runtime's settings files: how they are
// read, which of several scopes wins, what the runtime throws away, and how
// to add to one without disturbing the rest.
//
// Contract: bytes in, bytes out. Nothing here reads, writes, or asks for the
// environment; the callers name the paths and bring the bytes.
//
//   - Parse accepts strict JSON of bounded size and depth and nothing else.
//     Problems says what the runtime would drop from an accepted document,
//     and Check refuses a document that it would drop whole.
//   - Combine puts the documents of all scopes together and answers with
//     provenance: which value is in force, where it stands, what it overrules.
//   - Splice changes the text of a document where it is told to and leaves
//     every other byte alone; Merge and WireHook work out what to change.
//
// Splicing. A scan of our own keeps the position of every value. The new text
// of an array or object is built from it in the file's own style, and put in
// place by position. Afterwards encoding/json decodes both documents, and only
// what the edits say may differ (docs/adr/0002-settings-are-spliced.md).
//
// What this package says of the runtime was measured with Claude Code 2.1.329
// on Linux; the tests that need it ask the real one again.
package settings

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/jsontext"
	"github.com/steward-setup/steward-setup/internal/report"
)

// The bounds of a document: in bytes, in brackets, and in values, so that a
// hostile file of single digits does not take a hundred times its size.
const (
	maxSize   = 4 << 20
	maxDepth  = 200
	maxValues = 100_000
)

// Why a document is refused: what the runtime does with it (measured).
const (
	WhyIgnored  = "the runtime silently ignores the whole file: no sandbox, no deny rules"
	whyTwice    = "the runtime takes the last one, an editor shows the first; which of them protects depends on who reads"
	whyEncoding = "the runtime reads other characters in their place, so that a path or a rule may name something else"
	whyDeep     = "the runtime ignores what is nested more than 64 deep; a reader that goes on may be brought down"
	whyMany     = "the runtime has it in force, and reading all of it here would hold up every tool call"
	smaller     = "make the file smaller"
	whySize     = "no settings file that a person wrote is as large, and reading it would hold up every tool call"
)

var bom = []byte("\ufeff")

// Doc is a settings file that was understood.
type Doc struct {
	// Path is the file's, as it is shown to the user.
	Path string
	// Root is the document, an object. A file that is absent or empty is
	// an empty object: so the runtime takes it (measured).
	Root *Value
	// Style is how the file is written.
	Style Style

	body  []byte // what follows the byte order mark
	blank bool   // there is no text: absent, empty, or only white space

	values int // how many there are in it

	judged   sync.Once
	problems []Problem

	made atomic.Pointer[Value] // what encoding/json read in it, if it was made of that alone
}

// Parse reads a settings file; b is nil where there is none. The error is a
// *report.Error with exit code 65 and the place as "path:line:col". The same
// text at the same path is the same document: it is read once.
func Parse(path string, b []byte) (*Doc, error) {
	return remembered.doc(path, b, func(path string, b []byte) (*Doc, error) { return parse(path, b, false) })
}

// parse reads a text, with lenient as the runtime does (Read).
func parse(path string, b []byte, lenient bool) (*Doc, error) {
	refuse := func(f *fault) error {
		where := path
		if f.line > 0 {
			where = fmt.Sprintf("%s:%d:%d", path, f.line, f.col)
		}
		return &report.Error{Code: report.ExitMalformed, What: f.what, Where: where, Why: f.why, Next: f.next}
	}
	if len(b) > maxSize {
		return nil, refuse(&fault{what: fmt.Sprintf("%d bytes, more than %d", len(b), maxSize), why: whySize,
			next: smaller})
	}
	body := bytes.TrimPrefix(b, bom)
	if f := encoding(body); f != nil {
		return nil, refuse(f)
	}
	d := &Doc{Path: path, body: body}
	d.blank = len(bytes.Trim(body, " \t\r\n")) == 0
	d.Root = &Value{Kind: Object, Line: 1, Col: 1}
	if !d.blank {
		root, values, f := scan(body, lenient)
		if f != nil {
			return nil, refuse(f)
		}
		if root.Kind != Object {
			return nil, refuse(&fault{root.Line, root.Col, "the document is " + root.Kind.String() + ", not an object",
				WhyIgnored, "put the settings between { and }"})
		}
		d.Root, d.values = root, values
	}
	d.Style = styleOf(d)
	d.Style.BOM = len(body) < len(b)
	return d, nil
}

func encoding(body []byte) *fault {
	for off := 0; off < len(body); {
		r, size := utf8.DecodeRune(body[off:])
		if r == utf8.RuneError && size == 1 {
			s := &scanner{src: body, line: 1, col: 1}
			return s.fault(off, "bytes that are not UTF-8", whyEncoding, "save the file as UTF-8")
		}
		off += size
	}
	return nil
}

// Bytes returns the file as it was read; nil if there was none.
func (d *Doc) Bytes() []byte {
	if d.Style.BOM {
		return append(bytes.Clone(bom), d.body...)
	}
	return d.body
}

// Only returns a document of one of its keys, with the value at the same place.
func (d *Doc) Only(key string) (*Doc, error) {
	v := d.Get(key)
	if v == nil {
		return Parse(d.Path, nil)
	}
	before := "{" + jsontext.Quote(key) + ":"
	above, left := strings.Repeat("\n", v.Line-1), v.Col-1
	if v.Line == 1 {
		left -= utf8.RuneCountInString(before)
	}
	one, _, err := Read(d.Path, slices.Concat([]byte(before+above+strings.Repeat(" ", max(left, 0))),
		d.body[v.start:v.end], []byte("}")))
	return one, err
}

// Get returns the value at a key path, or nil.
func (d *Doc) Get(path ...string) *Value { return d.Root.Get(path...) }

// WhereKey is Where for the key of a member.
func (d *Doc) WhereKey(m Member) string { return d.Where(&Value{Line: m.Line, Col: m.Col}) }

// Where names the place of a value of this document: "path:line:col", or "path:line" of
// one without a column.
func (d *Doc) Where(v *Value) string {
	return strings.TrimSuffix(fmt.Sprintf("%s:%d:%d", d.Path, v.Line, v.Col), ":0")
}
