// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an error with ordinary causes is the sandbox's when the
// same thing works out here. It is asked about, not tried: nothing is opened,
// written or connected to (ARCHITECTURE, law 5).

package hook

import (
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// confirmed looks outside the sandbox for what the symptom says is missing
// inside.
func (h *hook) confirmed(c call, f catalog.Found) bool {
	switch f.Confirm {
	case catalog.Exists, catalog.Allowed, catalog.Writable, catalog.Temporary:
		return h.subject(c, f) != ""
	case catalog.Socket:
		path := catalog.SocketPath(f.Text)
		return path != "" && fs.Accessible(path, true)
	case catalog.Listener:
		return Listening(fs.Read, wantedPorts(c, f))
	case catalog.Repository:
		return h.repository(c.cwd)
	case catalog.Program:
		name, _ := catalog.ProgramIn(f.Text)
		return h.installed(c, name)
	case catalog.Owned:
		info, err := fs.Stat(catalog.OwnedIn(f.Text))
		return err == nil && fs.OwnedByRoot(info)
	case catalog.Witness:
		return slices.ContainsFunc(catalog.PlacesOf(f.Witness, h.home, "", h.Get), func(p catalog.Place) bool {
			if !filepath.IsAbs(p.Path) {
				return false
			}
			_, err := fs.Stat(p.Path)
			return err == nil && (!p.Home || h.covered(c.cwd, p.Path))
		})
	}
	return false
}

// subject is the path that an error is about, "" if it is about none that the
// sandbox withheld.
func (h *hook) subject(c call, f catalog.Found) string {
	var phrases []string
	var holds func(c call, text, path string) bool
	switch f.Confirm {
	case catalog.Exists:
		phrases, holds = catalog.Missing, h.hidden
	case catalog.Allowed:
		phrases, holds = []string{"permission denied"}, h.refused
	case catalog.Writable:
		phrases, holds = catalog.ReadOnly, func(_ call, _, path string) bool { return h.writable(path) }
	case catalog.Temporary:
		phrases, holds = catalog.ReadOnly, func(_ call, text, path string) bool {
			// a path from the working directory says nothing of /tmp
			return strings.Contains(text, path) && pathname.Within(path, "/tmp") && !pathname.Within(path, h.home) &&
				h.writable(path)
		}
	}
	for _, phrase := range phrases {
		if path := h.firstSubject(c, f.Text, phrase, holds); path != "" {
			return path
		}
	}
	return ""
}

// firstSubject is the first of the paths that an error may be about for which
// something holds.
func (h *hook) firstSubject(c call, text, phrase string, holds func(c call, text, path string) bool) string {
	quoted := quotes(c.command)
	for _, s := range catalog.Subjects(text, phrase) {
		// What is printed from a file is more often another's error.
		if !catalog.Pathlike(s) || quoted && !strings.Contains(c.command, filepath.Base(s)) {
			continue
		}
		path := h.resolve(c.cwd, s)
		if !filepath.IsAbs(s) && strings.Contains(s, " ") { // words before a path, unless there is such a file
			if _, err := fs.Stat(path); err != nil {
				continue
			}
		}
		if path != "" && !catalog.Own(path) && holds(c, text, path) {
			return path
		}
	}
	return ""
}

// resolve makes a path of a command's error absolute. That of a relative one
// is a guess: the command may have changed its directory.
func (h *hook) resolve(cwd, path string) string {
	path, _ = pathname.Expand(path, h.home)
	if !filepath.IsAbs(path) {
		if !filepath.IsAbs(cwd) {
			return ""
		}
		path = filepath.Join(cwd, path)
	}
	return filepath.Clean(path)
}

// hidden says whether a path that a command did not find is there, and was
// before the command began. A missing interpreter is reported by the name of
// the script, which is there.
func (h *hook) hidden(c call, text, path string) bool {
	if !h.covered(c.cwd, path) || strings.Contains(text, "bad interpreter") {
		return false
	}
	info, err := fs.Stat(path)
	return err == nil && info.ModTime().Before(h.Now().Add(-c.duration-2*time.Second))
}

// refused says whether a path that a command was not permitted is open to
// this user. git's warnings about the placeholders that the sandbox puts in a
// worktree are harmless, and come with each call of it.
func (h *hook) refused(c call, text, path string) bool {
	if !h.covered(c.cwd, path) || strings.HasPrefix(text, "warning: ") {
		return false
	}
	info, err := fs.Stat(path)
	if errors.Is(err, iofs.ErrNotExist) { // of what it protects the runtime shows a placeholder
		_, kept := claude.ProtectedAt(path, c.cwd, "")
		return kept && h.writable(path)
	}
	if err != nil || !fs.Accessible(path, true) {
		return false
	}
	return !NotExecutable(text, info)
}

// NotExecutable says whether a shell was told to run a file that has no execute
// bit, of which it says "Permission denied" too.
func NotExecutable(text string, info iofs.FileInfo) bool {
	shell := strings.Contains(text, "sh: ") || strings.Contains(text, ": line ")
	return shell && info.Mode().IsRegular() && info.Mode()&0o111 == 0
}

// covered says whether the sandbox may hide a path: a device, or, with a policy
// of ours, what lies below the home directory, and outside the working directory
// or under a name that configuration and credentials have.
func (h *hook) covered(cwd, path string) bool {
	if catalog.Device(path) {
		return true
	}
	if !filepath.IsAbs(h.home) || !pathname.Within(path, h.home) || pathname.Within(cwd, path) {
		return false
	}
	if rel, inside := pathname.Below(path, cwd); inside {
		return strings.HasPrefix(rel, ".") || strings.Contains(rel, "/.") || catalog.CredentialFile(filepath.Base(path))
	}
	return true
}

// writable says whether this user may write a path, or create it in the
// nearest directory above it that exists. The root directory is none of these:
// a path of which not even the first part exists is of another machine.
func (h *hook) writable(path string) bool {
	named := path
	for range 16 {
		if path == "/" && path != named {
			return false
		}
		_, err := fs.Stat(path)
		if err == nil {
			return fs.Accessible(path, true)
		}
		if !errors.Is(err, iofs.ErrNotExist) || path == filepath.Dir(path) {
			return false
		}
		path = filepath.Dir(path)
	}
	return false
}

// installed says whether a program is on PATH, in a place that the policy may
// hide.
func (h *hook) installed(c call, name string) bool {
	if name == "" {
		return false
	}
	for dir := range strings.SplitSeq(h.Get("PATH"), ":") {
		if !filepath.IsAbs(dir) {
			continue
		}
		at := filepath.Join(dir, name)
		if info, err := fs.Stat(at); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return h.covered(c.cwd, at)
		}
	}
	return false
}

// repository says whether dir lies in a git repository.
func (h *hook) repository(dir string) bool {
	for range 32 {
		if !filepath.IsAbs(dir) {
			return false
		}
		if _, err := fs.Stat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
	return false
}

// wantedPorts are those that an error names, or, if it names none, the command.
func wantedPorts(c call, f catalog.Found) []int {
	if list := Ports(f.Text); len(list) > 0 {
		return list
	}
	return Ports(c.command[:min(len(c.command), maxRaw)])
}

// Listening says whether something on this machine's loopback interface
// listens on one of the ports. Only Linux has these files.
func Listening(read func(path string) ([]byte, error), wanted []int) bool {
	if len(wanted) == 0 {
		return false
	}
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, err := read(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(table)) {
			if port, ok := listener(line); ok && slices.Contains(wanted, port) {
				return true
			}
		}
	}
	return false
}

// listener reads a line of /proc/net/tcp (proc(5)): the local address and port
// in hex, and the state, of which 0A is LISTEN. Addresses are in the machine's
// byte order, a 32-bit word at a time; the last word tells 127.0.0.1, ::1 and
// any address from the others.
func listener(line string) (port int, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || fields[3] != "0A" {
		return 0, false
	}
	address, hexPort, _ := strings.Cut(fields[1], ":")
	n, err := strconv.ParseUint(hexPort, 16, 16)
	if err != nil || len(address) < 8 {
		return 0, false
	}
	word := address[len(address)-8:]
	return int(n), slices.Contains([]string{"00000000", "0100007F", "7F000001", "01000000", "00000001"}, word)
}
