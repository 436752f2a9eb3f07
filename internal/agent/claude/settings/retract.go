// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what one change added to a document is taken out of what the
// document is now; what somebody wrote before or after it stays.

package settings

import "slices"

// Retract returns the text of now without what differs between before and after,
// two states that the same document had: entries that were added go, a value that
// was replaced is again what it was. What was changed once more since stays. The
// error is a *report.Error.
func Retract(now, before, after *Doc) ([]byte, error) {
	r := retractor{now}
	if err := r.object(nil, before.Root, after.Root); err != nil {
		return nil, err
	}
	return r.now.Bytes(), nil
}

// Blank says whether a document holds no setting: an object without a member, or
// nothing.
func Blank(b []byte) bool {
	doc, err := Parse("", b)
	return err == nil && len(doc.Root.Members) == 0
}

type retractor struct{ now *Doc }

// object takes back the members of after, an object at path; before is what was
// there, an object or nil.
func (r *retractor) object(path []string, before, after *Value) error {
	for _, m := range after.Members {
		if err := r.member(below(path, m.Key), before.Get(m.Key), m.Value); err != nil {
			return err
		}
	}
	return nil
}

func (r *retractor) member(path []string, before, after *Value) error {
	now := r.now.Get(path...)
	same := func(k Kind) bool { return now.Kind == k && after.Kind == k && (before == nil || before.Kind == k) }
	var err error
	switch {
	case now == nil, after.Equal(before):
		return nil
	case same(Object):
		err = r.object(path, before, after)
	case same(Array):
		err = r.items(path, before, after)
	case !now.Equal(after): // another value since
		return nil
	case before != nil:
		r.now, err = r.now.spliced(Set(path, before))
		return err
	default:
		return r.drop(path)
	}
	if err == nil && before == nil && len(r.now.Get(path...).entries()) == 0 {
		err = r.drop(path)
	}
	return err
}

// items takes back the elements that after has and before has not.
func (r *retractor) items(path []string, before, after *Value) error {
	has := func(list *Value, v *Value) bool { return slices.ContainsFunc(ItemsOf(list), v.Equal) }
	now := r.now.Get(path...)
	goes := func(i int) bool { return has(after, now.Items[i]) && !has(before, now.Items[i]) }
	next, err := r.now.without(path, goes)
	if err == nil {
		r.now = next
	}
	return err
}

// drop takes the member at path out.
func (r *retractor) drop(path []string) error {
	at, key := path[:len(path)-1], path[len(path)-1]
	members := r.now.Get(at...)
	next, err := r.now.without(at, func(i int) bool { return members.Members[i].Key == key })
	if err == nil {
		r.now = next
	}
	return err
}
