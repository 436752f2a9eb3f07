// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether a file could be read or written is asked of the
// system, without opening it (ARCHITECTURE, law 5).

package fs

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// ErrDenied is in the errors of Denied that are about a directory.
var ErrDenied = errors.New("you may not write there")

// Denied says, before anything is written, that Apply could not write c: the
// directory that holds it, or the nearest one above that exists, is not this
// process's to write, or the file would not stay what it is. It is nil where nothing is known to stand in the way.
// The error is a *report.Error; it wraps ErrDenied where it is the directory.
func Denied(c report.Change) error {
	if err := leadsNowhere(c.Path); err != nil {
		return err
	}
	dir := filepath.Dir(c.Target)
	info, err := os.Stat(dir)
	for (errors.Is(err, iofs.ErrNotExist) || BelowFile(err)) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		info, err = os.Stat(dir)
	}
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err == nil {
		const writeOK, searchOK = 2, 1 // access(2), the same on Linux and macOS
		err = syscall.Access(dir, writeOK|searchOK)
	}
	if err == nil && dir == filepath.Dir(c.Target) && appendOnly(dir) {
		return onlyGrows(c, dir)
	}
	if err == nil {
		return unkept(c)
	}
	next := "make " + dir + " writable for you" + Again
	if dir == filepath.Dir(dir) { // nobody is told to open the root: a home that is not there leads here
		next = "set HOME, or the variable that leads there, to a directory of yours" + Again
	}
	return &report.Error{Code: report.ExitLeft, Where: shown(c), What: "cannot be written",
		Err: fmt.Errorf("%w: %s: %w", ErrDenied, dir, err), Why: "nothing of the plan was written", Next: next}
}

// leadsNowhere says, as a *report.Error, that a directory on the way to path is
// a symlink to what does not exist; nil if none is.
func leadsNowhere(path string) error {
	for _, link := range WayTo(filepath.Dir(path)).Links {
		if _, err := os.Stat(link); !errors.Is(err, iofs.ErrNotExist) {
			continue
		}
		to, err := os.Readlink(link)
		if err != nil {
			continue
		}
		return &report.Error{Code: report.ExitLeft, Where: link, What: pathname.BrokenLink(to),
			Why: "nothing can be written below it", Next: "create its target, or remove the symlink" + Again}
	}
	return nil
}

// Accessible says whether this process may read the file at path and, if
// write is set, write it, links followed. It is false where the system does
// not answer.
func Accessible(path string, write bool) bool {
	const readOK, writeOK = 4, 2 // access(2), the same on Linux and macOS
	mode := uint32(readOK)
	if write {
		mode |= writeOK
	}
	return syscall.Access(path, mode) == nil
}

// Changeable says whether this process may write the file or directory at path, links
// followed. It is false where the system does not answer.
func Changeable(path string) bool {
	const writeOK = 2 // access(2), the same on Linux and macOS
	return syscall.Access(path, writeOK) == nil
}

// Executable is a mode with which the owner may start a file, and who else may read it.
func Executable(mode iofs.FileMode) iofs.FileMode { return mode | 0o100 | mode>>2&0o011 }

// ReadOnly says whether the file system or the mount that path lies on is
// read-only to everybody.
func ReadOnly(path string) (bool, error) {
	const readOnly = 1 // ST_RDONLY of statfs(2), MNT_RDONLY on macOS
	var at syscall.Statfs_t
	err := syscall.Statfs(path, &at)
	return at.Flags&readOnly != 0, err
}

// BelowFile says whether an error of looking at a path is that a file lies where one of
// its directories belongs.
func BelowFile(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
