// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a FIFO is opened by nobody who would wait for its writer. Our
// own reads do not wait (fs.Read); git does, so it is not started there.

package host

import (
	"path/filepath"
	"slices"
)

// Waits is the error of a question that git would not answer: Path is no regular
// file, and git opens it.
type Waits struct{ Path string }

func (e *Waits) Error() string { return e.Path + " is not a regular file: git would wait for it" }

// Files that git opens for the questions of this program: of a git directory
// (gitrepository-layout(5)), the branch that HEAD names beside them, and of a
// directory of the work tree.
var (
	gitOpens = []string{"commondir", "HEAD", "config", "config.worktree", "index", "packed-refs", "shallow",
		"info/exclude", "info/attributes", "info/grafts", "info/sparse-checkout", "objects/info/alternates",
		"objects/info/commit-graph"}
	treeOpens = []string{".git", ".gitignore", ".gitattributes", ".gitmodules"}
)

// waitsFor is a file that git would wait for if it is asked about dir, "" if none
// is known: a FIFO, a socket or a device.
func waitsFor(r Reader, dir string) string {
	tree := FindTree(r, Real(r, dir))
	if tree.Root == "" {
		return ""
	}
	var paths []string
	for _, git := range slices.Compact([]string{tree.Git, tree.Common}) {
		for _, name := range gitOpens {
			paths = append(paths, filepath.Join(git, name))
		}
		head, _ := gitFile(r, filepath.Join(tree.Git, "HEAD"), "ref: ", git)
		paths = append(paths, head)
	}
	for _, at := range slices.Compact([]string{tree.Root, Real(r, dir)}) {
		for _, name := range treeOpens {
			paths = append(paths, filepath.Join(at, name))
		}
	}
	for _, path := range paths {
		if info, err := r.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return path
		}
	}
	return ""
}
