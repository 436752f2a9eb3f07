// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the lock of the sync repository is the one that flock(1)
// takes, on a file that scripts make too. It is asked for once, never waited
// for and never stolen; the file stays, and nothing is written into it.

package fs

import (
	"errors"
	"os"
	"syscall"
)

// ErrHeld says that another process holds the lock.
var ErrHeld = errors.New("another process holds the lock")

// LockFile takes the flock(2) lock of the file at path, which is made if it is
// not there. A symlink or anything but a regular file is refused: a repository
// may hold one. The system releases the lock when the process ends.
func LockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "lock", Path: path, Err: errors.New(NotRegular)}
	}
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrHeld
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
