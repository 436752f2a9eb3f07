// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: two names of one directory change places at once, or nothing
// happens.

package fs

import (
	"os"

	"golang.org/x/sys/unix"
)

// swap lets two names of dir change places. A file system without that is an error.
func swap(dir *os.Root, a, b string) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return unix.Renameat2(int(d.Fd()), a, int(d.Fd()), b, unix.RENAME_EXCHANGE)
}
