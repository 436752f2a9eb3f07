// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule and a mount name a path, a file may have several.
// Another name (a hard link) is found by looking where commands may write, and
// only for a file that has one.

package host

import (
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// MaxEntries bounds how many entries of directories OtherNames looks through.
const MaxEntries = 200_000

// OtherNames looks below dirs, which are absolute, for another name of each of
// paths. found holds it by path. unseen are those of which it is not known: there
// were more entries than MaxEntries. A name for which spare is true does not
// count. A file of another user has no other name here that commands could write.
// Nothing is opened; where no file has a second name no directory is read.
func OtherNames(r Reader, paths, dirs []string, spare func(path, at string) bool) (found map[string]string,
	unseen []string) {
	dirs = report.Union(nil, dirs...)
	found = map[string]string{}
	for _, f := range sharedFiles(r, paths, dirs) {
		below := sharedBelow(r, dirs)
		names := below.names[f.id]
		other := slices.IndexFunc(names, func(at string) bool { return at != f.real && !spare(f.path, at) })
		switch {
		case other >= 0:
			found[f.path] = names[other]
		case !below.all && len(names) < f.names:
			unseen = append(unseen, f.path)
		}
	}
	return found, unseen
}

// shared are the files with several names below directories.
type shared struct {
	names map[fileID][]string
	all   bool // there were no more entries than MaxEntries
}

type sharedKey string

// sharedBelow looks through directories once in a round of checks, for whatever file is asked about.
func sharedBelow(r Reader, dirs []string) shared {
	return Found(r, sharedKey(strings.Join(dirs, "\x00")), func() shared {
		s := shared{names: map[fileID][]string{}}
		s.all = Walk(r, dirs, MaxEntries, func(at string, e iofs.DirEntry) (into bool) {
			if e.Type().IsRegular() {
				if info, err := e.Info(); err == nil && Names(info) > 1 {
					s.names[idOf(info)] = append(s.names[idOf(info)], at)
				}
			}
			return !slices.Contains(dirs, at)
		})
		return s
	})
}

// sharedFile is a file with several names.
type sharedFile struct {
	path, real string
	id         fileID
	names      int
}

// sharedFiles are those of paths that have several names, not all of them beside each other
// outside of dirs (as ~/.cargo/bin has them), and belong to the user.
func sharedFiles(r Reader, paths, dirs []string) (list []sharedFile) {
	for _, path := range paths {
		info, err := r.Stat(path)
		if err != nil || !info.Mode().IsRegular() || Names(info) < 2 {
			continue
		}
		if uid, _, ok := OwnerOf(info); !ok || uid == r.System().UID {
			f := sharedFile{path, Real(r, path), idOf(info), Names(info)}
			if pathname.WithinAny(f.real, dirs) || f.names > f.beside(r) {
				list = append(list, f)
			}
		}
	}
	return list
}

// beside is how many of its names its directory holds.
func (f sharedFile) beside(r Reader) (n int) {
	entries, _ := r.ReadDir(filepath.Dir(f.real)) // none, if it cannot be read
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.Type().IsRegular() && idOf(info) == f.id {
			n++
		}
	}
	return n
}
