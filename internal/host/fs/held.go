// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether a lock is held is asked without taking it.

package fs

import (
	"errors"
	"os"
	"syscall"
)

// Held says whether some process holds a lock (flock(2)) of its own on the file
// at path. It asks for a shared lock and gives it back at once; the file is not
// made.
func Held(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
