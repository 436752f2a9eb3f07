// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether a file could be read or written is asked of the
// system, without opening it (DESIGN, law 5).

package fs

import "syscall"

// Accessible says whether this process may read the file at path and, if
// write is set, write it, links followed. It is false where the system does
// not answer.
func Accessible(path string, write bool) bool {
	const readOK, writeOK = 4, 2 // access(2), the same on Linux and macOS
	mode := uint32(readOK)
	if write {
		mode |= writeOK
	}
	return syscall.Access(path, mode) == nil
}
