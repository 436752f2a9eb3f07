// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

// Law of this file: what is mounted is known before anything is written: the
// system lets nothing take its place.

package fs

import (
	"os"
	"path/filepath"
	"syscall"
)

// mountPoint says whether a file system begins at path: no file is mounted by itself
// here. It is false where the system does not answer.
func mountPoint(path string) bool {
	var at, above syscall.Stat_t
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && syscall.Lstat(path, &at) == nil &&
		syscall.Lstat(filepath.Dir(path), &above) == nil && at.Dev != above.Dev
}
