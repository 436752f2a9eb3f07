// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what Parse refuses and the runtime has in force all the
// same is read as the runtime reads it, and that it was refused is said beside
// it. What follows was measured with 2.1.324 and 2.1.329.

package settings

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"unicode/utf16"

	"github.com/steward-setup/steward-setup/internal/report"
)

// Kept says whether an error of Parse is about a file that the runtime does
// not drop: nobody who edits it may guess, and nobody who judges it may say
// that nothing of it is in force.
func Kept(err error) bool {
	e, ok := errors.AsType[*report.Error](err)
	return ok && slices.Contains([]string{whyTwice, whyEncoding, whyDeep, whyMany}, e.Why)
}

// Read reads a settings file as the runtime does. doubt is what Parse refuses
// in it, nil if nothing: the document is then what the runtime takes, at the
// same places, and not what the file says. The error is Parse's.
func Read(path string, b []byte) (d *Doc, doubt, err error) {
	d, err = Parse(path, b)
	if err == nil || !Kept(err) {
		return d, nil, err
	}
	d, again := parse(path, decoded(b), true)
	switch {
	case again == nil:
		return d, err, nil
	case Kept(again):
		return nil, nil, err
	}
	return nil, nil, again
}

// decoded is a file's text: UTF-16 with its mark if it begins with that of the
// little-endian form, else UTF-8, in which each byte of no character is U+FFFD.
func decoded(b []byte) []byte {
	if !bytes.HasPrefix(b, []byte("\xff\xfe")) {
		return bytes.TrimPrefix([]byte(string([]rune(string(b)))), bom)
	}
	units := make([]uint16, 0, len(b)/2)
	for b = b[2:]; len(b) >= 2; b = b[2:] {
		units = append(units, binary.LittleEndian.Uint16(b))
	}
	return []byte(string(utf16.Decode(units)))
}
