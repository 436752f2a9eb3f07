// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git is tried in every worktree, in a session that starts
// there, and on a copy: no repository of the user's gets a commit.

package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/probe"
	"github.com/steward-setup/steward-setup/internal/report"
)

func gitWorktree() experiment {
	return experiment{id: "git-worktree", title: "git works in every worktree", outside: gitOutside, asks: gitAsks, none: "no git repository here"}
}

func gitOutside(ctx context.Context, b *bench) control {
	dir := b.o.Project
	if dir == "" {
		dir = b.r.System().Cwd
	}
	repo, err := gitrepo.Open(ctx, b.r, dir)
	if errors.Is(err, gitrepo.ErrNone) {
		return absent("no git repository here", report.FileEvidence(dir, "lies in no repository"))
	}
	if err != nil || repo.Root == "" {
		text := "is a bare repository"
		if err != nil {
			text = err.Error()
		}
		return absent("git does not work here outside either: "+text, report.FileEvidence(dir, text))
	}
	list, err := repo.Worktrees(ctx)
	if err != nil {
		return absent("git lists no worktrees: "+err.Error(), report.FileEvidence(repo.Root, err.Error()))
	}
	c := control{status: report.Pass, vars: map[string]string{"PROJECT_ROOT": repo.Root}}
	usable := 0
	for _, w := range list {
		if w.State == gitrepo.Usable {
			usable++
			c.evidence = append(c.evidence, report.FileEvidence(w.Path, "a worktree that git knows"))
		}
	}
	c.summary = count(usable, "worktree", "worktrees")
	return c
}

// gitAsks are the calls in each worktree, one after the other, since each
// takes the index' lock.
func gitAsks(b *bench, _ control) []ask {
	if b.facts.Git == "" {
		return nil
	}
	var list []ask
	for i, dir := range append([]string{""}, b.trees...) {
		where := ""
		if dir != "" {
			where = " in " + filepath.Base(dir)
		}
		add := func(turn int, what, line string, r role) {
			id := fmt.Sprintf("git-%s-%d", what, i)
			list = append(list, ask{id: id, title: "git " + what + where, dir: dir, turn: turn, role: r, entry: "git-worktree", layer: always(catalog.Mount, "a local git call needs files alone"),
				call: bash(line + " && printf 'steward-%s' " + id), through: probe.Through{Reply: "steward-" + id}})
		}
		add(0, "status", "git status --short", needed)
		add(1, "add", "printf x >steward-added.txt && git add steward-added.txt", needed)
		add(2, "commit", "git commit -q -m steward steward-added.txt", needed)
		add(3, "worktree-add", "git worktree add -q --detach steward-tree-"+fmt.Sprint(i), byDesign)
	}
	return list
}
