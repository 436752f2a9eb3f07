// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what kern.procargs2 of macOS answers is read without
// trust in its numbers.

package proc

import (
	"bytes"
	"encoding/binary"
)

// procargs2 returns the arguments in the answer to sysctl kern.procargs2: a
// count in 4 bytes, the path of the program, NUL bytes, then the arguments and
// the environment, each with a NUL (sysctl.h and ps(1) of XNU). The
// environment is not looked at. nil means that the answer has another form.
func procargs2(b []byte) []string {
	if len(b) < 4 {
		return nil
	}
	count := binary.NativeEndian.Uint32(b)
	_, rest, ok := bytes.Cut(b[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	if !ok {
		return nil
	}
	var args []string
	for ; count > 0; count-- {
		arg, after, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return nil
		}
		args, rest = append(args, string(arg)), after
	}
	return args
}
