// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a merge adds. What the user wrote differently is a
// conflict that only the user decides, and stays as it is until then; nothing
// is ever removed or moved.

package settings

import (
	"slices"
	"strconv"
)

// Conflict is a value that the user has and the wanted document has
// differently; one of the two may be an object where the other is not. Have is
// that of the file before the merge.
type Conflict struct {
	Path       []string
	Have, Want *Value
	// Taken says that the user decided for Want.
	Taken bool
}

// Fact is a single value with its key path: a scalar, an element of an array, or
// an empty array or object.
type Fact struct {
	Path  []string
	Value *Value
}

// Merged is the outcome of a merge.
type Merged struct {
	// After is the file's new text; the old one, byte for byte, if nothing
	// was added and no conflict was taken.
	After []byte
	// Added has its places in After, Kept in the file before: what of the
	// wanted document was there already.
	Added, Kept []Fact
	Conflicts   []Conflict
}

// Merge unites have with want: objects member by member; arrays by adding
// what is missing at the end, in want's order. An entry of an array that has
// an identity of its own (a credential by its name, a hook by event, matcher
// and command), and the status line, is one decision: it is completed where
// only keys are missing, and a conflict as a whole where it differs.
//
// decide is asked once for each conflict and answers true to take want's
// value; nil keeps the user's. Where the user's value has another type than
// want's, the conflict is the same: taking it replaces the whole value. A
// document that the runtime drops stays one that it drops, so callers Check
// have first. The error is that of Splice.
func Merge(have, want *Doc, decide func(Conflict) bool) (Merged, error) {
	if decide == nil {
		decide = func(Conflict) bool { return false }
	}
	m := &merger{before: have, doc: have, decide: decide}
	m.object(nil, want.Root)
	if m.err != nil {
		return Merged{}, m.err
	}
	m.out.After = m.doc.Bytes()
	var added []Fact
	for _, f := range m.out.Added {
		// A conflict taken later may have replaced it.
		if v := m.doc.Get(f.Path...); v.Equal(f.Value) {
			added = append(added, Fact{f.Path, v})
		}
	}
	m.out.Added = added
	return m.out, nil
}

// merger makes one edit after the other on doc; the first error ends it.
type merger struct {
	before, doc *Doc
	decide      func(Conflict) bool
	out         Merged
	err         error
}

func (m *merger) edit(e Edit) {
	if m.err != nil {
		return
	}
	next, err := m.doc.spliced(e)
	if m.err = err; err == nil {
		m.doc = next
	}
}

func (m *merger) object(path []string, want *Value) {
	for _, member := range want.Members {
		m.value(below(path, member.Key), member.Value)
	}
}

func (m *merger) value(path []string, want *Value) {
	if m.err != nil {
		return
	}
	have := m.doc.Get(path...)
	switch {
	case have == nil:
		m.edit(Set(path, want))
		m.added(path, want)
	case have.Kind == Array && want.Kind == Array:
		m.array(path, have, want)
	case have.Kind == Object && want.Kind == Object && !indivisible(path):
		m.object(path, want)
	case have.Equal(want):
		m.kept(path)
	case have.Kind == Object && want.Kind == Object && !differs(have, want):
		m.object(path, want)
	default:
		m.conflict(path, have, want)
	}
}

// array unites two arrays. New items are added together, so that the file
// gains them in one piece.
func (m *merger) array(path []string, have, want *Value) {
	if isHookEvent(path) {
		m.blocks(path, want)
		return
	}
	var fresh []*Value
	flush := func() {
		if len(fresh) > 0 {
			m.append(path, fresh)
			have, fresh = m.doc.Get(path...), nil
		}
	}
	for _, item := range want.Items {
		equal := func(v *Value) bool { return v.Equal(item) }
		same := func(v *Value) bool { return identical(path, v, item) }
		if slices.ContainsFunc(fresh, same) {
			flush()
		}
		if m.err != nil {
			return
		}
		if i := slices.IndexFunc(have.Items, equal); i >= 0 {
			m.kept(below(path, strconv.Itoa(i)))
		} else if i := slices.IndexFunc(have.Items, same); i >= 0 {
			m.value(below(path, strconv.Itoa(i)), item)
			have = m.doc.Get(path...)
		} else if !slices.ContainsFunc(fresh, equal) {
			fresh = append(fresh, item)
		}
	}
	flush()
}

// append adds items to the array at path, which exists.
func (m *merger) append(path []string, items []*Value) {
	n := len(m.doc.Get(path...).Items)
	m.edit(Append(path, items...))
	for i, item := range items {
		m.element(path, n+i, item)
	}
}

func (m *merger) conflict(path []string, have, want *Value) {
	if old := m.before.Get(path...); old != nil {
		have = old
	}
	c := Conflict{Path: path, Have: have, Want: want}
	c.Taken = m.decide(c)
	if c.Taken {
		m.edit(Set(path, want))
	}
	m.out.Conflicts = append(m.out.Conflicts, c)
}

func (m *merger) kept(path []string) {
	if v := m.before.Get(path...); v != nil {
		m.out.Kept = append(m.out.Kept, Fact{path, v})
	}
}

// element records a new element of the array at path.
func (m *merger) element(path []string, i int, item *Value) {
	m.out.Added = append(m.out.Added, Fact{Path: below(path, strconv.Itoa(i)), Value: item})
}

// added records the facts of a value that is new at path.
func (m *merger) added(path []string, v *Value) {
	switch {
	case v.Kind == Object && len(v.Members) > 0 && !indivisible(path):
		for _, member := range v.Members {
			m.added(below(path, member.Key), member.Value)
		}
	case v.Kind == Array && len(v.Items) > 0:
		for i, item := range v.Items {
			m.element(path, i, item)
		}
	default:
		m.out.Added = append(m.out.Added, Fact{Path: path, Value: v})
	}
}

// below is path with one more key; path itself is not shared with the result.
func below(path []string, key string) []string { return append(slices.Clone(path), key) }
