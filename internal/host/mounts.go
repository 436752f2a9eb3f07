// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a directory that is mounted twice is found by what is
// mounted, not by its name; nothing there is opened.

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
}

// Mounted lists the places outside of dir at which dir, or a part of it, is
// mounted too: a bind mount, or a second mount of its file system. A mount that
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
		path := m.target
		switch {
		case m.fs != own.fs || m == own:
			continue
		case pathname.Within(inFS, m.root):
			path = filepath.Join(m.target, rest(m.root, inFS))
		case !pathname.Within(m.root, inFS):
			continue
		}
		if top, ok := holding(mounts, path); !ok || top != m {
			continue
		}
		if slices.ContainsFunc(append(open, dir), func(d string) bool { return pathname.Within(path, d) }) {
			continue
		}
		if info, err := r.Stat(filepath.Join(r.System().Root, path)); err == nil && info.IsDir() {
			list = append(list, Second{path, m.line})
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
	within := func(path string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return pathname.Within(path, dir) })
	}
	mounts := mountsOf(r)
	for _, m := range mounts {
		if top, ok := holding(mounts, m.target); !ok || top != m || slices.Contains(dirs, m.target) || !within(m.target) {
			continue
		}
		for _, n := range mounts {
			source := n.target
			switch {
			case n == m || n.fs != m.fs:
				continue
			case pathname.Within(m.root, n.root):
				source = filepath.Join(n.target, rest(n.root, m.root))
			case !pathname.Within(n.root, m.root):
				continue
			}
			if top, ok := holding(mounts, source); ok && top == n && !within(source) {
				list = append(list, Shown{m.target, source, m.line})
			}
		}
	}
	return list
}

// mountsOf are the mounts of this process; none where there is no Linux, or no
// /proc: nobody can say.
func mountsOf(r Reader) (mounts []mount) {
	text, err := r.Read(filepath.Join(r.System().Root, Mountinfo))
	if err != nil {
		return nil
	}
	for i, line := range strings.Split(string(text), "\n") {
		// 36 35 98:0 /root /target options …
		if f := strings.Fields(line); len(f) > 5 {
			mounts = append(mounts, mount{i + 1, f[2], unescape(f[3]), unescape(f[4])})
		}
	}
	return mounts
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
