// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package host is the machine as the rest of the program sees it: a Reader
// that cannot write.
//
// Contract: internal/host and its three rooms env, fs and proc are the only
// packages that start processes, touch files, or read environment and clock.
// Checks and proposers get a Reader; only the engine gets at fs.Apply.
package host

import (
	"context"
	iofs "io/fs"
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// Reader is what a check or a proposer may do: look.
type Reader interface {
	System() env.System
	Places() env.Places
	// Read returns a file's bytes, links followed; ReadIn those of a file
	// below root that no link may lead out of.
	Read(path string) ([]byte, error)
	// Script is Read for a file that begins with #!; of another one it returns nothing.
	Script(path string) ([]byte, error)
	// ReadAll reads up to fs.MaxOwn: for files of our own only.
	ReadAll(path string) ([]byte, error)
	ReadIn(root, rel string) ([]byte, error)
	Stat(path string) (iofs.FileInfo, error)
	Lstat(path string) (iofs.FileInfo, error)
	Readlink(path string) (string, error)
	ReadDir(path string) ([]iofs.DirEntry, error)
	// Resolve follows links to the file that a write would replace.
	Resolve(path string) (string, error)
	// Through says whether the way to path leads through one of dirs.
	Through(path string, dirs []string) bool
	// Links lists the links that are followed on the way to path.
	Links(path string) []string
	// AccessList is who may write a file by its access list.
	AccessList(path string) (fs.Writers, bool)
	// Look finds a program on PATH, but not one of the project around the
	// working directory (Written); Run starts it.
	Look(program string) (string, error)
	Run(ctx context.Context, s proc.Spec) proc.Result
}

// Host is the real machine.
type Host struct {
	system env.System
	places env.Places
	runner proc.Runner
	// avoid is proc.Runner's Avoid: worked out for the first program, since a
	// footer starts none.
	avoid func() []string
}

// New returns the machine as system describes it; the error is that of
// Places.
func New(system env.System) (*Host, error) {
	places, err := system.Places()
	if err != nil {
		return nil, err
	}
	// Rules, mounts and what install writes name real paths: a home by way of
	// a link would be two homes.
	if real, err := fs.Resolve(places.Home); err == nil && real != places.Home {
		if places, err = system.PlacesAt(real); err != nil {
			return nil, err
		}
	}
	if info, err := fs.Stat(places.Home); err == nil && !info.IsDir() {
		return nil, env.NoHome("names a file, not a directory")
	}
	h := &Host{system: system, places: places, runner: proc.Runner{Env: system.Env, Runtime: system.Runtime,
		Program: places.Agent.Program}}
	h.avoid = sync.OnceValue(func() []string { return Written(h, system.Cwd) })
	return h, nil
}

// The methods of Reader.

func (h *Host) System() env.System                           { return h.system }
func (h *Host) Places() env.Places                           { return h.places }
func (h *Host) Read(path string) ([]byte, error)             { return fs.Read(path) }
func (h *Host) Script(path string) ([]byte, error)           { return fs.Script(path) }
func (h *Host) ReadAll(path string) ([]byte, error)          { return fs.ReadAll(path) }
func (h *Host) ReadIn(root, rel string) ([]byte, error)      { return fs.ReadIn(root, rel) }
func (h *Host) Stat(path string) (iofs.FileInfo, error)      { return os.Stat(path) }
func (h *Host) Lstat(path string) (iofs.FileInfo, error)     { return os.Lstat(path) }
func (h *Host) Readlink(path string) (string, error)         { return os.Readlink(path) }
func (h *Host) ReadDir(path string) ([]iofs.DirEntry, error) { return os.ReadDir(path) }
func (h *Host) Resolve(path string) (string, error)          { return fs.Resolve(path) }
func (h *Host) Through(path string, dirs []string) bool      { return fs.WayTo(path).Through(dirs) }
func (h *Host) Links(path string) []string                   { return fs.WayTo(path).Links }
func (h *Host) AccessList(path string) (fs.Writers, bool)    { return fs.AccessList(path) }
func (h *Host) Look(program string) (string, error)          { return h.starts().Look(program) }

// starts is what starts programs, none of the project's.
func (h *Host) starts() proc.Runner {
	runner := h.runner
	runner.Avoid = h.avoid()
	return runner
}

// Run starts a program, which is none of the project that it asks about either.
// git is not started where it would wait: the error is a *Waits.
func (h *Host) Run(ctx context.Context, s proc.Spec) proc.Result {
	runner := h.starts()
	if s.Program() == "git" {
		if waits := WaitsFor(h, s.About()); waits != nil {
			return proc.Result{Line: s.String(), Code: -1, Err: waits}
		}
	}
	if s.About() != "" {
		runner.Avoid = slices.Concat(runner.Avoid, Written(h, s.About()))
	}
	return runner.Run(ctx, s)
}

// Owner is the user id that a path belongs to, if the system says so.
func (h *Host) Owner(path string) (uid int, ok bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	uid, _, ok = OwnerOf(info)
	return uid, ok
}

// OwnerOf is the user and the group that a file belongs to, if the system says
// so.
func OwnerOf(info iofs.FileInfo) (uid, gid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}

// Names is how many names a file has: 1, and one more for each hard link.
func Names(info iofs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}

// Device is the file system that a file lies on, if the system says so.
func Device(info iofs.FileInfo) (device uint64, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(st.Dev), true //nolint:unconvert // int32 on macOS; only compared
}

// Same says whether both are the same file.
func Same(a, b iofs.FileInfo) bool { return os.SameFile(a, b) }

// fileID is the same for all names of a file, as the key of a map.
type fileID struct{ device, inode uint64 }

func idOf(info iofs.FileInfo) (id fileID) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id = fileID{uint64(st.Dev), st.Ino} //nolint:unconvert // int32 on macOS; only compared
	}
	return id
}
