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
	wanted := sharedFiles(r, paths)
	found = map[string]string{}
	seen, read := 0, map[string]bool{}
	for queue := slices.Clone(dirs); len(queue) > 0 && len(wanted) > 0; queue = queue[1:] {
		if read[queue[0]] {
			continue
		}
		read[queue[0]] = true
		entries, err := r.ReadDir(queue[0])
		if err != nil {
			continue // nor can a command find its way there
		}
		if seen += len(entries); seen > MaxEntries {
			break
		}
		for _, e := range entries {
			at := filepath.Join(queue[0], e.Name())
			if e.IsDir() {
				queue = append(queue, at)
			} else if e.Type().IsRegular() {
				wanted = slices.DeleteFunc(wanted, func(f *sharedFile) bool { return f.met(e, at, found, spare) })
			}
		}
	}
	if seen > MaxEntries {
		for _, f := range wanted {
			unseen = append(unseen, f.path)
		}
	}
	return found, unseen
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

// sharedFile is a file with several names.
type sharedFile struct {
	path, real string
	info       iofs.FileInfo
	// left is how many of its names were not met yet.
	left int
}

// sharedFiles are those of paths that have several names and belong to the
// user.
func sharedFiles(r Reader, paths []string) (list []*sharedFile) {
	for _, path := range paths {
		info, err := r.Stat(path)
		if err != nil || !info.Mode().IsRegular() || Names(info) < 2 {
			continue
		}
		if uid, _, ok := OwnerOf(info); !ok || uid == r.System().UID {
			list = append(list, &sharedFile{path, Real(r, path), info, Names(info)})
		}
	}
	return list
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
