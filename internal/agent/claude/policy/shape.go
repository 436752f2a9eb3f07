// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a document is taken apart into values whose key and type
// are known, each with its line. What the runtime would drop the whole file
// for is an error, never a guess. A decoded document is looked into without
// believing its types; what has the wrong one is not there.

package policy

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/report"
)

// shape is the type that the runtime demands at a key (zod schema of 2.1.329).
type shape struct {
	kind settings.Kind
	item settings.Kind // of the elements of an array
}

var (
	oneFlag    = shape{kind: settings.Bool}
	oneText    = shape{kind: settings.Str}
	manyTexts  = shape{settings.Array, settings.Str}
	manyTables = shape{settings.Array, settings.Object}
)

// shapes lists the keys that install writes or takes from a framework.
var shapes = map[string]shape{
	claude.KeySandboxEnabled.String():               oneFlag,
	claude.KeyFailIfUnavailable.String():            oneFlag,
	claude.KeyAutoAllowBashIfSandboxed.String():     oneFlag,
	claude.KeyAllowUnsandboxedCommands.String():     oneFlag,
	claude.KeyDenyRead.String():                     manyTexts,
	claude.KeyAllowRead.String():                    manyTexts,
	claude.KeyAllowWrite.String():                   manyTexts,
	claude.KeyDenyWrite.String():                    manyTexts,
	claude.KeyCredentialFiles.String():              manyTables,
	claude.KeyCredentialVariables.String():          manyTables,
	claude.KeyAllowedDomains.String():               manyTexts,
	claude.KeyDeniedDomains.String():                manyTexts,
	claude.KeyDisableBypassPermissionsMode.String(): oneText,
	claude.KeyDisableAutoMode.String():              oneText,
	claude.KeyBlockReads.String():                   oneFlag,
	claude.KeyAllow.String():                        manyTexts,
	claude.KeyDeny.String():                         manyTexts,
	claude.KeyAsk.String():                          manyTexts,
}

// leaf is one value of a document: an element of an array, or a scalar. An
// empty array is a leaf whose value is []any{}; what stands at a key that is
// not in shapes is a leaf whose value is unknown{}.
type leaf struct {
	key   string
	value any
	line  int // from 1
}

type unknown struct{}

// leaves takes the sandbox and permissions blocks of doc apart. The error is
// a *report.Error with exit code 65 and path, line and column.
func leaves(doc []byte, where string) ([]leaf, error) {
	d, err := settings.Parse(where, doc)
	if err != nil {
		return nil, err //nolint:wrapcheck // it is a *report.Error
	}
	wrong := func(key string, v *settings.Value) error {
		return &report.Error{Code: report.ExitMalformed, Where: d.Where(v), What: key + " has the wrong type",
			Why: "the runtime ignores such a file whole, or reads it differently", Next: "correct it, or leave out --framework"}
	}
	if len(bytes.TrimSpace(doc)) == 0 { // to the runtime it is an object, and to nobody a policy
		return nil, wrong("the document", d.Root)
	}
	var found []leaf
	var object func(path string, v *settings.Value) error
	member := func(key string, v *settings.Value) error {
		s, known := shapes[key]
		switch {
		case !known && leadsOn(key):
			if v.Kind != settings.Object {
				return wrong(key, v)
			}
			return object(key+".", v)
		case !known:
			if strings.HasPrefix(key, "sandbox.") || strings.HasPrefix(key, "permissions.") {
				found = append(found, leaf{key, unknown{}, v.Line})
			}
			return nil
		case v.Kind != s.kind:
			return wrong(key, v)
		case len(v.Items) == 0:
			found = append(found, leaf{key, v.Decoded(), v.Line})
		}
		for _, e := range v.Items {
			if e.Kind != s.item {
				return wrong(key, e)
			}
			found = append(found, leaf{key, e.Decoded(), e.Line})
		}
		return nil
	}
	object = func(path string, v *settings.Value) error {
		for _, m := range v.Members {
			if err := member(path+m.Key, m.Value); err != nil {
				return err
			}
		}
		return nil
	}
	err = object("", d.Root)
	return found, err
}

// leadsOn says whether a known key lies below key.
func leadsOn(key string) bool {
	for k := range shapes {
		if strings.HasPrefix(k, key+".") {
			return true
		}
	}
	return false
}

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

func elements(doc map[string]any, key string) []any {
	a, _ := at(doc, key).([]any)
	return a
}

// Lacks says whether a document has no element of an array.
func Lacks(doc map[string]any, key claude.KeyPath) bool { return len(elements(doc, key.String())) == 0 }

func texts(doc map[string]any, key string) (ss []string) {
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

func hasAll(doc map[string]any, entries []Entry) bool {
	return len(entries) > 0 && !slices.ContainsFunc(entries, func(e Entry) bool { return !has(doc, e) })
}
