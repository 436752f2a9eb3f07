// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the program's own state is private (0700, 0600), is
// replaced whole, and is locked while the user's files are being written.

package fs

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/steward-setup/steward-setup/internal/report"
)

// Store writes b to path, creating private directories, and returns only when
// the bytes, their name and those of new directories are on disk. The error is a *report.Error.
func Store(path string, b []byte) error {
	if err := store(path, b); err != nil {
		return ownState(path, err)
	}
	return nil
}

// Cache is Store for a file of the cache. Commands of the agent may be able to write
// there: where one put a symlink in the place of a directory, nothing behind it is
// written or removed.
func Cache(path string, b []byte) error {
	if err := cacheDir(filepath.Dir(path)); err != nil {
		return err
	}
	return Store(path, b)
}

// cacheDir makes a directory of the cache, which is no symlink.
func cacheDir(dir string) error {
	if err := Private(dir); err != nil {
		return err
	}
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return ownState(dir, errors.Join(err, syscall.ENOTDIR))
	}
	return nil
}

// Uncache removes files of a directory of the cache. A directory among them stays.
func Uncache(dir string, names []string) {
	d, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer d.Close()
	for _, name := range names {
		_ = unix.Unlinkat(int(d.Fd()), name, 0)
	}
}

func store(path string, b []byte) error {
	if err := mkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	temp := path + ".new"
	if err := writeSynced(temp, b); err != nil {
		return err
	}
	return rename(temp, path)
}

// rename returns when the new name is on disk.
func rename(from, to string) error {
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

// writeSynced makes a new file of path: what is there is what a killed run left, or
// a symlink or a FIFO that somebody put in its place, and is not opened.
func writeSynced(path string, b []byte) error {
	_ = syscall.Unlink(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// ownState says that the program's own files are out of its reach.
func ownState(path string, err error) error {
	next := "make it readable and writable for you, or set XDG_STATE_HOME to a directory that is"
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		next = "free some space, then try again"
	}
	return &report.Error{Code: report.ExitLeft, Where: path, What: "steward-setup cannot keep its own state here",
		Err: err, Why: "what is written is noted there first, so that it can be undone", Next: next}
}

// List returns the names in a directory in byte order; none if it is absent.
// The error is a *report.Error.
func List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, iofs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, ownState(dir, err)
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

// Forget removes a file or a whole directory of the program's own.
func Forget(path string) error { return os.RemoveAll(path) }

// ForgetIn is Forget for what lies below root, where commands of the agent may be able to
// put a symlink on the way: what one leads out to stays. That there is nothing is no error.
func ForgetIn(root, rel string) error {
	r, err := os.OpenRoot(root)
	if errors.Is(err, iofs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	return r.RemoveAll(rel)
}

// Lock takes the lock at path or says at once that somebody holds it. The
// system releases it when the process ends, however it ends. The error is a
// *report.Error.
func Lock(path string) (unlock func(), err error) {
	if err := mkdirAll(filepath.Dir(path)); err != nil {
		return nil, ownState(path, err)
	}
	unlock, err = LockFile(path)
	switch {
	case errors.Is(err, ErrHeld):
		return nil, &report.Error{Code: report.ExitStale, Where: path,
			What: "another steward-setup is writing at this moment",
			Why:  "two writers could undo each other", Next: "wait for it to end, then make a new plan"}
	case err != nil:
		return nil, ownState(path, err)
	}
	return unlock, nil
}

// Alone calls do while it holds the lock at path, for what takes moments: it waits
// for another that holds it. The error is a *report.Error, or that of do.
func Alone(path string, do func() error) error {
	if err := mkdirAll(filepath.Dir(path)); err != nil {
		return ownState(path, err)
	}
	unlock, err := lockFile(path, syscall.LOCK_EX)
	if err != nil {
		return ownState(path, err)
	}
	defer unlock()
	return do()
}

// Private makes a directory of the program's own, and those above it.
func Private(dir string) error {
	if err := mkdirAll(dir); err != nil {
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
	return rename(from, to)
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
