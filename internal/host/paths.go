// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what there is at, above and below a path is looked at, and
// nothing of it is opened.

package host

import (
	iofs "io/fs"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// maxLinks bounds symlinks to what is not there (path_resolution(7)).
const maxLinks = 40

// There says whether anything has that name, be it a symlink that leads nowhere.
func There(r Reader, path string) bool {
	_, err := r.Lstat(path)
	return err == nil
}

// Standing is path, or the nearest directory above it that is there.
func Standing(r Reader, path string) string {
	for at := range pathname.Upward(path) {
		if There(r, at) {
			return at
		}
	}
	return "/"
}

// StandingDir is the nearest directory at or above path that is there.
func StandingDir(r Reader, path string) string {
	for at := range pathname.Upward(path) {
		if info, err := r.Stat(at); err == nil && info.IsDir() {
			return at
		}
	}
	return "/"
}

// Resolved is the file that a write to path would replace, path where that is unknown.
func Resolved(r Reader, path string) string {
	if real, err := r.Resolve(path); err == nil {
		return real
	}
	return path
}

// Real is a path with its symlinks resolved, as far as it exists: those of the
// directories above what does not, and of a symlink to what is not there too.
func Real(r Reader, path string) string {
	path = filepath.Clean(path)
	if s, ok := r.(*still); ok {
		to, _ := s.reals.at(path, func(path string) (string, error) { return realIn(s, path, 0), nil })
		return to
	}
	return realIn(r, path, 0)
}

func realIn(r Reader, path string, links int) string {
	for dir, rest := path, ""; ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		above := filepath.Dir(dir)
		if _, err := r.Lstat(dir); err != nil && dir != above {
			continue
		}
		if to, err := r.Resolve(dir); err == nil {
			return filepath.Join(to, rest)
		}
		to, err := r.Readlink(dir)
		if err != nil || links >= maxLinks {
			return path
		}
		to = pathname.From(realIn(r, above, links+1), to) // its target's directory is not there
		return filepath.Join(realIn(r, to, links+1), rest)
	}
}

// Walk hands what lies in and below dirs to visit, what is nearest first, and goes into
// the directories that visit wants. all is false where there are more than most entries.
// Nothing is opened.
func Walk(r Reader, dirs []string, most int, visit func(at string, e iofs.DirEntry) (into bool)) (all bool) {
	for queue := slices.Clone(dirs); len(queue) > 0; queue = queue[1:] {
		entries, err := r.ReadDir(queue[0])
		if err != nil {
			continue // nor does anybody else find the way there
		}
		for _, e := range entries {
			if most--; most < 0 {
				return false
			}
			if at := filepath.Join(queue[0], e.Name()); visit(at, e) && e.IsDir() {
				queue = append(queue, at)
			}
		}
	}
	return true
}
