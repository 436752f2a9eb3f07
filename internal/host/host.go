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
	"path/filepath"
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
	// ReadAll reads without a bound: for files of our own only.
	ReadAll(path string) ([]byte, error)
	ReadIn(root, rel string) ([]byte, error)
	Stat(path string) (iofs.FileInfo, error)
	Lstat(path string) (iofs.FileInfo, error)
	Readlink(path string) (string, error)
	ReadDir(path string) ([]iofs.DirEntry, error)
	// Resolve follows links to the file that a write would replace.
	Resolve(path string) (string, error)
	// Look finds a program on PATH, Run starts it.
	Look(program string) (string, error)
	Run(ctx context.Context, s proc.Spec) proc.Result
}

// Host is the real machine.
type Host struct {
	system env.System
	places env.Places
	runner proc.Runner
}

// New returns the machine as system describes it; the error is that of
// Places.
func New(system env.System) (*Host, error) {
	places, err := system.Places()
	if err != nil {
		return nil, err
	}
	return &Host{system, places, proc.Runner{Env: system.Env, Avoid: project(system.Cwd, places.Home)}}, nil
}

// project is the nearest directory around dir that looks like a work tree, as
// far as it does not contain the home; "" if there is none. It is a guess
// without git, since it decides which git may be asked.
func project(dir, home string) string {
	for ; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
		if rel, err := filepath.Rel(dir, home); err == nil && filepath.IsLocal(rel) {
			return ""
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				return real
			}
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
	return ""
}

// The methods of Reader.

func (h *Host) System() env.System                             { return h.system }
func (h *Host) Places() env.Places                             { return h.places }
func (h *Host) Read(path string) ([]byte, error)               { return fs.Read(path) }
func (h *Host) ReadAll(path string) ([]byte, error)            { return fs.ReadAll(path) }
func (h *Host) ReadIn(root, rel string) ([]byte, error)        { return fs.ReadIn(root, rel) }
func (h *Host) Stat(path string) (iofs.FileInfo, error)        { return os.Stat(path) }
func (h *Host) Lstat(path string) (iofs.FileInfo, error)       { return os.Lstat(path) }
func (h *Host) Readlink(path string) (string, error)           { return os.Readlink(path) }
func (h *Host) ReadDir(path string) ([]iofs.DirEntry, error)   { return os.ReadDir(path) }
func (h *Host) Resolve(path string) (string, error)            { return fs.Resolve(path) }
func (h *Host) Look(program string) (string, error)            { return h.runner.Look(program) }
func (h *Host) Run(c context.Context, s proc.Spec) proc.Result { return h.runner.Run(c, s) }

// Owner is the user id that a path belongs to, if the system says so.
func (h *Host) Owner(path string) (uid int, ok bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}
