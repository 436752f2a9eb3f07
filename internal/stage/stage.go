// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package stage is the private namespace that a rehearsal happens in: its
// layout as data, and what that data is as arguments for bwrap.
//
// Contract: everything on disk is read-only on a stage, whoever starts it.
// The home is empty but for what is listed; the project is there with its
// files read-only, and with private copies of what a session writes or what
// steers it: .git, .claude, .env. Every credential is a canary of this run.
// There is no network but loopback and one address beside it. Nothing of it
// is a file on the host: copies come through pipes and lie in memory, so that
// nothing is left when everything is killed. What was tried before it became
// this is in docs/rehearsal.md.
package stage

import (
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// Where our own things lie on a stage. Bin is first on its PATH.
const (
	Own     = "/run/stage"
	Bin     = Own + "/bin"
	Self    = Bin + "/steward-setup"
	Runtime = Own + "/runtime"
	objects = Own + "/objects"
)

// Kind says what is mounted.
type Kind string

// The kinds.
const (
	ReadOnly Kind = "ro-bind"
	Memory   Kind = "tmpfs"
	Link     Kind = "symlink"
	// Data is a read-only file with bytes of ours.
	Data Kind = "ro-bind-data"
)

// Mount is one thing at a place of the stage. Source is what is mounted, or
// where a link leads.
type Mount struct {
	Kind           Kind
	Source, Target string
	Bytes          []byte // of Data
}

// Stage is a layout. It is data: nothing is started or written by it.
type Stage struct {
	// Mounts are done in this order.
	Mounts []Mount
	// Files are laid into Memory before anything starts.
	Files []fs.Laid
	// Canaries are the credentials on it.
	Canaries []Canary
	// UID and GID are those of whoever starts it; as root, AsRoot is set
	// and the stage is played as nobody.
	UID, GID int
	AsRoot   bool
	// Home, Agent and Start are the places of the session.
	Home, Agent string
	// Path is the PATH of the stage.
	Path string
	copy copier
	// Notes are what a reader of the results should know of the layout.
	Notes []string
}

// nobody is who plays on a stage that root starts: as root, "read-only" is a
// word (measured: a process with capabilities remounts / and writes).
const nobody = 65534

// Player is who runs on the stage.
func (s *Stage) Player() (uid, gid int) {
	if s.AsRoot {
		return nobody, nobody
	}
	return s.UID, s.GID
}

// Memory lists the directories that are memory.
func (s *Stage) Memory() (dirs []string) {
	for _, m := range s.Mounts {
		if m.Kind == Memory {
			dirs = append(dirs, m.Target)
		}
	}
	return dirs
}

// Args are the arguments for bwrap that make the stage, and the data of its
// files in the order of their descriptors.
func (s *Stage) Args() (args []string, data [][]byte) {
	args = []string{"--die-with-parent", "--new-session",
		"--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"}
	if s.AsRoot {
		// A user namespace of root's is root on the host: there is none.
		args = append(args, "--cap-add", "ALL")
	} else {
		// These are for the entry of the stage, which gives them up before
		// anything of the runtime starts (proc.Enter).
		args = append(args, "--unshare-user", "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_NET_ADMIN", "--cap-add",
			"CAP_NET_BIND_SERVICE")
	}
	args = append(args, "--ro-bind", "/", "/")
	// Not --dev: as an ordinary user that makes a second user namespace,
	// in which the network cannot be set up.
	args = append(args, "--tmpfs", "/dev", "--tmpfs", "/dev/shm")
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		args = append(args, "--dev-bind", "/dev/"+name, "/dev/"+name)
	}
	for i, name := range []string{"fd", "fd/0", "fd/1", "fd/2"} {
		args = append(args, "--symlink", "/proc/self/"+name, "/dev/"+[]string{"fd", "stdin", "stdout", "stderr"}[i])
	}
	if s.AsRoot {
		args = append(args, "--dev-bind", "/proc", "/proc") // a fresh one is mounted on entry
	} else {
		args = append(args, "--proc", "/proc")
	}
	for _, m := range s.Mounts {
		switch m.Kind {
		case Memory:
			args = append(args, "--perms", "0755", "--tmpfs", m.Target)
		case Data:
			args = append(args, "--perms", "0644", "--ro-bind-data", fmt.Sprint(proc.StageData(len(data))), m.Target)
			data = append(data, m.Bytes)
		default:
			args = append(args, "--"+string(m.Kind), m.Source, m.Target)
		}
	}
	return append(args, "--chdir", "/", "--hostname", "stage"), data
}

// Hidden says whether a path of the host is not to be seen on the stage.
func (s *Stage) Hidden(path string) bool {
	return pathname.WithinAny(path, s.Memory()) &&
		!slices.ContainsFunc(s.Mounts, func(m Mount) bool { return m.Kind != Memory && pathname.Within(path, m.Target) })
}

// add mounts at a place.
func (s *Stage) add(kind Kind, source, target string) {
	s.Mounts = append(s.Mounts, Mount{Kind: kind, Source: source, Target: target})
}

func (s *Stage) lay(path string, mode iofs.FileMode, data []byte) {
	s.Files = append(s.Files, fs.Laid{Path: filepath.Clean(path), Mode: mode, Data: data})
}
