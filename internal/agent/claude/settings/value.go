// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a value keeps the order of its members and the place
// where it was read, and is never changed after it was made.

package settings

import (
	"strconv"
	"strings"
)

// Kind is the JSON type of a value.
type Kind uint8

// The kinds.
const (
	Null Kind = 1 << iota
	Bool
	Number
	Str
	Array
	Object
)

// String names the kind as a sentence does: "a string", "an object".
func (k Kind) String() string { return kinds[k] }

var kinds = map[Kind]string{Null: "null", Bool: "true or false", Number: "a number", Str: "a string",
	Array: "an array", Object: "an object"}

// Value is one JSON value. Those of a document have a line and a column, from
// 1 and the column in characters; those made here have neither.
type Value struct {
	Kind Kind
	// Text is the content of a string, the digits of a number as they were
	// written, or "true" or "false"; "" for the rest.
	Text string
	// Items are the elements of an array, Members those of an object.
	Items   []*Value
	Members []Member

	Line, Col  int
	start, end int // offsets in the document's body
}

// Member is one key of an object, with the place of the key.
type Member struct {
	Key        string
	Value      *Value
	Line, Col  int
	start, end int // of the key, quotes included
}

// entry is an element or a member, where its text begins.
type entry struct {
	start int
	value *Value
}

// entries lists what stands between the brackets of v.
func (v *Value) entries() []entry {
	list := make([]entry, 0, len(v.Items)+len(v.Members))
	for _, item := range v.Items {
		list = append(list, entry{item.start, item})
	}
	for _, m := range v.Members {
		list = append(list, entry{m.start, m.Value})
	}
	return list
}

// Element is the text s among those of an array, with or without a slash at its
// end; nil where it is none of them.
func (v *Value) Element(s string) *Value {
	for _, item := range ItemsOf(v) {
		if item.Kind == Str && strings.TrimSuffix(item.Text, "/") == s {
			return item
		}
	}
	return nil
}

// True says whether v is the value true; nil is not.
func (v *Value) True() bool { return v != nil && v.Kind == Bool && v.Text == "true" }

// False says whether v is the value false; nil is not.
func (v *Value) False() bool { return v != nil && v.Kind == Bool && v.Text == "false" }

// Get follows keys into objects and indexes ("0", "1") into arrays. It
// returns nil where nothing is, also for a nil v.
func (v *Value) Get(path ...string) *Value {
	for _, key := range path {
		if v == nil {
			return nil
		}
		switch v.Kind {
		case Object:
			v = v.member(key)
		case Array:
			v = v.item(key)
		default:
			return nil
		}
	}
	return v
}

func (v *Value) member(key string) *Value {
	for _, m := range v.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// item returns the element that index names in the one way that is canonical,
// so that a path and a place never have two spellings.
func (v *Value) item(index string) *Value {
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(v.Items) || strconv.Itoa(i) != index {
		return nil
	}
	return v.Items[i]
}

// Equal says whether a and b decode to the same: members in any order, and
// numbers as the runtime reads them (1 and 1.0 are one number).
func (v *Value) Equal(w *Value) bool {
	if v == nil || w == nil {
		return v == w
	}
	if v.Kind != w.Kind || len(v.Items) != len(w.Items) || len(v.Members) != len(w.Members) {
		return false
	}
	if v.Kind == Number {
		a, errA := strconv.ParseFloat(v.Text, 64)
		b, errB := strconv.ParseFloat(w.Text, 64)
		return v.Text == w.Text || errA == nil && errB == nil && a == b
	}
	for i := range v.Items {
		if !v.Items[i].Equal(w.Items[i]) {
			return false
		}
	}
	for _, m := range v.Members {
		if !m.Value.Equal(w.member(m.Key)) {
			return false
		}
	}
	return v.Text == w.Text
}

// String makes a string.
func String(s string) *Value { return &Value{Kind: Str, Text: s} }

// Boolean makes true or false.
func Boolean(b bool) *Value { return &Value{Kind: Bool, Text: strconv.FormatBool(b)} }

// List makes an array.
func List(items ...*Value) *Value { return &Value{Kind: Array, Items: items} }

// Dict makes an object with the given members in their order.
func Dict(members ...Member) *Value { return &Value{Kind: Object, Members: members} }

// Pair makes a member for Dict.
func Pair(key string, v *Value) Member { return Member{Key: key, Value: v} }

// KeyPath writes a path for people: keys joined by dots, and in quotes where
// a key is not a plain word ("sandbox.filesystem.denyRead.0").
func KeyPath(path []string) string {
	words := make([]string, len(path))
	for i, key := range path {
		words[i] = key
		if key == "" || strings.ContainsFunc(key, func(r rune) bool { return !isWord(r) && r != '$' && r != '-' }) {
			words[i] = strconv.Quote(key)
		}
	}
	return strings.Join(words, ".")
}

// isWord says whether r needs no quotes in a key path.
func isWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// Shown is a value for people.
func Shown(v *Value) string {
	if v.Kind == Str || v.Kind == Bool {
		return v.Text
	}
	return v.Kind.String()
}

// TextOf is the text of a value; "" for nil.
func TextOf(v *Value) string {
	if v == nil {
		return ""
	}
	return v.Text
}

// TextsOf are the texts of the elements of an array; none of anything else.
func TextsOf(v *Value) (texts []string) {
	for _, item := range ItemsOf(v) {
		texts = append(texts, item.Text)
	}
	return texts
}

// ItemsOf are the elements of an array; none of anything else.
func ItemsOf(v *Value) []*Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// MembersOf are the members of an object; none of anything else.
func MembersOf(v *Value) []Member {
	if v == nil || v.Kind != Object {
		return nil
	}
	return v.Members
}
