// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a decoded document is looked into without believing its
// types; what has the wrong one is not there.

package policy

import (
	"reflect"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// at returns what stands at a dotted key of a decoded document, or nil.
func at(doc map[string]any, key string) any {
	var v any = doc
	for name := range strings.SplitSeq(key, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

// elements returns the array at key.
func elements(doc map[string]any, key string) []any {
	a, _ := at(doc, key).([]any)
	return a
}

// Lacks says whether a document has no element of an array.
func Lacks(doc map[string]any, key claude.KeyPath) bool { return len(elements(doc, key.String())) == 0 }

// texts returns the strings of the array at key.
func texts(doc map[string]any, key string) []string {
	var ss []string
	for _, v := range elements(doc, key) {
		if s, ok := v.(string); ok {
			ss = append(ss, s)
		}
	}
	return ss
}

// has says whether a document holds the entry as it is written.
func has(doc map[string]any, e Entry) bool {
	if s := shapes[e.Key]; s == oneFlag || s == oneText {
		return at(doc, e.Key) == e.Value
	}
	return slices.ContainsFunc(elements(doc, e.Key), func(v any) bool { return reflect.DeepEqual(v, e.Value) })
}

// hasAll says whether a document holds all of some entries.
func hasAll(doc map[string]any, entries []Entry) bool {
	return len(entries) > 0 && !slices.ContainsFunc(entries, func(e Entry) bool { return !has(doc, e) })
}
