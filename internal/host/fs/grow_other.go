// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

// Law of this file: what may only grow is known before anything is written.

package fs

import "syscall"

// appendOnly says whether the file or directory at path has the flag by which it
// may only grow (chflags(2)). It is false where the system does not answer.
func appendOnly(path string) bool {
	const mayOnlyGrow = 0x4 | 0x40000 // UF_APPEND, SF_APPEND
	var at syscall.Stat_t
	return syscall.Lstat(path, &at) == nil && at.Flags&mayOnlyGrow != 0
}
