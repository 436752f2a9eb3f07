// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a file of the repository is read where it lies and nowhere
// else: no symlink on the way is followed.

package sync

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/secretscan"
)

// file is what lies at a path of the repository.
type file struct {
	bytes []byte // nil: nothing; of a symlink its target
	mode  string // as git has it, "" for nothing
	perm  iofs.FileMode
}

// is says whether it is what git names so.
func (f file) is(mode, id string) bool { return f.mode == mode && blobName(f.bytes, id) == id }

// modeOf is git's mode of what a change leaves, "" for nothing.
func modeOf(c report.Change) string {
	switch {
	case c.After == nil:
		return ""
	case c.Link():
		return linkMode
	case c.Mode&0o100 != 0:
		return execMode
	}
	return fileMode
}

// shape gives a change the modes that git has.
func shape(c *report.Change, before, after string) {
	perm := map[string]iofs.FileMode{fileMode: 0o644, execMode: 0o755, linkMode: iofs.ModeSymlink}
	c.Mode, c.ModeBefore = perm[after], perm[before]
	if after == "" {
		c.Mode = perm[before]
	}
	c.SetMode = before != "" && after != "" && before != after
}

// errElsewhere says that a path leads out of the repository, or may.
var errElsewhere = errors.New("lies behind a symlink")

// errKind says that a directory became a file, or a file a directory; errUntracked that
// what arrives is here as well, and git does not know it.
var (
	errKind      = errors.New("changes between a file and a directory")
	errUntracked = errors.New("exists here and is not tracked")
)

// here reads a path of the repository.
func (e *Exchange) here(rel string) (file, error) {
	full := filepath.Join(e.dir, rel)
	parent := filepath.Dir(full)
	if real, err := e.r.Resolve(parent); err == nil && real != parent {
		return file{}, errElsewhere
	}
	if above, err := e.r.Stat(parent); err == nil && !above.IsDir() {
		return file{}, errKind
	}
	info, err := e.r.Lstat(full)
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		return file{}, nil
	case err != nil:
		return file{}, err
	case info.Mode()&iofs.ModeSymlink != 0:
		target, err := e.r.Readlink(full)
		return file{[]byte(target), linkMode, 0}, err
	case info.IsDir():
		return file{}, errKind
	case !info.Mode().IsRegular():
		return file{}, errors.New(fs.NotRegular)
	case info.Size() > secretscan.BinaryLimit:
		return file{}, errTooLarge
	}
	b, err := e.r.ReadAll(full)
	if err != nil {
		return file{}, err
	}
	f := file{append([]byte{}, b...), fileMode, info.Mode().Perm()}
	if info.Mode().Perm()&0o100 != 0 {
		f.mode = execMode
	}
	return f, nil
}

// named says why a path may not be one of the repository, "" if it may.
func named(rel string) string {
	switch {
	case !utf8.ValidString(rel):
		return "its name is not UTF-8"
	case strings.ContainsFunc(rel, unicode.IsControl):
		return "its name has a control character"
	case rel == "" || path.IsAbs(rel) || path.Clean(rel) != rel || rel == ".." || strings.HasPrefix(rel, "../"):
		return "its name leads out of the repository"
	}
	for part := range strings.SplitSeq(rel, "/") {
		if strings.EqualFold(strings.TrimRight(part, ". "), ".git") {
			return "its name is git's own"
		}
	}
	return ""
}

// leadsOut says whether the symlink at rel leads out of the repository, or may:
// the ".." after a name is the parent of what the name leads to, and the name may
// be a symlink itself.
func leadsOut(rel, target string) bool {
	if path.IsAbs(target) {
		return true
	}
	below := false
	for part := range strings.SplitSeq(target, "/") {
		if below && part == ".." {
			return true
		}
		below = below || part != ".." && part != "." && part != ""
	}
	to := path.Join(path.Dir(rel), target)
	return to == ".." || strings.HasPrefix(to, "../") || named(to) != ""
}

func quoted(rel string) string {
	if named(rel) != "" {
		return fmt.Sprintf("%q", rel)
	}
	return rel
}
