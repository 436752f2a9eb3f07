// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether a splice did what was asked is judged on decoded
// documents alone, by encoding/json, without the positions and the scan that
// the splice itself relied on.

package settings

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
)

// confirm applies the edits to the decoded document before and compares the
// outcome with the decoded document after.
func (d *Doc) confirm(edits []Edit, after *Doc) error {
	want, err := d.decoded()
	if err != nil {
		return d.unintended("before any change", err)
	}
	for _, e := range edits {
		want = e.made(want, e.path)
	}
	got, err := after.decoded()
	if err != nil || !reflect.DeepEqual(got, want) {
		return d.unintended("after the change", err)
	}
	return nil
}

// decoded is the document as encoding/json understands it.
func (d *Doc) decoded() (any, error) {
	if d.blank {
		return map[string]any{}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(d.body))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

// made returns the decoded value at with the edit made below it.
func (e Edit) made(at any, path []string) any {
	if len(path) == 0 {
		if list, ok := at.([]any); ok && e.append {
			for _, item := range e.values {
				list = append(list, item.plain())
			}
			return list
		}
		return e.created(nil).plain()
	}
	switch at := at.(type) {
	case map[string]any:
		if child, ok := at[path[0]]; ok {
			at[path[0]] = e.made(child, path[1:])
		} else {
			at[path[0]] = e.created(path[1:]).plain()
		}
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil && 0 <= i && i < len(at) {
			at[i] = e.made(at[i], path[1:])
		}
	}
	return at
}

// plain is v as encoding/json decodes it, numbers as they are written.
func (v *Value) plain() any { return v.decoded(func(digits string) any { return json.Number(digits) }) }
