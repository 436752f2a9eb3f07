// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: pull and push hold the lock of the repository from the look
// to the end. What runs outside the sandbox is never taken without a yes.

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/sync"
)

// exchanging is one run of sync pull or sync push.
type exchanging struct {
	planFlags
	a     *app
	h     *host.Host
	e     *sync.Exchange
	out   *output
	name  string // "sync pull"
	flags string
	facts report.Facts // those of a screen
}

func newSyncPull(a *app) *cobra.Command {
	x := exchanging{a: a, name: "sync pull"}
	schedule := false
	cmd := &cobra.Command{
		Use:   "pull",
		Short: "Take what other machines pushed",
		Long: `pull fetches the branch of the sync repository and writes the files that other
machines changed. Your commits are put on top, and what is not committed stays.
Files that run outside the sandbox (scripts, commands, hooks, programs) and
CLAUDE.md are shown first, and taken only if you say yes. Without a terminal, as
on a timer, they are not taken, and the exit code is 1. Memory is taken without
a prompt, although the agent reads it: --plan shows it first.`,
		Example: `  steward-setup sync pull                       show what runs, ask, write
  steward-setup sync pull --plan                fetch and show; write nothing
  steward-setup sync pull --apply 7f3a-91c2-0b5d-e6a8
  steward-setup sync pull --schedule            a timer that pulls every hour`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if schedule {
				page := tui.Confirmation{Title: "Pull every hour", Yes: "write the timer",
					Why: "Writes a timer of your own. Nothing runs before you enable it."}
				return a.syncChange(cmd.Context(), x.planFlags, sync.ScheduleCommand, "", page,
					func(ctx context.Context, h *host.Host) (report.Proposal, error) { return sync.Schedule(ctx, h, agent) })
			}
			return x.run(cmd, x.pull)
		},
	}
	x.add(cmd, "print the plan", "do")
	cmd.Flags().BoolVar(&schedule, "schedule", false, "do not pull: write a timer that pulls every hour")
	return cmd
}

func newSyncPush(a *app) *cobra.Command {
	x := exchanging{a: a, name: "sync push"}
	var o sync.PushOptions
	cmd := &cobra.Command{
		Use:   "push",
		Short: "Commit and push your changes, file by file",
		Long: `push first pulls, if the remote has something new. Then it shows each file that
differs from the last commit and asks whether to commit it. Files and commits
are scanned for secrets; one hit stops the push, with file and line. Your git
hooks run. Nothing is forced.`,
		Example: `  steward-setup sync push                       show each file, ask, commit, push
  steward-setup sync push --plan                fetch and show; commit nothing
  steward-setup sync push --plan --only CLAUDE.md --message "Prefer tables"
  steward-setup sync push --apply 7f3a-91c2-0b5d-e6a8`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := sync.CheckMessage(cmd.Context(), o.Message); err != nil {
				return err // before the line with it is printed anywhere
			}
			for _, f := range o.Only {
				x.flags += " --only " + scripts.Quote(f)
			}
			if o.Message != "" {
				x.flags += " --message " + scripts.Quote(o.Message)
			}
			return x.run(cmd, func(ctx context.Context) error { return x.push(ctx, o) })
		},
	}
	x.add(cmd, "print the plan", "do")
	cmd.Flags().StringArrayVar(&o.Only, "only", nil, "commit this `FILE` of the repository and no other (may be repeated)")
	cmd.Flags().StringVar(&o.Message, "message", "", "the commit's `MESSAGE` (default: which files changed)")
	return cmd
}

func (x *exchanging) line() string { return x.a.self(x.h) + " " + x.name + x.flags }

// run looks at the repository under its lock and does one command.
func (x *exchanging) run(cmd *cobra.Command, do func(context.Context) error) error {
	h, err := x.a.host()
	if err != nil {
		return err
	}
	x.h = h
	x.out = x.a.output(x.name, x.a.facts(x.h))
	ctx := cmd.Context()
	if !x.plan {
		if err := x.a.refuse(h, x.line()); err != nil {
			return x.out.end(0, err)
		}
		unlock, err := sync.Lock(h)
		if err != nil {
			return x.out.end(0, err)
		}
		defer unlock()
	}
	done := x.a.waitFor("fetching from the remote")
	if x.e, err = sync.Open(ctx, h); err == nil {
		defer x.e.Release()
		err = x.e.Pull(ctx)
		if err == nil && !x.plan { // whatever the answer is, status shows what waits
			err = x.e.Note(ctx)
		}
	}
	done()
	if ctx.Err() != nil {
		err = interrupted()
	}
	if err != nil {
		return x.unready(x.out, err)
	}
	return do(ctx)
}

// pull is sync pull after the look.
func (x *exchanging) pull(ctx context.Context) error {
	p := report.NewPlan([]report.Section{x.e.Section()})
	if x.plan {
		x.show(p)
		return x.out.end(report.ExitOK, nil)
	}
	if x.apply != "" && report.PlanID(x.apply) != p.ID {
		return x.out.end(0, x.stale(p))
	}
	return x.out.end(report.ExitOK, x.take(ctx, p))
}

// ready is the plan p. A pull that was stopped behind its last file has none left to write.
func (x *exchanging) ready(p report.Plan) engine.PlanReady {
	ready := engine.PlanReady{Plan: p}
	if len(p.Items()) == 0 && x.e.Behind() {
		ready.Rest = "The files that arrived are in place, and git does not know of them yet. This tells it."
	}
	return ready
}

// show prints a plan that is not applied.
func (x *exchanging) show(p report.Plan) {
	engine.Remember(x.h.Places().Cache, x.a.sys.Now(), x.name, p)
	ready := x.ready(p)
	ready.Apply = x.line() + " --apply " + string(p.ID)
	denied := ownPlaces(x.h, x.a.sys.Cwd)
	if denied == nil { // what leaves is not written
		denied = engine.Writable(report.NewPlan([]report.Section{x.e.Section()}))
	}
	showPlan(x.out.Emit, ready, denied)
}

func (x *exchanging) stale(p report.Plan) error {
	return x.a.stale(x.h, x.apply, x.name, p, otherFlags, x.line()+" --plan")
}

// take writes what arrives, and asks first where something of it runs.
func (x *exchanging) take(ctx context.Context, p report.Plan) error {
	changes := len(p.Changes()) > 0
	if changes {
		if err := ownPlaces(x.h, x.a.sys.Cwd); err != nil {
			return err
		}
	}
	if len(x.e.Asks) > 0 && x.apply == "" {
		if !x.a.sys.Terminal() || x.a.json {
			return &report.Error{Code: report.ExitLeft, Where: x.e.Dir(), What: "not pulled: " + strings.Join(x.e.Asks, ", ") +
				" would run outside the sandbox, or be read as instructions",
				Why:  "nobody can be asked here; no file was changed",
				Next: "run it on a terminal, where you see it and are asked:  " + x.a.self(x.h) + " sync pull"}
		}
		if err := x.askPull(ctx, p); err != nil {
			return err
		}
	}
	if changes {
		applier := x.a.applier(x.h)
		applier.Arrived = true
		if _, err := applier.Apply(ctx, p, p.ID, "sync pull", x.out.Emit); err != nil {
			return err
		}
	}
	behind := x.e.Behind()
	if err := x.e.Settle(ctx); err != nil {
		return err
	}
	x.pulled(ctx, behind)
	return nil
}

// push is sync push after the look.
func (x *exchanging) push(ctx context.Context, o sync.PushOptions) error {
	done := x.a.waitFor("scanning for secrets")
	out, err := x.e.Push(ctx, o)
	done()
	if err != nil {
		return x.out.end(0, err)
	}
	p := x.both(out)
	switch {
	case x.plan:
		x.show(p)
		return x.out.end(report.ExitOK, nil)
	case x.apply != "" && report.PlanID(x.apply) != p.ID:
		return x.out.end(0, x.stale(p))
	case x.apply == "":
		if out, err = x.choose(ctx, p, out, o); err != nil {
			return x.out.end(0, err)
		}
	}
	if out.Stopped {
		if x.apply != "" {
			x.out.Emit(engine.PlanReady{Plan: p})
		}
		return x.out.end(report.ExitLeft, nil)
	}
	if x.e.Behind() {
		x.apply = string(p.ID) // what arrives was shown and approved with the rest
		if err := x.take(ctx, report.NewPlan([]report.Section{x.e.Section()})); err != nil {
			return x.out.end(0, err)
		}
	} else if err := x.e.Settle(ctx); err != nil { // when the remote was asked
		return x.out.end(0, err)
	}
	done = x.a.waitFor("committing and pushing")
	err = x.e.Send(ctx, out)
	done()
	if err != nil {
		return x.out.end(0, err)
	}
	if x.out.doc == nil {
		if out.Empty() {
			fmt.Fprintln(x.a.out, "Nothing to push.")
		} else {
			fmt.Fprintln(x.a.out, "Pushed.")
		}
	}
	return x.out.end(left(p, nil), nil)
}
