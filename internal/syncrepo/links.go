// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a symlink belongs to the repository if it leads into it,
// whoever made it; one that leads to what is no longer there belongs to it too.

package syncrepo

import (
	iofs "io/fs"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// Link is one symlink that leads into the repository.
type Link struct {
	Path string `json:"path"`
	To   string `json:"to"`
	// Broken says that nothing is there.
	Broken bool `json:"broken"`
}

// The bounds of the search for links.
const (
	maxLooked = 20000
	maxDeep   = 8
)

// Links lists the symlinks into the repository that lie in the places of the
// layout, in the order of the layout.
func Links(r host.Reader) []Link {
	dir := r.Places().SyncRepo
	s := search{r: r, dir: dir, real: host.Resolved(r, dir)}
	for _, part := range Layout(r.Places()) {
		switch {
		case part.Place == "":
		case part.Name == Memory:
			for _, e := range s.list(part.Place) {
				s.look(filepath.Join(part.Place, e.Name(), Memory), maxDeep)
			}
		case part.Name == Bin:
			s.look(part.Place, maxDeep-1)
		default:
			s.look(part.Place, 0)
		}
	}
	return s.found
}

type search struct {
	r         host.Reader
	dir, real string
	looked    int
	found     []Link
}

func (s *search) list(dir string) []iofs.DirEntry {
	list, _ := s.r.ReadDir(dir) // what cannot be read has no links that anybody follows
	return list
}

// look judges path, and what lies below it.
func (s *search) look(path string, depth int) {
	if s.looked++; s.looked > maxLooked {
		return
	}
	info, err := s.r.Lstat(path)
	switch {
	case err != nil:
	case info.Mode()&iofs.ModeSymlink != 0:
		to, _ := s.r.Readlink(path) // "" leads nowhere
		said := to
		to = pathname.From(filepath.Dir(path), to)
		real, err := s.r.Resolve(path)
		if err != nil {
			real = filepath.Clean(to)
		}
		if pathname.Within(real, s.real) || pathname.Within(filepath.Clean(to), s.dir) {
			_, gone := s.r.Stat(path)
			s.found = append(s.found, Link{path, said, gone != nil})
		}
	case info.IsDir() && depth < maxDeep:
		for _, e := range s.list(path) {
			s.look(filepath.Join(path, e.Name()), depth+1)
		}
	}
}
