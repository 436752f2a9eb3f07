// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is mounted read-only can still be talked to. A FIFO is
// written, and a datagram socket is sent to, wherever commands see its path.

package openpaths

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// socketsList lists the unix sockets of the machine (proc(5), /proc/net/unix), and
// datagrams is the type SOCK_DGRAM there.
const (
	socketsList = "/proc/net/unix"
	datagrams   = "0002"
)

// maxTemporary bounds how many names below /tmp are looked at, maxTalked how many
// are shown.
const (
	maxTemporary = 5000
	maxTalked    = 8
)

// talkedTo lists FIFOs in /tmp and datagram sockets that are the user's own: what
// reads them takes orders of a command for orders of the user's. Measured with 2.1.330
// and 2.1.324, in both launches: a command writes and reads a FIFO on a read-only
// mount, and sends through socketpair(2), which the system call filter allows, to any
// datagram socket by its path; other sockets it does not reach. denyRead hides both.
// What commands may write in any case, from start, is left out.
func talkedTo(g grants.Ground) (found []opening.Opening) {
	r := g.Host
	sys, written := r.System(), host.Written(r, g.Session.Dirs.Start)
	mine := func(path string) bool {
		info, err := r.Lstat(filepath.Join(sys.Root, path))
		if err != nil {
			return false
		}
		uid, _, ok := host.OwnerOf(info)
		return ok && uid == sys.UID && g.Reads(path) && !pathname.WithinAny(path, written)
	}
	note := func(path, what string) {
		if mine(path) && len(found) < maxTalked {
			found = append(found, opening.Opening{Status: report.Warn, Group: opening.Reachable, Where: path, What: path,
				Remedy: hide(r, path), Opens: fmt.Sprintf(what, path)})
		}
	}
	left := maxTemporary
	var below func(dir string, depth int)
	below = func(dir string, depth int) {
		entries, _ := r.ReadDir(filepath.Join(sys.Root, dir))
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch left--; {
			case left < 0:
				return
			case e.Type()&fs.ModeNamedPipe != 0:
				note(path, "Commands can write to your FIFO %s, and read from it.")
			case e.IsDir() && depth > 0 && mine(path):
				below(path, depth-1)
			}
		}
	}
	below("/tmp", 1)
	for _, f := range table(r, socketsList) {
		// Num RefCount Protocol Flags Type St Inode Path
		if len(f) >= 8 && f[4] == datagrams && filepath.IsAbs(f[7]) {
			note(strings.Join(f[7:], " "), "Commands can send to your datagram socket %s.")
		}
	}
	return found
}
