// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a plan is written by a typed yes, or by --apply with the id of
// exactly the plan that was printed, in every command that makes one. Commands of it
// that the user has run since need no other approval.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
)

const applyFlag = "apply"

// planID is the shape of a report.PlanID.
var planID = lazy.Regexp(`^[0-9a-f]{4}(-[0-9a-f]{4}){3}$`)

type planFlags struct {
	plan  bool
	apply string
}

// doneOrLeft ends the help of a command that changes something.
const doneOrLeft = "\n\nExit code: 0 done or nothing to do, 1 something is left for you to run or decide."

// add gives a command both, and refuses them at once; shows and does say what each
// of them does.
func (f *planFlags) add(cmd *cobra.Command, shows, does string) {
	cmd.Long += doneOrLeft
	cmd.Flags().BoolVar(&f.plan, "plan", false, shows+"; write nothing")
	cmd.Flags().StringVar(&f.apply, applyFlag, "", does+" exactly the plan with this `PLAN-ID`")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.either(cmd); err != nil {
			return err
		}
		return run(cmd, args)
	}
}

// either refuses a line that asks to show and to write at once, and one that approves
// what is no id of a plan.
func (f *planFlags) either(cmd *cobra.Command) error {
	switch {
	case f.plan && f.apply != "":
		return usage(cmd, "--plan and --apply cannot be combined")
	case f.apply != "" && !planID().MatchString(f.apply):
		e := needs(cmd, cmd.Flags().Lookup(applyFlag))
		e.What = takes("--"+applyFlag, "the id that --plan prints", f.apply, nil)
		return e
	}
	return nil
}

// change is one command that proposes a plan: how that is shown, approved or
// refused, and written.
type change struct {
	planFlags
	a *app
	h *host.Host
	// name is what receipts call the command; words and flags are the line that
	// makes the same plan again, between which --plan and --apply stand.
	name, words, flags string
	// about is what its plan is remembered by, and otherwise what may make
	// another where no file has changed.
	about, otherwise string
	answers          []report.Answered
	// denied says what keeps a plan from being written; always says that a plan
	// without changes is one to approve, too.
	denied func(report.Plan) error
	always bool
	// rest is what such a plan does (engine.PlanReady).
	rest string
	// knowing is the flag, and missing the error, of what an approval by id alone
	// lacks; without a missing nothing does.
	knowing string
	missing error
	// page is how a screen asks, by its Title, Why and Yes, and ask how a line does.
	// takeBack is the command that undoes what was written, "" if none does.
	page     tui.Confirmation
	takeBack string
	ask      func() bool
	// write writes the plan that was approved; after, if not nil, follows it.
	write func(ctx context.Context, p report.Plan, emit engine.Sink) error
	after func()
	// then are what to run once it is written.
	then []report.Command
}

// change is one command that asks question in a line.
func (a *app) change(h *host.Host, o planFlags, name, question string) change {
	return change{planFlags: o, a: a, h: h, name: name, words: name, about: name, otherwise: otherFlags,
		takeBack: a.self(h) + " undo", ask: func() bool { return a.ask(question) },
		denied: func(p report.Plan) error { return a.writable(h, a.sys.Cwd, p) }}
}

// writeFiles asks for what most plans do.
const writeFiles = "Write these files?"

// writable finds what keeps a plan from being written in a run from dir.
func (a *app) writable(h *host.Host, dir string, p report.Plan) error {
	if len(p.Changes()) > 0 {
		if err := ownPlaces(h, dir); err != nil {
			return err
		}
	}
	return engine.Writable(p)
}

// line is the command with flag, as it can be typed here.
func (c change) line(flag string) string { return c.a.self(c.h) + " " + c.words + flag + c.flags }

// may refuses what must not go on, before anything was looked for.
func (c change) may() error {
	if c.plan {
		return nil
	}
	flag := ""
	if c.apply != "" {
		flag = " --apply " + scripts.Quote(c.apply)
	}
	return c.a.refuse(c.h, c.line(flag))
}

// does says whether something of a plan is to be approved.
func (c change) does(p report.Plan) bool { return c.always || len(p.Changes())+len(p.Downloads()) > 0 }

// settle shows a plan, has it approved and writes it.
func (c change) settle(ctx context.Context, out *output, p report.Plan) error {
	if c.page.Title != "" && !c.plan && c.apply == "" && c.does(p) && c.a.screen() {
		c.page.Command, c.page.Plan, c.page.Facts, c.page.TakeBack = c.name, p, c.a.header(ctx, c.h), c.takeBack
		c.page.Apply = func(ctx context.Context, p report.Plan, emit engine.Sink) error {
			if err := c.denied(p); err != nil {
				return err
			}
			return c.write(ctx, p, emit)
		}
		for _, then := range c.then {
			c.page.Then = append(c.page.Then, c.a.called(c.a.self(c.h), then))
		}
		outcome, err := tui.RunConfirm(ctx, c.a.terminal(), c.page)
		if err != nil {
			return err
		}
		if outcome.End == tui.Applied && c.after != nil {
			c.after()
		}
		return ended(outcome)
	}
	if yes, err := c.decide(out, p); err != nil || !yes {
		return out.end(report.ExitOK, err)
	}
	if err := c.write(ctx, p, out.Emit); err != nil {
		return out.end(0, err)
	}
	if c.after != nil {
		c.after()
	}
	out.next(c.h, report.Steps(nil, append(p.Commands(), c.then...))) // the plan's warnings were for the yes
	return out.end(left(p, nil), nil)
}

// decide shows a plan and says whether it may be written. The error is what keeps
// it from that; without one and a yes only the plan was asked for.
func (c change) decide(out *output, p report.Plan) (yes bool, err error) {
	does, denied := c.does(p), c.denied(p)
	shown := engine.PlanReady{Plan: p, Answers: c.answers, Rest: c.rest}
	switch {
	case c.plan:
		engine.Remember(c.h.Places().Cache, c.a.sys.Now(), c.about, p)
		if does {
			shown.Apply = c.line(" --apply "+string(p.ID)) + c.knowing
		}
		showPlan(out.Emit, shown, denied)
		return false, nil
	case c.apply == "":
		out.Emit(shown)
		if denied == nil && does && !c.ask() {
			return false, notApproved(c.a, c.line(" --plan"))
		}
	case report.PlanID(c.apply) != p.ID:
		less, same := engine.CommandsLess(c.h.Places().Cache, report.PlanID(c.apply), p)
		if !same {
			return false, c.a.stale(c.h, c.apply, c.about, p, c.otherwise, c.line(" --plan"))
		}
		if c.missing != nil && does {
			return false, c.missing
		}
		out.Emit(engine.Note{Text: report.Counted(less, "1 command", "%d commands") +
			" of the plan that you saw no longer in it; what it writes is the same"})
	case c.missing != nil && does:
		return false, c.missing
	}
	return denied == nil, denied
}

// refuse stops a run that may write where it must not go on; line is the same in
// the user's own terminal.
func (a *app) refuse(h *host.Host, line string) error {
	if err := a.refuseInAgent(line); err != nil {
		return err
	}
	return a.refuseForeignHome(h)
}

// refuseForeignHome stops a run as root in another user's home (sudo keeps
// HOME): what it wrote there would not be that user's.
func (a *app) refuseForeignHome(h *host.Host) error {
	owner, ok := h.Owner(h.Places().Home)
	if !ok || owner == a.sys.UID {
		return nil
	}
	return &report.Error{Code: report.ExitUsage, Where: h.Places().Home,
		What: fmt.Sprintf("this home belongs to user %d, and you are user %d", owner, a.sys.UID),
		Why:  "files written here would have the wrong owner; the setup never needs root",
		Next: "run it as the owner of this home, without sudo"}
}

// showPlan shows a plan with the line that applies it, or with denied, which
// says why no line could.
func showPlan(emit engine.Sink, p engine.PlanReady, denied error) {
	var e *report.Error
	if !errors.As(denied, &e) {
		emit(p)
		return
	}
	p.Apply = ""
	emit(p)
	emit(engine.Note{Text: "This plan cannot be applied. " + e.Error()})
	emit(engine.Note{Text: "next: " + e.Advice()})
}

// stale says what is different from the plan that was approved, of which about
// is kept; otherwise is what else may be. again is the line that shows it anew.
func (a *app) stale(h *host.Host, approved, about string, now report.Plan, otherwise, again string) error {
	lines, known := engine.WhatChanged(h.Places().Cache, report.PlanID(approved), about, now)
	what := "no plan with the id " + approved + " was printed here recently"
	if known {
		what = "the plan " + approved + " no longer holds: " + cmp.Or(strings.Join(lines, "; "), otherwise)
	}
	shows := "the current plan, " + string(now.ID)
	if len(now.Items()) == 0 {
		shows = "that nothing is proposed now"
	}
	return &report.Error{Code: report.ExitStale, What: what, Why: engine.OnlyShown, Next: "see " + shows + ":  " + again}
}

// notApproved is what a plan ends with that nobody said yes to; next is the
// line that goes on without a terminal, or says where to find one.
func notApproved(a *app, next string) error {
	if a.sys.Terminal() && !a.json {
		return &report.Error{Code: report.ExitLeft, What: "not approved: nothing was written"}
	}
	return &report.Error{Code: report.ExitUsage, What: "there is no terminal to ask on: nothing was written",
		Why: "only what you approved may be written", Next: next}
}
