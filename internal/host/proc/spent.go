// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a session cost is counted where it ran, and with it
// what its programs left running.

package proc

import (
	"syscall"
	"time"
)

// Moment is the time.
func Moment() time.Time { return time.Now() }

// Spent is the processor time of this process and of the descendants that have
// ended. Those whose parents did not wait for them count where Adopt was
// called: the runtime's bwrap does not wait for what it starts.
func Spent() time.Duration {
	reap()
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}
