// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: only a process that does nothing but one session adopts
// others: elsewhere it would wait for what somebody else waits for.

package proc

import "golang.org/x/sys/unix"

var adopts bool

// Adopt makes this process the parent of what its descendants leave behind
// (PR_SET_CHILD_SUBREAPER).
func Adopt() { adopts = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil }

// reap waits for those that have ended.
func reap() {
	for adopts {
		if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); pid <= 0 || err != nil {
			return
		}
	}
}
