// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: init and link change nothing that their plan does not show.

package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/steps/sync"
)

func newSyncInit(a *app) *cobra.Command {
	c := syncChange{name: sync.InitCommand, title: "Set up the sync repository", yes: "write these files",
		why: "Makes or clones ~/.claude-config, moves your files into it and puts symlinks in their place."}
	var o sync.InitOptions
	cmd := &cobra.Command{
		Use:   "init [URL]",
		Short: "Make or clone the repository, move your files in, link them back",
		Long: `init makes ~/.claude-config, or clones it from URL, as one plan: every file that
comes from the remote, every file of yours that moves in, every symlink. CLAUDE.md is
also kept as CLAUDE.md.bak. Where the repository has another version of a file,
yours stays and is named. The remote's server is asked once, over HTTPS and
without credentials: a public repository is refused. Nothing is committed or
pushed: sync push does that.`,
		Example: `  steward-setup sync init --plan                                 a new repository, without a remote
  steward-setup sync init git@github.com:you/claude-config.git   clone, or the remote of a new one
  steward-setup sync init --offline /mnt/backup/claude-config.git`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.flags = ""
			if o.Offline {
				c.flags = " --offline"
			}
			if len(args) == 1 {
				o.URL = args[0]
				c.flags += " " + scripts.Quote(syncrepo.WithoutPassword(o.URL))
			}
			return c.change(cmd.Context(), a, func(ctx context.Context, h *host.Host) (report.Proposal, error) {
				defer a.waitFor("asking the remote")()
				return sync.Init(ctx, h, o)
			})
		},
	}
	addPlanFlags(cmd, &c.plan, &c.apply, "print the plan", "write")
	cmd.Flags().BoolVar(&o.Offline, "offline", false, "do not ask the server whether the remote is private")
	return cmd
}

func newSyncLink(a *app) *cobra.Command {
	c := syncChange{name: sync.LinkCommand, title: "Symlinks to the sync repository", yes: "write these symlinks",
		why: "Puts a symlink wherever a file of the repository belongs, takes in project memory that it lacks, and links " +
			"its programs."}
	cmd := &cobra.Command{
		Use:   "link",
		Short: "Put the symlinks to the repository in place",
		Long: `link puts a symlink wherever a file of the repository belongs: below ~/.claude, in
the directories of your projects for their memory, and in ~/.local/bin for
programs (foo-linux and foo-macos-arm64 become foo on a machine of that kind). A
file of yours with other content stays and is named. What is linked already is
left alone.`,
		Example: `  steward-setup sync link
  steward-setup sync link --plan`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.change(cmd.Context(), a, func(ctx context.Context, h *host.Host) (report.Proposal,
				error) {
				return sync.Links(ctx, h)
			})
		},
	}
	addPlanFlags(cmd, &c.plan, &c.apply, "print the plan", "write")
	return cmd
}
