// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: taking strings out of an array leaves every other value,
// and every byte outside of the array, as it was.

package settings

import (
	"reflect"
	"slices"
)

// Without returns the text of d without these strings in the array at path;
// an array that gets empty stays. Where there is no such array, or none of
// them in it, it is the text of d. The error is a *report.Error.
func Without(d *Doc, path []string, texts ...string) ([]byte, error) {
	array := d.Root.Get(path...)
	if array == nil || array.Kind != Array {
		return d.Bytes(), nil
	}
	goes := func(v *Value) bool { return v.Kind == Str && slices.Contains(texts, v.Text) }
	body, items := d.body, array.Items
	for i := len(items) - 1; i >= 0; i-- {
		if !goes(items[i]) {
			continue
		}
		from, to := items[i].start, items[i].end
		switch {
		case i+1 < len(items):
			to = items[i+1].start
		case i > 0:
			from = items[i-1].end
		}
		body = slices.Concat(body[:from], body[to:])
		items = slices.Delete(slices.Clone(items), i, i+1)
	}
	if d.Style.BOM {
		body = slices.Concat(bom, body)
	}
	after, err := Parse(d.Path, body)
	if err != nil {
		return nil, d.unintended("without some of "+KeyPath(path), err)
	}
	want, err := d.decoded()
	if err != nil {
		return nil, d.unintended("before any change", err)
	}
	left := []any{}
	for _, v := range array.Items {
		if !goes(v) {
			left = append(left, v.plain())
		}
	}
	if got, err := after.decoded(); err != nil || !reflect.DeepEqual(got, replaced(want, path, left)) {
		return nil, d.unintended("without some of "+KeyPath(path), err)
	}
	return after.Bytes(), nil
}

// replaced puts list in the place of the array at path.
func replaced(at any, path []string, list []any) any {
	if len(path) == 0 {
		return list
	}
	if m, ok := at.(map[string]any); ok {
		m[path[0]] = replaced(m[path[0]], path[1:], list)
	}
	return at
}
