// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: after a splice the document says what it said before and
// what the edits say, nothing else, and every byte outside the edits is where
// it was. A result that does not is an error, never a file.

package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/report"
)

// Edit is one change of a document: made by Set or Append.
type Edit struct {
	path   []string
	append bool
	values []*Value
}

// Set puts v at path, in place of what is there. Objects on the way that are
// missing are created.
func Set(path []string, v *Value) Edit { return Edit{path: path, values: []*Value{v}} }

// Append puts items at the end of the array at path, which is created if it
// is missing.
func Append(path []string, items ...*Value) Edit {
	return Edit{path: path, append: true, values: items}
}

// Splice returns the text of d with the edits made, in their order; an absent
// file becomes a new document. The error is a *report.Error: exit code 65
// where a value on the way has another type than the edit needs or a string
// is not UTF-8, 70 where the result is not the intended one.
func Splice(d *Doc, edits []Edit) ([]byte, error) {
	after, err := d.spliced(edits...)
	if err != nil {
		return nil, err
	}
	return after.Bytes(), nil
}

func (d *Doc) spliced(edits ...Edit) (after *Doc, err error) {
	after = d
	for _, e := range edits {
		body, err := after.begun().apply(e)
		if err != nil {
			return nil, err
		}
		if after, err = d.with(body, "after changing "+KeyPath(e.path)); err != nil {
			return nil, err
		}
	}
	whole := d.blank && len(edits) == 1 && len(edits[0].path) == 0 && !edits[0].append
	if whole && after.made.Load().same(edits[0].values[0]) {
		return after, nil // the same text was made of the same value before
	}
	became, err := d.became(after, "after the change", func(was any) any {
		for _, e := range edits {
			was = e.made(was, e.path)
		}
		return was
	})
	if whole && err == nil {
		after.made.Store(edits[0].values[0])
	}
	return became, err
}

// same says whether both are written alike, to the order of keys and the spelling of numbers.
func (v *Value) same(w *Value) bool {
	return v != nil && v.Kind == w.Kind && v.Text == w.Text && slices.EqualFunc(v.Items, w.Items, (*Value).same) &&
		slices.EqualFunc(v.Members, w.Members, func(a, b Member) bool { return a.Key == b.Key && a.Value.same(b.Value) })
}

// with is d with another body. what is done begins the sentence about one that is no
// document.
func (d *Doc) with(body []byte, what string) (*Doc, error) {
	if d.Style.BOM {
		body = slices.Concat(bom, body)
	}
	after, err := Parse(d.Path, body)
	if err != nil {
		return nil, d.unintended(what, err)
	}
	return after, nil
}

// became is after, if encoding/json reads in it what made makes of what it reads in d:
// without the positions and the scan that an edit relies on.
func (d *Doc) became(after *Doc, what string, made func(was any) any) (*Doc, error) {
	was, err := d.decoded()
	is, again := after.decoded()
	if err = errors.Join(err, again); err != nil || !reflect.DeepEqual(is, made(was)) {
		return nil, d.unintended(what, err)
	}
	return after, nil
}

func (d *Doc) unintended(what string, err error) error {
	return &report.Error{Code: report.ExitInternal, Where: d.Path, Err: err,
		What: what + " the file would not say what was intended",
		Why:  "so nothing is written", Next: "please report this, with the file if you can"}
}

// begun is d, or in place of a document without text an empty object to write
// into.
func (d *Doc) begun() *Doc {
	if !d.blank {
		return d
	}
	text := "{}" + d.Style.Newline
	return &Doc{Path: d.Path, Style: d.Style, body: []byte(text), Root: &Value{Kind: Object, Line: 1, Col: 1, end: 2}}
}

// apply returns the body with one edit made.
func (d *Doc) apply(e Edit) ([]byte, error) {
	if err := d.writable(e); err != nil {
		return nil, err
	}
	v, found := d.Root, 0
	for ; found < len(e.path); found++ {
		child := v.Get(e.path[found])
		if child == nil {
			break
		}
		v = child
	}
	switch missing := e.path[found:]; {
	case len(missing) > 0 && v.Kind != Object:
		return nil, d.wrongType(e.path[:found], v, Object)
	case len(missing) > 0:
		return d.replace(v, d.grown(v, []Member{Pair(missing[0], e.created(missing[1:]))})), nil
	case !e.append:
		indent := inline
		if !d.Style.OneLine {
			indent = d.lineIndent(v.start)
		}
		return d.replace(v, d.Style.render(e.values[0], indent)), nil
	case v.Kind != Array:
		return nil, d.wrongType(e.path, v, Array)
	case len(e.values) == 0:
		return d.body, nil
	}
	items := make([]Member, len(e.values))
	for i, item := range e.values {
		items[i] = Pair("", item)
	}
	return d.replace(v, d.grown(v, items)), nil
}

// created is the value of an edit below keys that do not exist yet.
func (e Edit) created(path []string) *Value {
	v := List(e.values...)
	if !e.append {
		v = e.values[0]
	}
	for _, key := range slices.Backward(path) {
		v = Dict(Pair(key, v))
	}
	return v
}

func (d *Doc) wrongType(path []string, v *Value, want Kind) error {
	return &report.Error{Code: report.ExitMalformed, Where: d.Where(v),
		What: fmt.Sprintf("%s is %s; %s is needed here", KeyPath(path), v.Kind, want),
		Why:  "nothing can be added to it, and what it was meant to say is unknown", Next: "correct or remove it"}
}

// writable refuses text that JSON cannot hold: a path on disk may be any
// bytes.
func (d *Doc) writable(e Edit) error {
	texts := slices.Clone(e.path)
	for _, v := range e.values {
		texts = v.texts(texts)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return &report.Error{Code: report.ExitMalformed, Where: d.Path,
				What: fmt.Sprintf("%q is not UTF-8 and not allowed in a settings file", text),
				Why:  "the runtime would read another name in its place", Next: "rename it"}
		}
	}
	return nil
}

// texts appends every key and string of v.
func (v *Value) texts(list []string) []string {
	list = append(list, v.Text)
	for _, item := range v.Items {
		list = item.texts(list)
	}
	for _, m := range v.Members {
		list = m.Value.texts(append(list, m.Key))
	}
	return list
}

func (d *Doc) replace(v *Value, raw string) []byte {
	return slices.Concat(d.body[:v.start], []byte(raw), d.body[v.end:])
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
func (v *Value) plain() any {
	switch v.Kind {
	case Object:
		m := map[string]any{}
		for _, member := range v.Members {
			m[member.Key] = member.Value.plain()
		}
		return m
	case Array:
		list := []any{}
		for _, item := range v.Items {
			list = append(list, item.plain())
		}
		return list
	case Number:
		return json.Number(v.Text)
	case Bool:
		return v.True()
	case Str:
		return v.Text
	}
	return nil
}
