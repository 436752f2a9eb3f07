// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package jsontext writes JSON that people read.
//
// Law of this file: <, > and & stay as they are ("a && b" must stay readable), unlike in what json.Marshal writes.
package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Of is a value on one line, without a newline; the errors are those of json.Marshal.
func Of(v any) ([]byte, error) {
	b, err := encoded(v, "")
	return bytes.TrimSuffix(b, []byte("\n")), err
}

// Doc is a value over as many lines as it takes, the last one with its newline.
func Doc(v any) ([]byte, error) { return encoded(v, "  ") }

func encoded(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// Quote is s as a JSON string; bytes that are no UTF-8 become U+FFFD.
func Quote(s string) string {
	plain := func(b rune) bool { return ' ' <= b && b <= '~' && b != '"' && b != '\\' }
	if !strings.ContainsFunc(s, func(b rune) bool { return !plain(b) }) {
		return `"` + s + `"`
	}
	quoted, _ := Of(s) // no string is refused
	return string(quoted)
}
