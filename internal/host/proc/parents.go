// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which process started this one is asked of the system,
// not of the environment, which whoever is above may have written. What it
// was started with is as little a secret as the system makes it.

package proc

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// Parent is a process above this one, by its id.
type Parent int

// Args are its arguments, its own name first; none where the system does not say.
func (p Parent) Args() []string { return argsOf(int(p)) }

// maxArgs bounds what is read of a process's arguments, in bytes. The system
// allows one argument 128 KiB on Linux.
const maxArgs = 256 << 10

// Parents are at most limit processes above this one, the nearest first, and
// fewer where the system does not say. Each is asked for when it is its turn.
func Parents(limit int) iter.Seq[Parent] {
	return func(yield func(Parent) bool) {
		pid := parentOf(0)
		for n := 0; n < limit && pid > 1 && yield(Parent(pid)); n++ {
			pid = parentOf(pid)
		}
	}
}

// Process is one running process: its id, and its name as the system gives it.
type Process struct {
	ID   int
	Name string
}

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
