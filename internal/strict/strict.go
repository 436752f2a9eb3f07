// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package strict reads the data files of this program.
//
// Contract: a file is understood completely or refused with its place; a key
// that nobody reads is an error. Text in, values out; no I/O.
package strict

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/steward-setup/steward-setup/internal/report"
)

// Most bounds a file, in bytes; ours have up to 200 kB.
const Most = 1 << 20

// TOML decodes text into v, a pointer to a struct. name is what errors call the
// file, why says what comes of one that is not understood. The error is that of
// Malformed, with line and column where there are any.
func TOML(name, text, why string, v any) error {
	if len(text) > Most {
		return Malformed(name, TooLarge(Most), why, nil)
	}
	at := func(line, column int) string { return fmt.Sprintf("%s:%d:%d", name, line, column) }
	err := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields().Decode(v)
	if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok && len(unknown.Errors) > 0 {
		first := unknown.Errors[0]
		return Malformed(at(first.Position()), Unread(first.Key()), why, nil)
	}
	if syntax, ok := errors.AsType[*toml.DecodeError](err); ok {
		return Malformed(at(syntax.Position()), "is not understood", why, err)
	}
	if err != nil {
		return Malformed(name, "is not understood", why, err)
	}
	return nil
}

// TooLarge says that a file has more bytes than are read.
func TooLarge(most int) string { return fmt.Sprintf("is larger than %d bytes", most) }

// Unread says that a file has a key that means nothing.
func Unread(key []string) string { return "has a key that nobody reads: " + strings.Join(key, ".") }

// Schema is the error of a file that is written for another schema than 1.
func Schema(name string, schema int, why string) error {
	if schema == 1 {
		return nil
	}
	return Malformed(name, fmt.Sprintf("has schema %d; this program reads schema 1", schema), why, nil)
}

// Malformed is a *report.Error with code ExitMalformed.
func Malformed(where, what, why string, err error) error {
	return &report.Error{Code: report.ExitMalformed, Where: where, What: what, Err: err, Why: why,
		Next: "correct the file"}
}
