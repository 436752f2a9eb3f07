// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what may only grow, and what is mounted, is known before anything
// is written: the system lets nothing take its place.

package fs

import "golang.org/x/sys/unix"

// appendOnly says whether the file or directory at path has the attribute by
// which it may only grow (FS_APPEND_FL, ioctl_iflags(2)). access(2) is silent about it.
func appendOnly(path string) bool { return hasStatx(path, unix.STATX_ATTR_APPEND) }

// mountPoint says whether the file or directory at path is mounted there by itself
// (Linux 5.8).
func mountPoint(path string) bool { return hasStatx(path, unix.STATX_ATTR_MOUNT_ROOT) }

// hasStatx asks for an attribute without opening anything (statx(2)). It is false where
// the system does not answer.
func hasStatx(path string, attribute uint64) bool {
	var at unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, 0, &at)
	return err == nil && at.Attributes&attribute != 0
}
