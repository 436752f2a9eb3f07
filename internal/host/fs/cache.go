// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is in the cache may be gone at any time and is worth
// nothing to anybody; one process refreshes a file of it while the others go
// on without.

package fs

import (
	"errors"
	"path/filepath"
)

// Refresh replaces the private file at path with what fetch answers, unless
// another process is doing the same, or current says of the bytes that are
// there that they will do. It does not wait.
func Refresh(path string, current func(b []byte) bool, fetch func() ([]byte, error)) error {
	if err := cacheDir(filepath.Dir(path)); err != nil { // the lock is a file there, too
		return err
	}
	unlock, err := LockFile(path + ".lock")
	if errors.Is(err, ErrHeld) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	// A file that cannot be read is made again.
	if b, err := Read(path); err == nil && current(b) {
		return nil
	}
	b, err := fetch()
	if err != nil {
		return err
	}
	return Cache(path, b)
}
