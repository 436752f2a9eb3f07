// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a terminal is sent comes in pieces that end anywhere;
// no character is lost between two of them.

package testenv

import (
	"io"
	"unicode/utf8"
)

// WholeRunes hands bytes on to w at the borders of characters: vt10x, an
// emulated terminal, drops one that comes in two writes. A Write answers for
// all of p, with the error of w; what is held back comes with the next one.
func WholeRunes(w io.Writer) io.Writer { return &wholeRunes{w: w} }

type wholeRunes struct {
	w    io.Writer
	rest []byte
}

func (r *wholeRunes) Write(p []byte) (int, error) {
	b := append(r.rest, p...)
	whole := len(b)
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				whole = i
			}
			break
		}
	}
	_, err := r.w.Write(b[:whole])
	r.rest = append([]byte(nil), b[whole:]...)
	return len(p), err
}
