// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a package appears in the cache whole or not at all. What is
// fetched lies beside until it is complete, so that one that was killed is gone
// on with.

package fs

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
)

// Private makes a directory of the program's own, and those above it.
func Private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ownState(dir, err)
	}
	return nil
}

// Settle gives the directory from its place at to, which must not be there, and
// returns when the name is on disk.
func Settle(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, iofs.ErrNotExist) {
		return &iofs.PathError{Op: "rename", Path: to, Err: iofs.ErrExist}
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	dir, err := os.OpenRoot(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer dir.Close()
	return syncDir(dir)
}

// SyncFile returns when the bytes of a file are on disk.
func SyncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
