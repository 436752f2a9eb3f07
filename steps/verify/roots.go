// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a root is covered when the worktree's own local settings
// name exactly that worktree; another worktree's root in it is worth a word.

package verify

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// projectRoot asks, for each worktree, whether its root is covered.
func projectRoot(dir string) engine.Check {
	return engine.Check{ID: "project-root", Title: "Each worktree's root is covered", Layer: report.LayerSandbox,
		Run: func(ctx context.Context, r host.Reader) report.Finding { return checkRoots(ctx, r, dir) }}
}

func checkRoots(ctx context.Context, r host.Reader, dir string) report.Finding {
	repo, worktrees, err := open(ctx, r, dir)
	if err != nil {
		return notOpened(dir, err)
	}
	f := report.Finding{Status: report.Pass}
	covered, usable := 0, 0
	for _, wt := range worktrees {
		if wt.State != gitrepo.Usable {
			continue
		}
		usable++
		path := filepath.Join(wt.Path, ".claude", "settings.local.json")
		doc, err := document(r, path)
		if err != nil {
			return Dropped(path, err)
		}
		if v := stringIn(doc.Get("sandbox", "filesystem", "allowRead"), wt.Path); v != nil {
			covered++
			f.Evidence = append(f.Evidence, report.FileEvidence(doc.Where(v), "allowRead names this worktree"))
		} else {
			f.Evidence = append(f.Evidence, report.FileEvidence(path, "allowRead does not name "+wt.Path))
		}
		if v := stringIn(doc.Get("sandbox", "filesystem", "allowWrite"), wt.Path); v != nil && wt.Path == repo.Main && r.System().GOOS == "linux" && len(worktrees) > 1 {
			f.Status = report.Warn
			f.Evidence = append(f.Evidence, report.FileEvidence(doc.Where(v), "allowWrite of the main checkout: every linked worktree's session can write all of it"))
		}
	}
	f.Summary = fmt.Sprintf("%d of %d worktrees name their own root", covered, usable)
	if covered < usable {
		f.Status = report.Warn
		f.Remedies = []report.Remedy{report.Command{ID: "project-root", Optional: true, Line: "steward-setup install", Why: "adds the roots that are missing"}}
	}
	if usable == 0 {
		f.Status = report.Skip
		f.Evidence = append(f.Evidence, report.FileEvidence(repo.CommonDir, "a bare repository without worktrees"))
	}
	return f
}

// notOpened is the answer where there is no repository to look at.
func notOpened(dir string, err error) report.Finding {
	f := report.Finding{Status: report.Unknown, Summary: "git did not answer", Evidence: []report.Evidence{report.FileEvidence(dir, err.Error())}}
	if errors.Is(err, gitrepo.ErrNone) {
		f.Status, f.Summary = report.Skip, "no git repository here"
	}
	return f
}

// open asks git about dir, or about the working directory.
func open(ctx context.Context, r host.Reader, dir string) (*gitrepo.Repo, []gitrepo.Worktree, error) {
	if dir == "" {
		dir = r.System().Cwd
	}
	repo, err := gitrepo.Open(ctx, r, dir)
	if err != nil {
		return nil, nil, err
	}
	worktrees, err := repo.Worktrees(ctx)
	return repo, worktrees, err
}

func stringIn(array *settings.Value, s string) *settings.Value {
	if array == nil {
		return nil
	}
	for _, v := range array.Items {
		if v.Kind == settings.Str && strings.TrimSuffix(v.Text, "/") == s {
			return v
		}
	}
	return nil
}
