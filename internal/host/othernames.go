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
	wanted := sharedFiles(r, paths, dirs)
	found = map[string]string{}
	if len(wanted) == 0 {
		return found, nil
	}
	if !Walk(r, dirs, MaxEntries, func(at string, e iofs.DirEntry) (into bool) {
		if e.Type().IsRegular() {
			wanted = slices.DeleteFunc(wanted, func(f *sharedFile) bool { return f.met(e, at, found, spare) })
		}
		return len(wanted) > 0 && !slices.Contains(dirs, at)
	}) {
		for _, f := range wanted {
			unseen = append(unseen, f.path)
		}
	}
	return found, unseen
}

// sharedFile is a file with several names.
type sharedFile struct {
	path, real string
	info       iofs.FileInfo
	// left is how many of its names were not met yet.
	left int
}

// sharedFiles are those of paths that have several names, not all of them beside each other
// outside of dirs (as ~/.cargo/bin has them), and belong to the user.
func sharedFiles(r Reader, paths, dirs []string) (list []*sharedFile) {
	for _, path := range paths {
		info, err := r.Stat(path)
		if err != nil || !info.Mode().IsRegular() || Names(info) < 2 {
			continue
		}
		if uid, _, ok := OwnerOf(info); !ok || uid == r.System().UID {
			f := &sharedFile{path, Real(r, path), info, Names(info)}
			if pathname.WithinAny(f.real, dirs) || f.left > f.beside(r) {
				list = append(list, f)
			}
		}
	}
	return list
}

// beside is how many of its names its directory holds.
func (f *sharedFile) beside(r Reader) (n int) {
	entries, _ := r.ReadDir(filepath.Dir(f.real)) // none, if it cannot be read
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.Type().IsRegular() && Same(info, f.info) {
			n++
		}
	}
	return n
}

// met notes at as the other name of f if it is one, and says whether f need not
// be looked for any longer.
func (f *sharedFile) met(e iofs.DirEntry, at string, found map[string]string, spare func(path, at string) bool) bool {
	info, err := e.Info()
	if err != nil || !Same(info, f.info) {
		return false
	}
	if f.left--; at != f.real && !spare(f.path, at) {
		found[f.path] = at
		return true
	}
	return f.left == 0
}
