// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: who holds a lock is what the kernel says of each open file
// (proc(5), /proc/PID/fdinfo), for the processes that this user may look at.

package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Holders lists the processes that have a flock(2) lock on the file at path.
// One that inherited the lock counts: flock(1) takes it for its shell and ends.
func Holders(path string) (list []Process) {
	dirs, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, fd := range dirs {
		if to, err := os.Readlink(fd); err != nil || to != path {
			continue
		}
		parts := strings.Split(fd, "/")
		pid, err := strconv.Atoi(parts[2])
		if err != nil || pid == os.Getpid() {
			continue
		}
		if info := procFile(pid, "fdinfo/"+parts[4], 4<<10); strings.Contains(string(info), "FLOCK") {
			name := strings.TrimSpace(string(procFile(pid, "comm", 64)))
			if p := (Process{pid, name}); len(list) == 0 || list[len(list)-1] != p {
				list = append(list, p)
			}
		}
	}
	return list
}
