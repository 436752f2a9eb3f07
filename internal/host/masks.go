// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a sandboxed command is protected from a file by a mount on
// it, and loses that mount when the file is replaced.

package host

import (
	"path/filepath"
	"slices"
	"strconv"
)

// Masks lists the processes that have a mount of their own on one of paths, the
// first of each sandbox, by process id: on Linux, commands that run in a sandbox of the agent's. Renaming
// another file over the path removes the mount, and the command reads and
// writes the new file (measured with 2.1.329). paths are absolute, links
// resolved. Processes of others are not seen.
func Masks(r Reader, paths []string) (pids []int) {
	if r.System().GOOS != "linux" || len(paths) == 0 {
		return nil
	}
	entries, err := r.ReadDir("/proc")
	if err != nil {
		return nil
	}
	own, err := r.Readlink("/proc/self/ns/mnt")
	if err != nil {
		return nil
	}
	seen := map[string]int{} // by namespace, where its first process is in pids
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		dir := filepath.Join("/proc", e.Name())
		ns, err := r.Readlink(filepath.Join(dir, "ns", "mnt"))
		if err != nil || ns == own {
			continue
		}
		if at, again := seen[ns]; again {
			pids[at] = min(pids[at], pid)
			continue
		}
		mounts, err := r.Read(filepath.Join(dir, "mountinfo"))
		if err == nil && slices.ContainsFunc(paths, func(path string) bool { return mountedOn(string(mounts), path) }) {
			seen[ns], pids = len(pids), append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// mountedOn says whether there is a mount on path.
func mountedOn(mountinfo, path string) bool {
	return slices.ContainsFunc(mountsIn(mountinfo), func(m mount) bool { return m.target == path })
}
