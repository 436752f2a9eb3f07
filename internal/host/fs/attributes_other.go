// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

// Law of this file: what may only grow, and what is mounted, is known before anything
// is written: the system lets nothing take its place.

package fs

import (
	"os"
	"path/filepath"
	"syscall"
)

// appendOnly says whether the file or directory at path has the flag by which it
// may only grow (chflags(2)). It is false where the system does not answer.
func appendOnly(path string) bool {
	const mayOnlyGrow = 0x4 | 0x40000 // UF_APPEND, SF_APPEND
	var at syscall.Stat_t
	return syscall.Lstat(path, &at) == nil && at.Flags&mayOnlyGrow != 0
}

// mountPoint says whether a file system begins at path: no file is mounted by itself
// here. It is false where the system does not answer.
func mountPoint(path string) bool {
	var at, above syscall.Stat_t
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && syscall.Lstat(path, &at) == nil &&
		syscall.Lstat(filepath.Dir(path), &above) == nil && at.Dev != above.Dev
}
