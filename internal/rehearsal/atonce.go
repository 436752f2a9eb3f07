// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: no more sessions at once than the machine has room for: a
// sandbox that does not come up in time is no answer.

package rehearsal

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
)

// room is the memory that a session is counted with, in bytes: the runtime has
// about 210 MB (2.1.329, measured), and the stage's copies lie in memory.
const room = 400 << 20

// unknownCores is how many sessions are played at once where the number of
// processors is unknown.
const unknownCores = 2

// AtOnce is how many sessions may be played at the same time on this machine:
// one for each processor, as far as the memory goes. A session is mostly the
// start of a runtime, so that more would only slow each other down.
func AtOnce(r host.Reader) int {
	n := r.System().Cores
	if n <= 0 {
		n = unknownCores
	}
	if free, known := freeMemory(r); known {
		n = min(n, int(free/room))
	}
	return max(n, 1)
}

// freeMemory is what programs can still have (proc_meminfo(5)), and what the
// limit of a container leaves (cgroup v2).
func freeMemory(r host.Reader) (bytes int64, known bool) {
	number := func(path, name string) (int64, bool) {
		b, err := r.Read(filepath.Join(r.System().Root, path))
		if err != nil {
			return 0, false
		}
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) > 0 && (name == "" || f[0] == name) {
				n, err := strconv.ParseInt(f[min(len(f)-1, len(strings.Fields(name)))], 10, 64)
				return n, err == nil
			}
		}
		return 0, false
	}
	if kB, ok := number("/proc/meminfo", "MemAvailable:"); ok {
		bytes, known = kB<<10, true
	}
	// What was read from files is counted as used, and given back when it is
	// wanted.
	cache, _ := number("/sys/fs/cgroup/memory.stat", "inactive_file")
	limit, limited := number("/sys/fs/cgroup/memory.max", "") // "max" where there is none
	used, ok := number("/sys/fs/cgroup/memory.current", "")
	used = max(used-cache, 0)
	if limited && ok && (!known || limit-used < bytes) {
		bytes, known = max(limit-used, 0), true
	}
	return bytes, known
}
