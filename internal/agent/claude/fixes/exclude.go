// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what git is told to pass over are names that do not exist, or
// that it tracks and so sees all the same: no file of the user's becomes invisible
// to it.

package fixes

import (
	"context"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Exclude adds the placeholders that the sandbox shows in root to git's own
// list of what is not tracked, which no commit contains.
func Exclude(ctx context.Context, r host.Reader, root, id string, fix catalog.Fix) catalog.Here {
	tree := host.FindTree(r, root)
	if tree.Common == "" {
		return catalog.Here{Refuted: root + " is not in a git repository"}
	}
	const name = "info/exclude"
	change := report.Change{ID: report.ID("doctor/" + id), Path: filepath.Join(tree.Common, name), Within: tree.Common,
		Mode: 0o644, Why: fix.Title, Price: fix.Price}
	before, err := r.ReadIn(tree.Common, name)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return catalog.Here{Refused: "not judged: " + err.Error()}
	}
	change.Target, change.Before = change.Path, before
	have := strings.Split(string(before), "\n")
	lines := slices.DeleteFunc(claude.Excludable(seenByGit(ctx, r, root)), func(line string) bool {
		return slices.Contains(have, line)
	})
	if len(lines) == 0 {
		return catalog.Here{Refuted: "every placeholder is excluded already (" + change.Path + ")"}
	}
	text := string(before)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	change.After = []byte(text + strings.Join(lines, "\n") + "\n")
	return catalog.Here{Change: &change, Untried: "not tested: no settings change"}
}

// seenByGit says of a name whether git would pass over a file of the user's with
// it in a list that all worktrees of the repository share: where it is there in
// each, or untracked in one.
func seenByGit(ctx context.Context, r host.Reader, root string) func(rel string) bool {
	trees := []string{root}
	repo, err := gitrepo.Open(ctx, r, root)
	if err == nil {
		list, _ := repo.Worktrees(ctx) // none: the root alone
		for _, w := range list {
			if w.State == gitrepo.Usable && !slices.Contains(trees, w.Path) {
				trees = append(trees, w.Path)
			}
		}
	}
	return func(rel string) bool {
		missing := false
		for _, dir := range trees {
			info, lost := r.Lstat(filepath.Join(dir, rel))
			if missing = missing || lost != nil; lost != nil {
				continue
			}
			if err != nil || !info.Mode().IsRegular() {
				return true // what is new in a directory is untracked
			}
			if tracked, err := repo.Tracked(ctx, dir, rel); err != nil || !tracked {
				return true
			}
		}
		return !missing
	}
}
