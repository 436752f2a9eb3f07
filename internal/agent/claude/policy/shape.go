// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a document is taken apart into values whose key and type
// are known, each with its line. What the runtime would drop the whole file
// for is an error, never a guess. Any other document is looked into without
// believing its types; what has the wrong one is not there.

package policy

import (
	"bytes"
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

// leaves takes the sandbox and permissions blocks of doc apart: into elements of
// arrays, scalars, empty arrays, and what stands at a key that is not known. The error
// is a *report.Error with exit code 65 and path, line and column.
func leaves(doc []byte, where string) ([]Entry, error) {
	d, err := settings.Parse(where, doc)
	if err != nil {
		return nil, err // it is a *report.Error
	}
	wrong := func(key string, v *settings.Value) error {
		return &report.Error{Code: report.ExitMalformed, Where: d.Where(v), What: key + " has the wrong type",
			Why: "the runtime ignores such a file whole, or reads it differently", Next: "correct it, or leave out --framework"}
	}
	if len(bytes.TrimSpace(doc)) == 0 { // to the runtime it is an object, and to nobody a policy
		return nil, wrong("the document", d.Root)
	}
	var found []Entry
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
				found = append(found, Entry{Key: key, Value: v})
			}
			return nil
		case v.Kind != s.kind:
			return wrong(key, v)
		case len(v.Items) == 0:
			found = append(found, Entry{Key: key, Value: v})
		}
		for _, e := range v.Items {
			if e.Kind != s.item {
				return wrong(key, e)
			}
			found = append(found, Entry{Key: key, Value: e})
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

// known says whether a key is one that install writes or takes from a framework.
func (e Entry) known() bool { _, ok := shapes[e.Key]; return ok }

// single says whether an entry is all that stands at its key.
func (e Entry) single() bool { s := shapes[e.Key]; return s == oneFlag || s == oneText }

// empty says whether an entry is an array before anything is in it.
func (e Entry) empty() bool { return e.Value.Kind == settings.Array }

// textOf is a string, "" for any other value and for nil.
func textOf(v *settings.Value) string {
	if v == nil || v.Kind != settings.Str {
		return ""
	}
	return v.Text
}

// at returns what stands at a dotted key of a document, nil for nothing and for null.
func at(doc *settings.Value, key string) *settings.Value {
	if v := doc.Get(keys(key)...); v != nil && v.Kind != settings.Null {
		return v
	}
	return nil
}

// is says whether a value is true, false or a text.
func is(v *settings.Value, value any) bool {
	return v != nil && (v.Kind == settings.Bool && value == v.True() || v.Kind == settings.Str && value == v.Text)
}

func elements(doc *settings.Value, key string) []*settings.Value {
	return settings.ItemsOf(doc.Get(keys(key)...))
}

// Lacks says whether a document has no element of an array.
func Lacks(doc *settings.Value, key claude.KeyPath) bool {
	return len(elements(doc, key.String())) == 0
}

func texts(doc *settings.Value, key string) (ss []string) {
	for _, v := range elements(doc, key) {
		if v.Kind == settings.Str {
			ss = append(ss, v.Text)
		}
	}
	return ss
}

// has says whether a document holds the entry as it is written.
func has(doc *settings.Value, e Entry) bool {
	if e.single() {
		return e.Value.Equal(at(doc, e.Key))
	}
	return slices.ContainsFunc(elements(doc, e.Key), e.Value.Equal)
}

func hasAll(doc *settings.Value, entries []Entry) bool {
	return len(entries) > 0 && !slices.ContainsFunc(entries, func(e Entry) bool { return !has(doc, e) })
}
