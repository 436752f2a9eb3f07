// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is mounted is known before anything is written: the
// system lets nothing take its place.

package fs

import "golang.org/x/sys/unix"

// mountPoint says whether the file or directory at path is mounted there by itself
// (statx(2), Linux 5.8). It is false where the system does not answer.
func mountPoint(path string) bool {
	var at unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, 0, &at)
	return err == nil && at.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}
