// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what changes the sync repository, or leads to it, is a plan
// like any other: shown, approved, applied with a receipt.

package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/sync"
)

func newSync(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Keep your agent configuration in step across machines",
		Long: `sync keeps CLAUDE.md, hook scripts, the wrapper, commands, git hooks, project
memory and your own programs in one private git repository, ~/.claude-config,
and symlinks them to where they are used. Credentials, sessions and settings are
never tracked.

First machine: make an empty private repository at your host, then init ADDRESS
and push. Every other machine: init ADDRESS. From then on: pull and push.`,
		Example: `  steward-setup sync init git@github.com:you/claude-config.git
  steward-setup sync status         what differs, and the next command
  steward-setup sync push           show each change, ask, commit, push
  steward-setup sync pull           take what other machines pushed`,
		Args: func(cmd *cobra.Command, args []string) error { return oneOf(cmd, args, nil) },
		RunE: func(*cobra.Command, []string) error { return nil }, // Args answers every call
	}
	cmd.AddCommand(newSyncStatus(a), newSyncInit(a), newSyncLink(a), newSyncPull(a), newSyncPush(a))
	return cmd
}

// syncChange shows what propose proposes, and applies it if that is approved;
// flags are those that make the same plan again, then is what to run after it.
func (a *app) syncChange(ctx context.Context, o planFlags, name, flags string, page tui.Confirmation,
	propose func(context.Context, *host.Host) (report.Proposal, error),
	then ...func(context.Context, *host.Host) report.Command) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	c := a.change(h, o, name, writeFiles)
	c.flags, c.page = flags, page
	c.write = c.writeLocked
	if err := c.may(); err != nil {
		return err
	}
	p, err := propose(ctx, h)
	if ctx.Err() != nil {
		err = interrupted()
	}
	out := a.output(name, a.facts(h))
	if err != nil {
		return o.unready(out, err)
	}
	for _, next := range then {
		c.then = append(c.then, next(ctx, h))
	}
	return c.settle(ctx, out, p.Plan)
}

// unready ends a command that found no repository to work with. A plan that was only asked
// for is then what has to be run before.
func (o planFlags) unready(out *output, err error) error {
	first, is := sync.First(err)
	if !is || !o.plan {
		return out.end(0, err)
	}
	out.Emit(engine.PlanReady{Plan: first})
	return out.end(report.ExitOK, nil)
}

// writeLocked applies a plan that was approved, under the lock of the repository.
// What changed since the plan was made, the engine sees.
func (c change) writeLocked(ctx context.Context, p report.Plan, emit engine.Sink) error {
	if len(p.Changes()) > 0 {
		unlock, err := sync.Lock(c.h)
		if err != nil {
			return err
		}
		defer unlock()
	}
	applier := c.a.applier(c.h)
	applier.Flags = strings.TrimPrefix(c.flags, " ")
	_, err := applier.Apply(ctx, p, p.ID, c.name, emit)
	return err
}

func newSyncInit(a *app) *cobra.Command {
	var c planFlags
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
			flags := ""
			if o.Offline {
				flags = " --offline"
			}
			if len(args) == 1 {
				o.URL = args[0]
				flags += " " + scripts.Quote(syncrepo.WithoutPassword(o.URL))
			}
			page := tui.Confirmation{Title: "Set up the sync repository", Yes: "write these files",
				Why: "Makes or clones ~/.claude-config, moves your files into it and puts symlinks in their place."}
			return a.syncChange(cmd.Context(), c, sync.InitCommand, flags, page,
				func(ctx context.Context, h *host.Host) (report.Proposal, error) {
					defer a.waitFor("asking the remote")()
					return sync.Init(ctx, h, agent, o)
				}, func(ctx context.Context, h *host.Host) report.Command {
					s, err := syncrepo.Look(ctx, h, h.Places().SyncRepo)
					if o.URL == "" && (err != nil || s.Remote == "") {
						return report.Own("sync init ADDRESS", report.Command{ID: "sync-init",
							Why: "connect it to an empty private repository at your host"})
					}
					return report.Own("sync push", report.Command{ID: "sync-push", Why: "show each file, then commit and push"})
				})
		},
	}
	c.add(cmd, "print the plan", "write")
	cmd.Flags().BoolVar(&o.Offline, "offline", false, "do not ask the server whether the remote is private")
	return cmd
}

func newSyncLink(a *app) *cobra.Command {
	var c planFlags
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
			page := tui.Confirmation{Title: "Symlinks to the sync repository", Yes: "write these symlinks",
				Why: "Puts a symlink wherever a file of the repository belongs, takes in project memory that it lacks, and " +
					"links its programs."}
			return a.syncChange(cmd.Context(), c, sync.LinkCommand, "", page,
				func(ctx context.Context, h *host.Host) (report.Proposal, error) { return sync.Links(ctx, h, agent) })
		},
	}
	c.add(cmd, "print the plan", "write")
	return cmd
}
