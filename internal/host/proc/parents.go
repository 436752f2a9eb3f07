// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which process started this one is asked of the system,
// not of the environment, which whoever is above may have written. What it
// was started with is as little a secret as the system makes it.

package proc

// Parent is a process above this one.
type Parent struct {
	PID int
	// Args are its arguments, its own name first.
	Args []string
}

// maxArgs bounds what is read of a process's arguments, in bytes. The system
// allows one argument 128 KiB on Linux.
const maxArgs = 256 << 10

// Parents returns at most limit processes above this one, the nearest first,
// and fewer where the system does not say.
func Parents(limit int) []Parent {
	var list []Parent
	for pid := parentOf(0); pid > 1 && len(list) < limit; pid = parentOf(pid) {
		list = append(list, Parent{pid, argsOf(pid)})
	}
	return list
}

// Process is one running process: its id, and its name as the system gives it.
type Process struct {
	ID   int
	Name string
}
