// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the texts that a session loads from directories outside of its work
// tree are looked at as those in it are.

package projectcode

import (
	"cmp"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// textsAround looks through the texts that a plain session in start loads from outside of its work
// tree (measured with 2.1.332 and 2.1.324). In a linked worktree these are the main
// checkout's, or the bare repository's, of each kind for which the worktree has no
// directory; without a repository those of each directory above, up to the home.
// claude-iso loads none of them, and no plugin is loaded from there.
func textsAround(r host.Reader, tree host.Tree, start string) (walks []*textWalk) {
	look := func(dir, name string, kind claude.Text, why string) {
		if session.StartAt(r, filepath.Join(dir, claude.Dir)) == session.StartAt(r, r.Places().AgentDir) {
			return // the user's own, of a home that is a repository
		}
		w := &textWalk{r: r, project: iso.Project{Reader: r, Root: dir, Main: dir}, start: start, why: why}
		w.dir(filepath.Join(dir, claude.Dir, name), kind, 0)
		walks = append(walks, w)
	}
	main := cmp.Or(tree.Main, tree.Common)
	for _, d := range claude.TextDirs {
		if main == tree.Root {
			break
		}
		if _, err := r.Stat(filepath.Join(tree.Root, claude.Dir, d.Name)); err != nil {
			look(main, d.Name, d.Kind, ". A plain session loads it in this worktree, which has no .claude/"+d.Name)
		}
	}
	home := host.Real(r, r.Places().Home)
	for dir := range pathname.Upward(start) {
		if tree.Root != "" || dir == home {
			break
		}
		for _, d := range claude.TextDirs {
			if dir != start {
				look(dir, d.Name, d.Kind, ". A plain session loads it in each directory below that has no repository")
			}
		}
	}
	return walks
}
