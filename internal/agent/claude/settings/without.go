// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: taking entries out of an array or object leaves every other
// value, and every byte outside of it, as it was.

package settings

import "slices"

// Without returns the text of d without these strings in the array at path;
// an array that gets empty stays. Where there is no such array, or none of
// them in it, it is the text of d. The error is a *report.Error.
func Without(d *Doc, path []string, texts ...string) ([]byte, error) {
	items := ItemsOf(d.Root.Get(path...))
	if items == nil {
		return d.Bytes(), nil
	}
	after, err := d.without(path, func(i int) bool {
		v := items[i]
		return v.Kind == Str && slices.Contains(texts, v.Text)
	})
	if err != nil {
		return nil, err
	}
	return after.Bytes(), nil
}

// without is d without the entries of the array or object at path that go, by
// their index. The error is a *report.Error.
func (d *Doc) without(path []string, goes func(i int) bool) (*Doc, error) {
	c := d.Root.Get(path...)
	body, entries := d.body, c.entries()
	for last := len(entries) - 1; last >= 0; last-- { // from the end, so that earlier places stay right
		if !goes(last) {
			continue
		}
		first := last // of those beside each other that go
		for first > 0 && goes(first-1) {
			first--
		}
		from, to := entries[first].start, entries[last].value.end
		switch {
		case last+1 < len(entries):
			to = entries[last+1].start
		case first > 0:
			from = entries[first-1].value.end
		}
		body, last = slices.Concat(body[:from], body[to:]), first
	}
	what := "without some of " + KeyPath(path)
	after, err := d.with(body, what)
	if err != nil {
		return nil, err
	}
	return d.became(after, what, func(was any) any { return removed(was, path, c, goes) })
}

// removed is v, a decoded document, without the entries of c, its value at path, that go.
func removed(v any, path []string, c *Value, goes func(i int) bool) any {
	switch v := v.(type) {
	case map[string]any:
		if len(path) > 0 {
			v[path[0]] = removed(v[path[0]], path[1:], c, goes)
			return v
		}
		for i, member := range c.Members {
			if goes(i) {
				delete(v, member.Key)
			}
		}
	case []any:
		i := -1
		return slices.DeleteFunc(v, func(any) bool { i++; return goes(i) })
	}
	return v
}
