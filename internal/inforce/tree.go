// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where a repository is, is found by looking, as the
// runtime does, without git: a footer has no time for a process. Nothing is
// believed that does not point back.

package inforce

import (
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
)

// Tree is the work tree that a directory lies in. All is "" where there is
// none.
type Tree struct {
	// Root is its root, Main that of the main checkout ("" if the
	// repository is bare); the same unless it is a linked worktree.
	Root, Main string
	// Git is the git directory of the work tree, Common that of all of
	// them.
	Git, Common string
}

// FindTree looks for the work tree of dir, which is absolute, with links
// resolved.
func FindTree(h host.Reader, dir string) Tree {
	for {
		if info, err := h.Stat(filepath.Join(dir, ".git")); err == nil {
			return treeAt(h, dir, info.IsDir())
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return Tree{}
		}
		dir = parent
	}
}

// treeAt reads what stands in .git at root. That of a linked worktree leads to
// the main checkout, if that knows it (gitrepository-layout(5): commondir and
// gitdir).
func treeAt(h host.Reader, root string, isDir bool) Tree {
	link := filepath.Join(root, ".git")
	t := Tree{Root: root, Main: root, Git: link, Common: link}
	if isDir {
		return t
	}
	git, ok := gitFile(h, link, "gitdir: ", root)
	if !ok {
		return t
	}
	t.Git, t.Common = git, git
	common, ok := gitFile(h, filepath.Join(git, "commondir"), "", git)
	if !ok {
		return t
	}
	if back, ok := gitFile(h, filepath.Join(git, "gitdir"), "", git); !ok || back != link {
		return t
	}
	t.Common, t.Main = common, ""
	if filepath.Base(common) == ".git" {
		t.Main = filepath.Dir(common)
	}
	return t
}

// gitFile reads a file that holds one path, relative to base.
func gitFile(h host.Reader, path, prefix, base string) (string, bool) {
	b, err := h.Read(path)
	if err != nil {
		return "", false
	}
	to, ok := strings.CutPrefix(strings.TrimSpace(string(b)), prefix)
	if !ok || to == "" {
		return "", false
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(base, to)
	}
	return filepath.Clean(to), true
}
