// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git's own files are no symlinks. One that leads elsewhere was made by
// a command, and the user's own git writes and reads through it.

package gitruns

import (
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// maxLinkDirs bounds in how many directories of a repository's git directories symlinks
// are looked for; of stores of git-lfs there may be many more, which come after all others.
const maxLinkDirs = 5000

var (
	// notSearched are directories of hooks, which hookOpenings judges, of objects, which git
	// makes sure of by their names, and of other git directories, which are looked at by themselves.
	notSearched = []string{"hooks", "objects", "modules", "worktrees", "annex"}
	// onlyRead are files that git never writes, and whose text it never shows.
	onlyRead = []string{"info", "info/exclude", "info/attributes", "description", "hooks", "objects"}
	// stores are directories that a person keeps elsewhere to share them.
	stores = []string{"lfs", "lfs/objects", "annex", "modules", "svn", "rr-cache"}
	// notGits are symlinks whose names git never opens: what the runtime makes of one after a command (2.1.332),
	// and how Emacs says that it edits a message (Emacs manual, "Interlocking").
	notGits = lazy.Regexp(`^\.(#.*|.*\.claude-sandbox-quarantine-[0-9a-f]{12})$`)
)

// linkOpenings names the symlinks in a repository's git directories: a command made them,
// through which git of the user's own writes what commands say (COMMIT_EDITMSG to
// ~/.zshenv, from MERGE_MSG), or reads what they may not (MERGE_MSG to a key, into
// COMMIT_EDITMSG). 2.1.324 leaves them; 2.1.332 moves them aside after each command, but not
// while one runs in the background, nor once it has ended with the session (measured in
// both launches, with git 2.39), nor in a repository below the root, nor in one that a
// command made there in the same session.
func linkOpenings(r host.Reader, t host.Tree, most int) []opening.Opening {
	if t.Git == "" {
		return nil
	}
	return linksIn(r, most, append(dirsOf(r, t), submodules(r, t.Common)...)...)
}

// linksIn names the symlinks in the first most directories of git directories.
func linksIn(r host.Reader, most int, dirs ...string) (found []opening.Opening) {
	type place struct{ git, dir string }
	var next, last []place // last: where git-lfs keeps its files
	onlyStores := false
	for _, git := range dirs {
		next = append(next, place{git, ""})
	}
	for left := most; len(next)+len(last) > 0; left-- {
		switch {
		case left == 0 && (onlyStores || len(next) == 0):
			return found
		case left == 0:
			git := next[0].git
			return append(found, opening.Opening{Status: report.Unknown, Group: opening.Unresolved, Where: git, What: git,
				Opens: fmt.Sprintf("Symlinks were looked for in the first %d directories of the git directories only: a command "+
					"may have left others.", most),
				Remedy: report.Command{Why: "list the symlinks", Line: "find " + scripts.Quote(git) + " -type l"}})
		case len(next) == 0:
			next, last, onlyStores = last, nil, true
		}
		at := next[0]
		next = next[1:]
		entries, _ := r.ReadDir(filepath.Join(at.git, at.dir))
		for _, e := range entries {
			name := filepath.Join(at.dir, e.Name())
			switch {
			case slices.Contains(notSearched, name) && e.IsDir():
			case e.IsDir() && pathname.Within(name, "lfs/objects"):
				last = append(last, place{at.git, name})
			case e.IsDir():
				next = append(next, place{at.git, name})
			case e.Type()&iofs.ModeSymlink != 0:
				found = append(found, linkOpening(r, at.git, name)...)
			}
		}
	}
	return found
}

// linkOpening judges a symlink of a git directory.
func linkOpening(r host.Reader, git, name string) []opening.Opening {
	path := filepath.Join(git, name)
	to, err := r.Readlink(path)
	if err != nil || notGits().MatchString(filepath.Base(name)) || slices.Contains(onlyRead, name) {
		return nil
	}
	to = pathname.From(filepath.Dir(path), to)
	real := host.Real(r, to)
	if pathname.Within(real, filepath.Join(host.Real(r, git), "refs")) {
		return nil // what a name of refs means was such a symlink once
	}
	if shares(r, real, name) {
		return nil
	}
	o := opening.Opening{Status: report.Fail, Voids: true, Where: path, What: path,
		Opens: madeLink(path, to, "git") + " writes and reads through it: a commit can write a start file, or put a key " +
			"where commands read it.",
		Step: iso.LookThenRemove}
	if slices.Contains(stores, name) {
		o.Status, o.Voids = report.Warn, false
	}
	return []opening.Opening{o}
}

// shares says whether a symlink leads to the same name of another git directory, as those
// of git-new-workdir and of repo do.
func shares(r host.Reader, to, name string) bool {
	at, same := strings.CutSuffix(to, "/"+name)
	if !same {
		return false
	}
	for _, of := range []string{"HEAD", "objects"} {
		if _, err := r.Lstat(filepath.Join(at, of)); err == nil {
			return true
		}
	}
	return strings.HasSuffix(at, ".git")
}
