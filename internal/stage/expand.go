// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a directory in which something is replaced becomes
// memory with everything else in it mounted read-only; nothing of the host is
// covered by a mount that would need a file to be made there.

package stage

import (
	iofs "io/fs"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// Bounds of a layout: what is beyond them is no project that can be rehearsed
// in.
const (
	maxEntries = 50_000 // directory entries that are looked at for .env files
	maxMounts  = 5_000
)

// expand mounts the directory dir of the host as memory, and everything in it
// but the paths in special, which are below it, read-only. Directories on the
// way to a special path are expanded too.
func (s *Stage) expand(r host.Reader, dir string, special []string) error {
	s.add(Memory, "", dir)
	return s.fill(r, dir, special)
}

// fill mounts what is in dir. A directory on the way to a special path is no
// mount of its own: nobody could rename one, whatever holds it in a session.
func (s *Stage) fill(r host.Reader, dir string, special []string) error {
	entries, err := r.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case slices.Contains(special, path):
		case e.IsDir() && slices.ContainsFunc(special, func(p string) bool { return pathname.Within(p, path) }):
			s.Files = append(s.Files, fs.Directory(path))
			if err := s.fill(r, path, special); err != nil {
				return err
			}
		default:
			if err := s.keep(r, path, e.Type()); err != nil {
				return err
			}
		}
		if len(s.Mounts) > maxMounts {
			return tooLarge(dir)
		}
	}
	return nil
}

// keep puts one entry where it is: mounted read-only, or copied where the
// player could not read it. Sockets, pipes and devices are left out.
func (s *Stage) keep(r host.Reader, path string, mode iofs.FileMode) error {
	switch {
	case mode&iofs.ModeSymlink != 0:
		if to, err := r.Readlink(path); err == nil && to != "" {
			s.add(Link, to, path)
		}
	case s.AsRoot && s.private(r, path):
		if mode.IsDir() {
			s.add(Memory, "", path)
		}
		return s.copy.copy(r, path, func(f fs.Laid) { s.Files = append(s.Files, f) })
	case mode.IsDir(), mode.IsRegular():
		s.add(ReadOnly, path, path)
	}
	return nil
}

// private says whether a file or directory of root's is closed to the player.
// What lies deeper in an open directory is not looked at.
func (s *Stage) private(r host.Reader, path string) bool {
	info, err := r.Lstat(path)
	if err != nil {
		return false
	}
	needed := iofs.FileMode(0o004)
	if info.IsDir() {
		needed = 0o005
	}
	return info.Mode().Perm()&needed != needed
}

// dotenvs lists the .env files below dir: what holds the secrets of a project
// by convention, at any depth. Templates of them hold none.
func dotenvs(r host.Reader, dir string) (found []string, all bool) {
	all = host.Walk(r, []string{dir}, maxEntries, func(at string, e iofs.DirEntry) bool {
		if !e.IsDir() && sensitive.Dotenv(e.Name()) {
			found = append(found, at)
		}
		return e.Name() != ".git"
	})
	return found, all
}

// linkedDotenvs are the .env files without the symlinks to one of them, which stay
// symlinks on the stage: the sandbox hides what a symlink leads to. names are
// these symlinks of each file.
func linkedDotenvs(r host.Reader, found []string) (files []string, names map[string][]string) {
	names = map[string][]string{}
	for _, path := range found {
		if real, err := r.Resolve(path); err == nil && real != path && slices.Contains(found, real) {
			names[real] = append(names[real], path)
		} else {
			files = append(files, path)
		}
	}
	return files, names
}
