// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: proc(5), read in one piece each.

package proc

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
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

func procFile(pid int, name string, limit int64) []byte {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/" + name)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil
	}
	return b
}
