// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a session gets a git directory that it may write: a copy
// in memory of all but the objects, which stay where they are and are only
// read.

package stage

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/gitconfig"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
)

// notCopied are entries of a common git directory that no session on a stage
// needs: what is large, and what of the user's would run.
var notCopied = []string{"objects", "lfs", "modules", "logs", "worktrees", "hooks", "index.lock"}

// link copies the .git file of a linked work tree.
func (s *Stage) link(r host.Reader, t host.Tree) error {
	path := filepath.Join(t.Root, ".git")
	info, err := r.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || t.Git == path {
		return nil //nolint:nilerr // a directory, which git copies, or nothing that leads anywhere
	}
	b, err := r.Read(path)
	if err != nil {
		return unreadable(path, err)
	}
	s.lay(path, 0o644, b)
	return nil
}

// believe says why a directory that a work tree names as its git directory is
// not taken for one: nil if it is. A .git file of a hostile project may name
// any directory, and what is in it would be copied onto the stage. The rules
// are git's own (setup.c, is_git_directory), and that a linked work tree is
// one that the repository keeps (gitrepository-layout(5)).
func believe(r host.Reader, t host.Tree) error {
	doubt := func(where, what string) error {
		return &report.Error{Code: report.ExitLeft, Where: where, What: what,
			Why: "what is in a git directory is copied onto the stage", Next: "check " + filepath.Join(t.Root, ".git")}
	}
	if t.Git != t.Common && filepath.Dir(t.Git) != filepath.Join(t.Common, "worktrees") {
		return doubt(t.Git, "is named as a work tree of "+t.Common+", which does not keep it")
	}
	for _, name := range []string{"objects", "refs"} {
		// The objects may be a link to those of another repository (repo,
		// git-new-workdir), but to nothing else.
		path := filepath.Join(t.Common, name)
		if real, err := r.Resolve(path); name == "objects" && err == nil && filepath.Base(real) == name {
			path = real
		}
		if info, err := r.Lstat(path); err != nil || !info.IsDir() {
			return doubt(t.Common, "is named as the git directory, but holds no "+name)
		}
	}
	// A link is the form of git before 2005.
	to, err := r.Readlink(filepath.Join(t.Common, "HEAD"))
	if err == nil && strings.HasPrefix(to, "refs/") || plainHead(r, t.Common) {
		return nil
	}
	return doubt(t.Common, "is named as the git directory, but holds no HEAD that is one")
}

// maxHead bounds HEAD, in bytes: a ref's name is a path.
const maxHead = 4096

var headForm = lazy.Regexp(`^(ref: refs/|[0-9a-f]{40}([0-9a-f]{24})?\s*$)`)

// git copies the common git directory, and what belongs to the work trees
// that are on the stage; objects is where those are mounted.
func (s *Stage) git(r host.Reader, common, objects string, trees []host.Tree) error {
	entries, err := r.ReadDir(common)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !slices.Contains(notCopied, e.Name()) {
			if err := s.copyGit(r, filepath.Join(common, e.Name())); err != nil {
				return err
			}
		}
	}
	for _, t := range trees {
		if t.Common == common && t.Git != common {
			if err := s.copyGit(r, t.Git); err != nil {
				return err
			}
		}
	}
	s.add(ReadOnly, filepath.Join(common, "objects"), objects)
	s.lay(filepath.Join(common, "objects", "info", "alternates"), 0o644, []byte(objects+"\n"))
	s.Files = append(s.Files, fs.Directory(filepath.Join(common, "refs")), fs.Directory(filepath.Join(common, "hooks")))
	return nil
}

// copyGit copies a part of a git directory. Of its configuration only what
// says how the repository is stored goes along.
func (s *Stage) copyGit(r host.Reader, path string) error {
	return s.copy.copy(r, path, func(f fs.Laid) {
		if name := filepath.Base(f.Path); name == "config" || name == "config.worktree" {
			f = fs.Laid{Path: f.Path, Mode: 0o644, Data: storage(f.Data)}
		}
		s.Files = append(s.Files, f)
	})
}

// stored are the keys that a copy keeps, in lower case (git-config(1)): how the
// repository is stored, and no program to run, no file to include, no address with a
// password in it.
var stored = map[string][]string{
	"core": {"repositoryformatversion", "filemode", "bare", "ignorecase", "precomposeunicode", "symlinks", "autocrlf",
		"eol", "safecrlf", "sparsecheckout", "sparsecheckoutcone", "worktree"},
	"extensions": {"objectformat", "compatobjectformat", "refstorage", "worktreeconfig", "relativeworktrees", "noop",
		"noop-v1"},
}

// plainValue is one that means the same without quotes, and ends with its line.
var plainValue = lazy.Regexp(`^([\w./@+-]([\w./ @+-]*[\w./@+-])?)?$`)

// storage is the part of a git configuration that a copy keeps, ended by what
// keeps git from running anything of the project's.
func storage(config []byte) []byte {
	var out strings.Builder
	for _, s := range gitconfig.Settings(config) {
		if !slices.Contains(stored[s.Section], s.Key) || !plainValue().MatchString(s.Raw) {
			continue
		}
		out.WriteString("[" + s.Section + "]\n\t" + s.Key)
		if s.Given {
			out.WriteString(" = " + s.Raw)
		}
		out.WriteString("\n")
	}
	return []byte(out.String() + "[core]\n\tfsmonitor = false\n\thooksPath = /dev/null\n")
}

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
	return plainHead(r, path)
}

// plainHead says whether the HEAD in a directory is a file, and one of git's.
func plainHead(r host.Reader, dir string) bool {
	head := filepath.Join(dir, "HEAD")
	info, err := r.Lstat(head)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxHead {
		return false
	}
	b, err := r.Read(head)
	return err == nil && headForm().Match(b)
}
