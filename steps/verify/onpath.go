// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that is called by its name is the first file of
// that name on PATH that is there, or that a command could create.

package verify

import (
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
)

// look finds a program by name as a shell does, which is started where the
// session is: an empty or relative entry of PATH counts from there. A symlink on
// PATH whose target is missing counts where commands may create the target.
func (g ground) look(name string) (string, error) {
	dirs := slices.Concat(inforce.Entries(g.r.System().Get("PATH"), g.s.dirs.Start), g.search)
	for _, dir := range dirs {
		at := filepath.Join(dir, name)
		if inforce.Program(g.r, at) {
			return at, nil
		}
		if _, err := g.r.Lstat(at); err != nil {
			continue
		}
		if _, err := g.r.Stat(at); err != nil && g.leads(at) {
			return at, nil
		}
	}
	at, err := g.r.Look(name)
	if i := slices.IndexFunc(dirs, g.leads); err != nil && g.creates && i >= 0 {
		return filepath.Join(dirs[i], name), nil
	}
	return at, err
}

// dropped says whether claude-iso finds a program elsewhere, or not at all, that
// was found at a path: it leaves out directories of the project, and relative
// ones, of PATH.
func (g ground) dropped(path string) bool {
	written := host.Written(g.r, g.s.dirs.Start)
	return g.r.Through(filepath.Dir(path), written) && slices.ContainsFunc(inforce.Entries(g.r.System().Get("PATH"),
		g.s.dirs.Start), func(dir string) bool {
		return filepath.Clean(dir) == filepath.Dir(path)
	}) && !slices.ContainsFunc(filepath.SplitList(g.r.System().Get("PATH")), func(dir string) bool {
		return filepath.IsAbs(dir) && !g.r.Through(dir, written) && g.leads(dir)
	})
}

// exists says whether a path is there, be it a symlink that leads nowhere.
func (g ground) exists(path string) bool {
	_, err := g.r.Lstat(path)
	return err == nil
}
