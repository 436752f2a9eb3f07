// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what changes the sync repository, or leads to it, is a plan
// like any other: shown, approved, applied with a receipt.

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
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
		Args: func(cmd *cobra.Command, args []string) error {
			var names []string
			for _, sub := range cmd.Commands() {
				names = append(names, sub.Name())
			}
			if len(args) == 0 {
				return fmt.Errorf("name a command: %s", inWords(names, "or"))
			}
			return fmt.Errorf("sync has no command %q: name %s%s", args[0], inWords(names, "or"), didYouMean(args[0], names))
		},
		RunE: func(*cobra.Command, []string) error { return nil }, // Args answers every call
	}
	cmd.AddCommand(newSyncStatus(a), newSyncInit(a), newSyncLink(a), newSyncPull(a), newSyncPush(a))
	return cmd
}

// syncChange is one command of sync that proposes a plan.
type syncChange struct {
	// name is what receipts call it ("sync link"); title and why head the page
	// on which a terminal is asked, yes is the answer that applies the plan.
	name, title, why, yes string
	plan                  bool
	apply                 string
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
		apply := ""
		if c.apply != "" {
			apply = " --apply " + scripts.Quote(c.apply)
		}
		err := a.refuseInAgent(line + apply + c.flags)
		if err == nil {
			err = a.refuseForeignHome(h)
		}
		if err != nil {
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
	denied := engine.Writable(p.Plan)
	if unsafe := iso.OwnPlaces(h, a.sys.Cwd); denied == nil && len(p.Plan.Changes()) > 0 {
		denied = unsafe
	}
	again := line + " --plan" + c.flags
	switch {
	case c.plan:
		engine.Remember(h.Places().Cache, a.sys.Now(), c.name, p.Plan)
		showPlan(out.Emit, engine.PlanReady{Plan: p.Plan, Apply: line + " --apply " + string(p.Plan.ID) + c.flags}, denied)
		return out.end(report.ExitOK, nil)
	case c.apply == "":
		out.Emit(engine.PlanReady{Plan: p.Plan})
		if denied == nil && len(p.Plan.Changes()) > 0 && !a.ask("Write these files?") {
			return out.end(0, notApproved(a, again))
		}
	case report.PlanID(c.apply) != p.Plan.ID:
		return out.end(0, a.stale(h, c.apply, c.name, p.Plan, otherFlags, again))
	}
	if denied == nil {
		denied = c.write(ctx, a, h, p.Plan, out.Emit)
	}
	return out.end(left(p.Plan, nil), denied)
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
	outcome, err := tui.RunConfirm(ctx, a.terminal(), tui.Confirmation{
		Command: c.name, Title: c.title, Yes: c.yes, Why: c.why, Plan: p.Plan, Facts: p.Facts, TakeBack: a.self(h) + " undo",
		Apply: func(ctx context.Context, plan report.Plan, emit engine.Sink) error {
			if err := iso.OwnPlaces(h, a.sys.Cwd); err != nil {
				return err
			}
			return c.write(ctx, a, h, plan, emit)
		},
	})
	if err != nil {
		return err
	}
	return ended(outcome)
}
