// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is replaced is looked at once more when nobody can reach it by
// its name; what came after the last comparison is not lost.

package fs

import (
	"bytes"
	"errors"
	iofs "io/fs"
	"os"
	"syscall"

	"github.com/steward-setup/steward-setup/internal/report"
)

// takePlace gives the temporary file the name of the old one, which is looked at once
// more when it has none: an edit that came between the last comparison and now gets its
// name back. A file system where names cannot change places gets a rename.
func takePlace(dir *os.Root, temp, name string, c report.Change, tag string, step func(string)) error {
	err := swap(dir, temp, name)
	if errors.Is(err, iofs.ErrNotExist) {
		return stale(c, "is gone")
	}
	if err != nil {
		return dir.Rename(temp, name)
	}
	step("compare what was replaced")
	edited := unchanged(dir, temp, c)
	if edited == nil {
		step("remove what was replaced")
		if err = dir.Remove(temp); err != nil {
			err = errors.Join(err, swap(dir, temp, name))
		}
		return err
	}
	if swap(dir, temp, name) == nil && holds(dir, temp, c) {
		return edited
	}
	// What has the name of the temporary file is the user's: it stays, under another one.
	kept := tempName(name, tag+"-edited")
	return &report.Error{Code: report.ExitLeft, Where: shown(c), What: "was edited while it was written",
		Err: dir.Rename(temp, kept), Why: "an edit is kept as " + kept + " in the same directory",
		Next: "compare the two files" + Again}
}

// holds says whether a name is what the change writes.
func holds(dir *os.Root, name string, c report.Change) bool {
	if c.Link() {
		to, err := dir.Readlink(name)
		return err == nil && to == string(c.After)
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	b, err := readFile(f, c.Target, MaxOwn)
	return err == nil && bytes.Equal(b, c.After)
}
