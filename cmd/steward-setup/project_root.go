// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: without the standing approval it only prints; with it, it
// adds exactly a worktree's own path to its own ignored file. It is called by
// a git hook, so no repository is a warning and no failure.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

type rootOptions struct{ all, dryRun bool }

func newProjectRoot(a *app) *cobra.Command {
	var o rootOptions
	cmd := &cobra.Command{
		Use:   "project-root",
		Short: "Add this worktree's path to its own settings.local.json",
		Long: `project-root adds the worktree's absolute path to the sandbox's allowRead list in
that worktree's .claude/settings.local.json, if git ignores that file. It writes
only in repositories that have the standing approval of install; elsewhere it
prints what it would write.`,
		Example: `  steward-setup project-root --dry-run         write nothing
  steward-setup project-root --all-worktrees   every worktree of this repository`,
		Args: cobra.NoArgs,
		RunE: a.onHost(func(cmd *cobra.Command, h *host.Host, _ []string) error {
			return a.projectRoot(cmd.Context(), h, o)
		}),
	}
	cmd.Flags().BoolVar(&o.all, "all-worktrees", false, "all worktrees of the repository, not only this one")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print what would be written; write nothing")
	return cmd
}

func (a *app) projectRoot(ctx context.Context, h *host.Host, o rootOptions) error {
	roots, err := projectRoots(ctx, h, a.project, o.all)
	if errors.Is(err, gitrepo.ErrNone) {
		const none = "no git repository here: no root to add"
		if !a.json {
			a.complain(&report.Error{What: none})
			return nil
		}
		out := a.output("project-root", report.Facts{OS: a.sys.GOOS})
		out.Emit(engine.Note{Text: none})
		return out.end(report.ExitOK, nil)
	}
	out := a.output("project-root", roots.Facts)
	if err != nil {
		return out.end(0, err)
	}
	a.project = cmp.Or(roots.Facts.Project, a.project)
	line := a.self(h) + " project-root" + a.globals()
	if o.all {
		line += " --all-worktrees"
	}
	if !o.dryRun && len(roots.Plan.Changes()) > 0 {
		if err := a.refuseInAgent(line); err != nil {
			return out.end(0, err)
		}
		if err := ownPlaces(h, cmp.Or(a.project, a.sys.Cwd)); err != nil {
			return out.end(0, err)
		}
	}
	if o.dryRun || !roots.Approved {
		out.Emit(engine.PlanReady{Plan: roots.Plan})
		if !o.dryRun && len(roots.Plan.Changes()) > 0 {
			out.Emit(engine.Note{Text: fmt.Sprintf("Nothing was written: there is no standing approval for this repository. "+
				"To give it:  %s install --standing-approval%s", a.self(h), a.globals())})
		}
		return out.end(report.ExitOK, nil)
	}
	left := roots.Plan.LeftForUser() > 0
	if left || roots.Malformed != nil { // what is not written is said, with its remedy
		out.Emit(engine.PlanReady{Plan: roots.Plan})
	}
	if _, err = a.applier(h).Apply(ctx, roots.Plan, roots.Plan.ID, "project-root", out.Emit); err == nil {
		err = roots.Malformed
	}
	if err == nil && left {
		return out.end(report.ExitLeft, nil)
	}
	return out.end(report.ExitOK, err)
}
