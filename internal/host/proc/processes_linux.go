// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: proc(5), read in one piece each.

package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// parentOf returns the parent of a process, of this one for 0; 0 where the
// system does not say.
func parentOf(pid int) int {
	if pid == 0 {
		return os.Getppid()
	}
	stat := procFile(pid, "stat", 4<<10)
	// The name is in parentheses and may hold any character, also ")".
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	return parent
}

func argsOf(pid int) []string {
	line := procFile(pid, "cmdline", maxArgs)
	if len(line) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
}

func procFile(pid int, name string, limit int) []byte {
	// Without os.File, which prepares to wait: a footer reads a dozen of these.
	fd, err := syscall.Open("/proc/"+strconv.Itoa(pid)+"/"+name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	var all []byte
	var piece [512]byte
	for len(all) < limit {
		n, err := syscall.Read(fd, piece[:min(len(piece), limit-len(all))])
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return nil
		case n == 0:
			return all
		default:
			all = append(all, piece[:n]...)
		}
	}
	return all
}

// Holders lists the processes that have a flock(2) lock on the file at path, of those
// that this user may look at (proc(5), /proc/PID/fdinfo). One that inherited the lock
// counts: flock(1) takes it for its shell and ends.
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
