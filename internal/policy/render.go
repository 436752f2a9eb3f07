// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the same entries give the same bytes, keys in the order in
// which they first appear, and a reader sees one value a line.

package policy

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// member is one key of a document that is being written: an object, an array
// or a scalar.
type member struct {
	name  string
	kids  []*member
	items []any
	array bool
	value any
}

func (m *member) kid(name string) *member {
	for _, k := range m.kids {
		if k.name == name {
			return k
		}
	}
	k := &member{name: name}
	m.kids = append(m.kids, k)
	return k
}

// render writes entries as a settings document.
func render(entries []Entry) []byte {
	root := &member{}
	for _, e := range entries {
		m := root
		for name := range strings.SplitSeq(e.Key, ".") {
			m = m.kid(name)
		}
		switch shapes[e.Key] {
		case manyTexts, manyTables:
			m.array = true
			if _, empty := e.Value.([]any); !empty {
				m.items = append(m.items, e.Value)
			}
		default:
			m.value = e.Value
		}
	}
	var b bytes.Buffer
	root.write(&b, "")
	b.WriteByte('\n')
	return b.Bytes()
}

// write writes the member's value; indent is that of its own line.
func (m *member) write(b *bytes.Buffer, indent string) {
	switch {
	case m.array:
		block(b, indent, '[', ']', len(m.items), func(i int) { b.WriteString(inline(m.items[i])) })
	case m.value != nil:
		b.WriteString(inline(m.value))
	default:
		block(b, indent, '{', '}', len(m.kids), func(i int) {
			b.WriteString(inline(m.kids[i].name) + ": ")
			m.kids[i].write(b, indent+"  ")
		})
	}
}

// block writes n values between brackets, one a line.
func block(b *bytes.Buffer, indent string, from, to byte, n int, value func(int)) {
	b.WriteByte(from)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + indent + "  ")
		value(i)
	}
	if n > 0 {
		b.WriteString("\n" + indent)
	}
	b.WriteByte(to)
}

// inline writes a value on one line; an object begins with what names it.
func inline(v any) string {
	if m, ok := v.(map[string]any); ok {
		rank := map[string]int{"path": -2, "name": -2, "mode": -1}
		names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
			if d := rank[a] - rank[b]; d != 0 {
				return d
			}
			return strings.Compare(a, b)
		})
		var parts []string
		for _, name := range names {
			parts = append(parts, inline(name)+": "+inline(m[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // && and < stay readable
	_ = enc.Encode(v)        // v was decoded from JSON or TOML: it has a JSON form
	return strings.TrimSuffix(b.String(), "\n")
}
