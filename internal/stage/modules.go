// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a submodule that is checked out needs its git directory, or
// git fails in the whole project; it is copied by the rules of the project's.

package stage

import (
	"fmt"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/host"
)

// Bounds of what is copied of submodules: a name may have slashes, and a
// submodule submodules of its own.
const (
	maxModules     = 64
	maxModuleDepth = 6
)

// modules copies the git directories of a repository's submodules
// (gitrepository-layout(5), "modules"). objects begins the names of the places
// where their objects are mounted.
func (s *Stage) modules(r host.Reader, common, objects string) error {
	count := 0
	var below func(dir string, depth int) error
	below = func(dir string, depth int) error {
		entries, err := r.ReadDir(dir)
		if err != nil {
			return nil //nolint:nilerr // there are none, or git cannot read them either
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case !e.IsDir() || depth == 0:
				continue
			case !gitDirectory(r, path):
				err = below(path, depth-1)
			case count == maxModules:
				s.Notes = append(s.Notes,
					fmt.Sprintf("%s has more than %d submodules: git fails in those beyond them", common, maxModules))
				return nil
			default:
				count++
				if err = s.git(r, path, fmt.Sprintf("%sm%d", objects, count), nil); err == nil {
					err = below(filepath.Join(path, "modules"), depth-1)
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return below(filepath.Join(common, "modules"), maxModuleDepth)
}

// gitDirectory says whether a directory is laid out as git's, without a link.
func gitDirectory(r host.Reader, path string) bool {
	for _, name := range []string{"objects", "refs"} {
		if info, err := r.Lstat(filepath.Join(path, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	head := filepath.Join(path, "HEAD")
	info, err := r.Lstat(head)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxHead {
		return false
	}
	b, err := r.Read(head)
	return err == nil && headForm().Match(b)
}
