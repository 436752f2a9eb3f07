// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a directory that is mounted twice is found by what is
// mounted, not by its name; nothing there is opened. A sandboxed command is protected
// from a file by a mount on it, and loses that mount when the file is replaced.

package host

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// Mountinfo is where the kernel lists the mounts of this process
// (proc_pid_mountinfo(5)).
const Mountinfo = "/proc/self/mountinfo"

// Second is a place outside of a directory where it, or a part of it, is
// mounted a second time.
type Second struct {
	// Path is that place. Line is the line of Mountinfo, from 1.
	Path string
	Line int
}

// mount is a line of mountinfo: the file system, what of it is mounted, where.
type mount struct {
	line             int
	fs, root, target string
	// kind is the type of the file system.
	kind string
	// over are the directories that the file system shows, by their paths: the
	// layers of overlay, and what a program shows through FUSE, such as bindfs, or
	// decrypts, such as gocryptfs.
	over []string
}

// at are the paths at which a mount shows dir, which is inFS in the file system fs,
// or a part of it.
func (m mount) at(r Reader, dir, fs, inFS string) (paths []string) {
	shows := func(root, of string) {
		switch {
		case pathname.Within(of, root):
			paths = append(paths, filepath.Join(m.target, rest(root, of)))
		case pathname.Within(root, of):
			paths = append(paths, m.target)
		}
	}
	if m.fs == fs {
		shows(m.root, inFS)
	}
	for _, over := range m.over {
		over = Resolved(r, filepath.Join(over, m.root))
		if info, err := r.Stat(over); err == nil && info.IsDir() && !pathname.Within(dir, m.target) {
			shows(over, dir)
		}
	}
	return paths
}

// Mounted lists the places outside of dir at which dir, or a part of it, is
// mounted too: a bind mount, a second mount of its file system, or a file system
// that is made of it (overlay, FUSE). A mount that
// a later one covers is left out, and so is one that is one of open or lies
// below it: what a session works in is meant to be read.
func Mounted(r Reader, dir string, open ...string) []Second {
	dir = Resolved(r, dir)
	mounts := mountsOf(r)
	own, ok := holding(mounts, dir)
	if !ok {
		return nil
	}
	inFS := filepath.Join(own.root, rest(own.target, dir))
	var list []Second
	for _, m := range mounts {
		if m.line == own.line {
			continue
		}
		for _, path := range m.at(r, dir, own.fs, inFS) {
			if top, ok := holding(mounts, path); !ok || top.line != m.line {
				continue
			}
			if pathname.WithinAny(path, append(open, dir)) {
				continue
			}
			if _, err := r.Stat(filepath.Join(r.System().Root, path)); err == nil {
				list = append(list, Second{path, m.line})
			}
		}
	}
	return list
}

// Shown is another name of a path: a mount at Path shows what lies at Source. Line is
// the line of Mountinfo, from 1.
type Shown struct {
	Path, Source string
	Line         int
}

// ShownIn lists what mounts below dirs show of other places; what one shows of dirs
// themselves is left out. dirs are absolute, links resolved.
func ShownIn(r Reader, dirs []string) (list []Shown) {
	within := func(path string) bool { return pathname.WithinAny(path, dirs) }
	mounts := mountsOf(r)
	for _, m := range mounts {
		if top, ok := holding(mounts, m.target); !ok || top.line != m.line || slices.Contains(dirs, m.target) ||
			!within(m.target) {
			continue
		}
		for _, over := range m.over {
			if source := filepath.Join(over, m.root); !within(source) {
				list = append(list, Shown{m.target, source, m.line})
			}
		}
		for _, n := range mounts {
			source := n.target
			switch {
			case n.line == m.line || n.fs != m.fs:
				continue
			case pathname.Within(m.root, n.root):
				source = filepath.Join(n.target, rest(n.root, m.root))
			case !pathname.Within(n.root, m.root):
				continue
			}
			if top, ok := holding(mounts, source); ok && top.line == n.line && !within(source) {
				list = append(list, Shown{m.target, source, m.line})
			}
		}
	}
	return list
}

// Processes lists where else than at /proc the processes of the machine are shown, as
// in a system that is built in a directory (chroot).
func Processes(r Reader) (list []Second) {
	mounts := mountsOf(r)
	for _, m := range mounts {
		top, _ := holding(mounts, m.target)
		if m.kind == "proc" && m.root == "/" && top.line == m.line && !pathname.Within(m.target, "/proc") {
			list = append(list, Second{m.target, m.line})
		}
	}
	return list
}

// mountsOf are the mounts of this process; none where there is no Linux, or no
// /proc: nobody can say.
func mountsOf(r Reader) []mount {
	text, _ := r.Read(filepath.Join(r.System().Root, Mountinfo))
	return mountsIn(string(text))
}

// mountsIn are those of a text in the form of Mountinfo.
func mountsIn(text string) (mounts []mount) {
	for i, line := range strings.Split(text, "\n") {
		// 36 35 98:0 /root /target options …
		if f := strings.Fields(line); len(f) > 5 {
			kind, over := made(f[6:])
			mounts = append(mounts, mount{i + 1, f[2], unescape(f[3]), unescape(f[4]), kind, over})
		}
	}
	return mounts
}

// made are the type of a file system and the directories that it shows, from what
// stands behind the dash of a line: "- TYPE SOURCE OPTIONS". A source of FUSE is what
// its program says (mount.fuse(8), fsname); the layers of overlay stand in the options.
// One with a colon in its name is not read.
func made(f []string) (kind string, list []string) {
	i := slices.Index(f, "-")
	if i < 0 || i+3 >= len(f) {
		return "", nil
	}
	add := func(path string) {
		if filepath.IsAbs(path) {
			list = append(list, filepath.Clean(path))
		}
	}
	switch kind = f[i+1]; {
	case strings.HasPrefix(kind, "fuse."):
		add(unescape(f[i+2]))
	case kind == "overlay":
		for option := range strings.SplitSeq(unescape(f[i+3]), ",") {
			if name, value, _ := strings.Cut(option, "="); name == "upperdir" || strings.HasPrefix(name, "lowerdir") {
				for layer := range strings.SplitSeq(value, ":") {
					add(layer)
				}
			}
		}
	}
	return kind, list
}

// holding is the mount that a path lies on: the deepest of those above it, and
// of several there the last.
func holding(mounts []mount, path string) (found mount, ok bool) {
	for _, m := range mounts {
		if pathname.Within(path, m.target) && (!ok || len(m.target) >= len(found.target)) {
			found, ok = m, true
		}
	}
	return found, ok
}

// rest is what stands behind dir in path.
func rest(dir, path string) string { return strings.TrimPrefix(path, strings.TrimSuffix(dir, "/")) }

// unescape reads the octal escapes of space, tab, newline and backslash.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

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
		info, err := r.Read(filepath.Join(dir, "mountinfo"))
		over := func(m mount) bool { return slices.Contains(paths, m.target) }
		if err == nil && slices.ContainsFunc(mountsIn(string(info)), over) {
			seen[ns], pids = len(pids), append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}
