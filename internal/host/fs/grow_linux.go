// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what may only grow is known before anything is written.

package fs

import "golang.org/x/sys/unix"

// appendOnly says whether the file or directory at path has the attribute by
// which it may only grow (FS_APPEND_FL, ioctl_iflags(2); statx(2) tells it without
// opening). access(2) is silent about it. It is false where the system does not
// answer.
func appendOnly(path string) bool {
	var at unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, 0, &at)
	return err == nil && at.Attributes&unix.STATX_ATTR_APPEND != 0
}
