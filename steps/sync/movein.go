// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what moves into the repository is a regular file of a place
// that belongs to the layout, and nothing that the repository has.

package sync

import (
	"errors"
	iofs "io/fs"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

// moveIn adds the files that lie in the places of the layout to the repository;
// linkParts then puts links in their place.
func (p *planner) moveIn(s *report.Section) error {
	for _, part := range syncrepo.Layout(p.r.Places()) {
		if part.Place == "" || part.Name == syncrepo.Memory || part.Name == syncrepo.Bin {
			continue
		}
		if err := p.takeIn(s, part.Name, part.Place, 0); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) takeIn(s *report.Section, rel, path string, depth int) error {
	info, err := p.r.Lstat(path)
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		return nil
	case err != nil:
		return unreadable(path, err)
	case info.Mode()&iofs.ModeSymlink != 0:
		if real, err := p.r.Resolve(path); err == nil && !pathname.Within(real, p.real) && !p.has(rel) {
			p.found(report.Warn, false, p.home(path)+ownLink, path, "a symlink to "+p.target(path))
		}
		return nil
	case info.IsDir() && depth < maxDepth:
		list, err := p.r.ReadDir(path)
		if err != nil {
			return unreadable(path, err)
		}
		for _, e := range list {
			if err := p.takeIn(s, rel+"/"+e.Name(), filepath.Join(path, e.Name()), depth+1); err != nil {
				return err
			}
		}
		return nil
	case !info.Mode().IsRegular() || p.has(rel):
		return nil
	case info.Size() > fs.MaxRead:
		p.found(report.Warn, false, p.home(path)+" is larger than 8 MB and stays", path,
			"a file of this size does not belong into the repository")
		return nil
	}
	if why, never := syncrepo.Ignored(rel); never {
		p.found(report.Warn, false, p.home(path)+" is never tracked and stays", path, why)
		return nil
	}
	if real, err := p.r.Resolve(path); err != nil || pathname.Within(real, p.real) {
		return nil //nolint:nilerr // what leads nowhere moves nowhere
	}
	if p.leaves(rel) {
		p.leadsOut(path, "stays")
		return nil
	}
	b, err := p.r.ReadAll(path)
	if err != nil {
		return unreadable(path, err)
	}
	if b == nil {
		b = []byte{}
	}
	s.Items = append(s.Items, p.add(rel, "moves into the repository; a symlink takes its place", b, info.Mode().Perm()))
	if rel == claude.Instructions {
		return p.backup(s, path, b, info.Mode().Perm())
	}
	return nil
}
