// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: sysctl(3) answers for the user's own processes only.

package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// parentOf returns the parent of a process, of this one for 0; 0 where the
// system does not say.
func parentOf(pid int) int {
	if pid == 0 {
		return os.Getppid()
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return int(info.Eproc.Ppid)
}

func argsOf(pid int) []string {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(b) > maxArgs {
		return nil
	}
	return procargs2(b)
}
