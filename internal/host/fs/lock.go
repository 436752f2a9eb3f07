// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a lock is the one that flock(1) takes, on a file that scripts may
// make too. It is never stolen; the file stays, and nothing is written into it.

package fs

import (
	"errors"
	"os"
	"syscall"
)

// ErrHeld says that another process holds the lock.
var ErrHeld = errors.New("another process holds the lock")

// LockFile takes the flock(2) lock of the file at path, which is made if it is
// not there, and does not wait for it. A symlink or anything but a regular file is
// refused: a repository may hold one. The system releases the lock when the process ends.
func LockFile(path string) (unlock func(), err error) {
	return lockFile(path, syscall.LOCK_EX|syscall.LOCK_NB)
}

func lockFile(path string, how int) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "lock", Path: path, Err: errors.New(NotRegular)}
	}
	for again := err == nil; again; again = errors.Is(err, syscall.EINTR) { // while it waits
		err = syscall.Flock(int(f.Fd()), how)
	}
	if err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrHeld
		}
		return nil, err
	}
	return func() {
		_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // a program that starts now has the file, too, for a moment
		f.Close()
	}, nil
}
