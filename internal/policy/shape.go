// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a document is taken apart into values whose key and type
// are known, each with its line. What the runtime would drop the whole file
// for is an error, never a guess.

package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/report"
)

// shape is the type that the runtime demands at a key (zod schema of 2.1.329).
type shape int

const (
	oneFlag    shape = iota // true or false
	oneText                 // a string
	manyTexts               // an array of strings
	manyTables              // an array of objects
)

// shapes lists the keys that install writes or takes from a framework.
var shapes = map[string]shape{
	"sandbox.enabled":                                 oneFlag,
	"sandbox.failIfUnavailable":                       oneFlag,
	"sandbox.autoAllowBashIfSandboxed":                oneFlag,
	"sandbox.allowUnsandboxedCommands":                oneFlag,
	"sandbox.filesystem.denyRead":                     manyTexts,
	"sandbox.filesystem.allowRead":                    manyTexts,
	"sandbox.filesystem.allowWrite":                   manyTexts,
	"sandbox.filesystem.denyWrite":                    manyTexts,
	"sandbox.credentials.files":                       manyTables,
	"sandbox.credentials.envVars":                     manyTables,
	"sandbox.network.allowedDomains":                  manyTexts,
	"sandbox.network.deniedDomains":                   manyTexts,
	"permissions.disableBypassPermissionsMode":        oneText,
	"permissions.disableAutoMode":                     oneText,
	"permissions.blockReadsOutsideWorkingDirectories": oneFlag,
	"permissions.allow":                               manyTexts,
	"permissions.deny":                                manyTexts,
	"permissions.ask":                                 manyTexts,
}

// Bounds of a document, as in internal/settings: bytes and nesting.
const (
	maxDocument = 4 << 20
	maxDepth    = 200
)

// leaf is one value of a document: an element of an array, or a scalar. An
// empty array is a leaf whose value is []any{}; what stands at a key that is
// not in shapes is a leaf whose value is unknown{}.
type leaf struct {
	key   string
	value any
	line  int // from 1
}

type unknown struct{}

// reader walks a document token by token.
type reader struct {
	dec    *json.Decoder
	doc    []byte
	where  string
	leaves []leaf
}

// leaves takes the sandbox and permissions blocks of doc apart. The error is
// a *report.Error with exit code 65 and path, line and column.
func leaves(doc []byte, where string) ([]leaf, error) {
	doc = bytes.TrimPrefix(doc, []byte("\ufeff"))
	r := &reader{dec: json.NewDecoder(bytes.NewReader(doc)), doc: doc, where: where}
	r.dec.UseNumber()
	switch {
	case len(doc) > maxDocument:
		return nil, r.malformed(0, fmt.Sprintf("has %d bytes, more than %d", len(doc), maxDocument))
	case !utf8.Valid(doc):
		return nil, r.malformed(0, "is not UTF-8 text")
	}
	// The whole document first: only this names the place of a mistake, and
	// what follows meets none.
	var whole json.RawMessage
	if err := json.Unmarshal(doc, &whole); err != nil {
		offset := int64(0)
		if s, ok := errors.AsType[*json.SyntaxError](err); ok {
			offset = max(0, s.Offset-1)
		}
		return nil, r.malformed(offset, "is not strict JSON (a comment or a trailing comma?)")
	}
	if tok, _ := r.dec.Token(); tok != json.Delim('{') {
		return nil, r.malformed(0, "is not a JSON object")
	}
	if err := r.object("", 1); err != nil {
		return nil, err
	}
	return r.leaves, nil
}

// object reads the members of an object whose brace was read.
func (r *reader) object(path string, depth int) error {
	if depth > maxDepth {
		return r.malformed(r.dec.InputOffset(), "is nested too deeply")
	}
	seen := map[string]bool{}
	for r.dec.More() {
		tok, err := r.dec.Token()
		if err != nil {
			return err
		}
		name, _ := tok.(string) // the decoder lets nothing else stand here
		if seen[name] {
			return r.malformed(r.dec.InputOffset(), fmt.Sprintf("has the key %q twice: the runtime would read only the last", name))
		}
		seen[name] = true
		key := name
		if path != "" {
			key = path + "." + name
		}
		if err := r.member(key, depth); err != nil {
			return err
		}
	}
	_, err := r.dec.Token()
	return err
}

// member reads what stands at key.
func (r *reader) member(key string, depth int) error {
	if s, ok := shapes[key]; ok {
		return r.known(key, s)
	}
	if leadsOn(key) {
		tok, err := r.dec.Token()
		if err != nil {
			return err
		}
		if tok != json.Delim('{') {
			return r.malformed(r.dec.InputOffset(), key+" is not an object")
		}
		return r.object(key, depth+1)
	}
	var raw json.RawMessage
	if err := r.dec.Decode(&raw); err != nil {
		return err
	}
	if strings.HasPrefix(key, "sandbox.") || strings.HasPrefix(key, "permissions.") {
		r.add(key, unknown{})
	}
	return nil
}

// known reads a value of a given shape.
func (r *reader) known(key string, s shape) error {
	if s == oneFlag || s == oneText {
		var v any
		if err := r.dec.Decode(&v); err != nil {
			return err
		}
		_, isFlag := v.(bool)
		_, isText := v.(string)
		if s == oneFlag && !isFlag || s == oneText && !isText {
			return r.wrong(key)
		}
		r.add(key, v)
		return nil
	}
	tok, err := r.dec.Token()
	if err != nil {
		return err
	}
	if tok != json.Delim('[') {
		return r.wrong(key)
	}
	n := 0
	for ; r.dec.More(); n++ {
		var v any
		if err := r.dec.Decode(&v); err != nil {
			return err
		}
		_, isText := v.(string)
		_, isTable := v.(map[string]any)
		if s == manyTexts && !isText || s == manyTables && !isTable {
			return r.wrong(key)
		}
		r.add(key, v)
	}
	if n == 0 {
		r.add(key, []any{})
	}
	_, err = r.dec.Token()
	return err
}

func (r *reader) add(key string, v any) {
	line, _ := r.position(r.dec.InputOffset())
	r.leaves = append(r.leaves, leaf{key, v, line})
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

// position turns an offset into line and column, both from 1.
func (r *reader) position(offset int64) (line, col int) {
	before := r.doc[:min(int(offset), len(r.doc))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

func (r *reader) malformed(offset int64, what string) error {
	line, col := r.position(offset)
	return &report.Error{Code: report.ExitMalformed, Where: fmt.Sprintf("%s:%d:%d", r.where, line, col), What: what,
		Why: "the runtime drops such a file whole, or reads it differently", Next: "correct it, or leave out --framework"}
}

func (r *reader) wrong(key string) error {
	return r.malformed(r.dec.InputOffset(), key+" has the wrong type")
}
