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
		SuggestionsMinimumDistance: 2,
		Args:                       func(cmd *cobra.Command, args []string) error { return oneOf(cmd, args, nil) },
		RunE:                       func(*cobra.Command, []string) error { return nil }, // Args answers every call
	}
	cmd.AddCommand(newSyncStatus(a), newSyncInit(a), newSyncLink(a), newSyncPull(a), newSyncPush(a))
	return cmd
}

// syncChange is one command of sync that proposes a plan.
type syncChange struct {
	// name is what receipts call it ("sync link"); title and why head the page
	// on which a terminal is asked, yes is the answer that applies the plan.
	name, title, why, yes string
	planFlags
	// flags are those that make the same plan again.
	flags string
	// done, if set, is called once the plan was applied.
	done func(h *host.Host, emit engine.Sink) error
}

// change shows what propose proposes, and applies it if that is approved.
func (c syncChange) change(ctx context.Context, a *app, propose func(context.Context, *host.Host) (report.Proposal,
	error)) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	line := a.self(h) + " " + c.name
	if !c.plan {
		if err := a.refuse(h, line+c.applying()+c.flags); err != nil {
			return a.output(c.name, report.Facts{OS: a.sys.GOOS}).end(0, err)
		}
	}
	p, err := propose(ctx, h)
	if ctx.Err() != nil {
		err = interrupted()
	}
	out := a.output(c.name, p.Facts)
	if err != nil {
		return out.end(0, err)
	}
	if !c.plan && c.apply == "" && a.screen() && len(p.Plan.Changes()) > 0 {
		return c.confirm(ctx, a, h, p)
	}
	yes, err := out.decide(h, p.Plan, decision{planFlags: c.planFlags, name: c.name, again: line + " --plan" + c.flags,
		line: line + " --apply " + string(p.Plan.ID) + c.flags, ask: func() bool { return a.ask("Write these files?") }})
	if err != nil || !yes {
		return out.end(report.ExitOK, err)
	}
	return out.end(left(p.Plan, nil), c.write(ctx, a, h, p.Plan, out.Emit))
}

// write applies a plan that was approved, under the lock of the repository. What
// changed since the plan was made, the engine sees.
func (c syncChange) write(ctx context.Context, a *app, h *host.Host, p report.Plan, emit engine.Sink) error {
	if len(p.Changes()) > 0 {
		unlock, err := sync.Lock(h)
		if err != nil {
			return err
		}
		defer unlock()
	}
	applier := a.applier(h)
	applier.Flags = strings.TrimPrefix(c.flags, " ")
	if _, err := applier.Apply(ctx, p, p.ID, c.name, emit); err != nil || c.done == nil {
		return err
	}
	return c.done(h, emit)
}

// confirm shows the plan on a terminal and asks.
func (c syncChange) confirm(ctx context.Context, a *app, h *host.Host, p report.Proposal) error {
	return a.confirm(ctx, tui.Confirmation{
		Command: c.name, Title: c.title, Yes: c.yes, Why: c.why, Plan: p.Plan, Facts: p.Facts, TakeBack: a.self(h) + " undo",
		Apply: func(ctx context.Context, plan report.Plan, emit engine.Sink) error {
			if err := ownPlaces(h, a.sys.Cwd); err != nil {
				return err
			}
			return c.write(ctx, a, h, plan, emit)
		},
	})
}

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
				return sync.Init(ctx, h, agent, o)
			})
		},
	}
	c.add(cmd, "print the plan", "write")
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
				return sync.Links(ctx, h, agent)
			})
		},
	}
	c.add(cmd, "print the plan", "write")
	return cmd
}
