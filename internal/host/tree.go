// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where a repository or a program is, is found by looking, as
// the runtime does, without git: a footer has no time for a process, and a project
// must not choose which git is asked. Nothing is believed that does not point
// back; which programs the project could have put there is asked of what was found.

package host

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
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
func FindTree(r Reader, dir string) Tree {
	for dir := range pathname.Upward(dir) {
		if info, err := r.Stat(filepath.Join(dir, ".git")); err == nil {
			return treeAt(r, dir, info.IsDir())
		}
	}
	return Tree{}
}

// treeAt reads what stands in .git at root. That of a linked worktree leads to
// the main checkout, if that knows it (gitrepository-layout(5): commondir and
// gitdir).
func treeAt(r Reader, root string, isDir bool) Tree {
	link := filepath.Join(root, ".git")
	t := Tree{Root: root, Main: root, Git: link, Common: link}
	if isDir {
		return t
	}
	git, ok := gitFile(r, link, "gitdir: ", root)
	if !ok {
		return t
	}
	t.Git, t.Common = git, git
	common, ok := gitFile(r, filepath.Join(git, "commondir"), "", git)
	if !ok {
		return t
	}
	if back, ok := gitFile(r, filepath.Join(git, "gitdir"), "", git); !ok || back != link {
		return t
	}
	t.Common, t.Main = common, ""
	if filepath.Base(common) == ".git" {
		t.Main = filepath.Dir(common)
	}
	return t
}

// StrayCommonDir is the file commondir in the git directory of a main checkout,
// "" if there is none. Only a linked worktree has one
// (gitrepository-layout(5)): elsewhere it puts the configuration of another
// directory in the place of the repository's, and was left by a command.
func (t Tree) StrayCommonDir(r Reader) string {
	path := filepath.Join(t.Common, "commondir")
	if t.Root == "" || filepath.Base(filepath.Dir(t.Common)) == "worktrees" || !There(r, path) {
		return ""
	}
	return path
}

// gitFile reads a file that holds one path, relative to base.
func gitFile(r Reader, path, prefix, base string) (string, bool) {
	b, err := r.Read(path)
	if err != nil {
		return "", false
	}
	to, ok := strings.CutPrefix(strings.TrimSpace(string(b)), prefix)
	if !ok || to == "" {
		return "", false
	}
	to = pathname.From(base, to)
	return filepath.Clean(to), true
}

// ProjectDirs lists the directories that an agent at work on the project
// around dir may fill with programs: dir itself, each work tree that it lies
// in (an inner one may have been made to hide the outer), and of each the main
// checkout and the linked worktrees. They are absolute, links resolved. A
// directory that the home lies in is left out: the user's own programs lie
// there. dir is absolute, or "", which has none.
func ProjectDirs(r Reader, dir string) []string {
	home := Real(r, r.Places().Home)
	holdsHome := func(dir string) bool { return pathname.Within(home, dir) }
	var list []string
	add := func(dir string) {
		if dir = Real(r, dir); !holdsHome(dir) && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	if dir != "" {
		dir = Real(r, dir)
		add(dir)
	}
	for ; filepath.IsAbs(dir) && !holdsHome(dir); dir = filepath.Dir(dir) {
		if info, err := r.Lstat(filepath.Join(dir, ".git")); err == nil {
			add(dir)
			for _, other := range Checkouts(r, treeAt(r, dir, info.IsDir())) {
				add(other)
			}
		}
	}
	return list
}

// Written lists the directories that commands of the agent may write, whatever
// the settings say: those of the project around dir (ProjectDirs), and those
// for temporary files. They are absolute, links resolved.
func Written(r Reader, dir string) []string {
	list := ProjectDirs(r, dir)
	for _, temporary := range r.System().Temporary() {
		list = report.Union(list, Real(r, temporary))
	}
	return list
}

// Linked are the git directories of the linked worktrees of a tree's repository; none
// where they cannot be listed.
func (t Tree) Linked(r Reader) (dirs []string) {
	in := filepath.Join(t.Common, "worktrees")
	entries, err := r.ReadDir(in)
	if t.Common == "" || err != nil {
		return nil
	}
	for _, e := range entries {
		dirs = append(dirs, filepath.Join(in, e.Name()))
	}
	return dirs
}

// Checkouts lists the main checkout and the linked worktrees of a tree's
// repository. The main one is believed without its word: an agent at work
// there could have taken that back.
func Checkouts(r Reader, t Tree) []string {
	common := t.Common
	if worktrees := filepath.Dir(t.Git); t.Git == common && filepath.Base(worktrees) == "worktrees" {
		common = filepath.Dir(worktrees)
	}
	var list []string
	if There(r, common) && filepath.Base(common) == ".git" {
		list = append(list, filepath.Dir(common))
	}
	for _, git := range (Tree{Common: common}).Linked(r) {
		link, ok := gitFile(r, filepath.Join(git, "gitdir"), "", git)
		if !ok {
			continue
		}
		if back, ok := gitFile(r, link, "gitdir: ", filepath.Dir(link)); ok && Real(r, back) == Real(r, git) {
			list = append(list, filepath.Dir(link))
		}
	}
	return list
}

// Entries lists the directories of a PATH in their order, as a process in
// start knows them: one that is empty or relative is taken from there.
func Entries(path, start string) (list []string) {
	for dir := range strings.SplitSeq(path, ":") {
		if !filepath.IsAbs(dir) {
			dir = start + "/" + dir
		}
		list = append(list, dir)
	}
	return list
}

// Program says whether the file at path can be started.
func Program(r Reader, path string) bool {
	info, err := r.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// LookUp finds a program as the runtime does: the first on path, also below a
// relative entry, in a process that starts in start. It is "" if there is
// none.
func LookUp(r Reader, path, start, name string) string {
	for _, dir := range Entries(path, start) {
		if at := filepath.Join(dir, name); Program(r, at) {
			return at
		}
	}
	return ""
}
