// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line is appended whole or not at all, by any number of
// processes at once, without waiting for one another or for anything that is
// not a regular file; and the file never grows past its bound.

package fs

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// AppendLine appends line, which has no newline, to the private file at path
// and creates it (0600) and its directories (0700) if need be. A file that
// would grow past limit bytes is first renamed to path+".1", which replaces
// the generation before. A line that a killed process left unended is ended
// first, so that the file may hold empty lines. A symbolic link, or what is
// not a regular file, is an error.
func AppendLine(path string, line []byte, limit int64) error {
	// Another process may rename the file between our opening and our
	// locking it; that happens once in limit bytes.
	for range 3 {
		done, err := appendOnce(path, line, limit)
		if done || err != nil {
			return err
		}
	}
	return &iofs.PathError{Op: "append", Path: path, Err: errors.New("renamed again and again")}
}

func appendOnce(path string, line []byte, limit int64) (done bool, err error) {
	f, err := openAppend(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, &iofs.PathError{Op: "append", Path: path, Err: errors.New(noRegularFile)}
	}
	if info.Mode().Perm() != 0o600 {
		if err := f.Chmod(0o600); err != nil {
			return false, err
		}
	}
	size := info.Size()
	if size > 0 && size+int64(len(line))+2 > limit {
		// Whoever holds the lock is renaming the file; what we add to
		// it meanwhile is kept with the old generation.
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			if now, err := os.Lstat(path); err == nil && os.SameFile(now, info) {
				if err := os.Rename(path, path+".1"); err != nil {
					return false, err
				}
			}
			return false, nil
		}
	}
	whole := make([]byte, 0, len(line)+2)
	if last := make([]byte, 1); size > 0 {
		if _, err := f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			whole = append(whole, '\n')
		}
	}
	whole = append(append(whole, line...), '\n')
	_, err = f.Write(whole)
	return true, err
}

// openAppend opens without following a link and without waiting for the
// reader of a FIFO. The directory is made only when it turns out to be
// missing (the program's own state may be kept in it later): the usual call is one
// system call.
func openAppend(path string) (*os.File, error) {
	const flags = os.O_RDWR | os.O_APPEND | os.O_CREATE | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	f, err := os.OpenFile(path, flags, 0o600)
	if errors.Is(err, iofs.ErrNotExist) {
		if err := mkdirAll(filepath.Dir(path)); err != nil {
			return nil, err
		}
		f, err = os.OpenFile(path, flags, 0o600)
	}
	return f, err
}
