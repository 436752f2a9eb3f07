// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a plan is written by a typed yes, or by --apply with the id of
// exactly the plan that was printed, in every command that makes one.

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
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
)

const applyFlag = "apply"

type planFlags struct {
	plan  bool
	apply string
}

// add gives a command both, and refuses them at once; shows and does say what each
// of them does.
func (f *planFlags) add(cmd *cobra.Command, shows, does string) {
	cmd.Flags().SortFlags = false
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

// either refuses a line that asks to show and to write at once.
func (f *planFlags) either(cmd *cobra.Command) error {
	if f.plan && f.apply != "" {
		return usage(cmd, "--plan and --apply cannot be combined")
	}
	return nil
}

// applying is --apply as it was given, with a blank before it.
func (f *planFlags) applying() string {
	if f.apply == "" {
		return ""
	}
	return " --apply " + scripts.Quote(f.apply)
}

// decision is how a plan is shown, approved or refused.
type decision struct {
	planFlags
	name  string // of the command: its plan is remembered by it
	line  string // applies the plan
	again string // shows it anew
	ask   func() bool
	// missing, if not nil, is what an approval by id alone lacks.
	missing error
}

// decide shows a plan and says whether it may be written. The error is what keeps
// it from that; without one and a yes only the plan was asked for.
func (o *output) decide(h *host.Host, p report.Plan, d decision) (yes bool, err error) {
	changes, denied := len(p.Changes()) > 0, engine.Writable(p)
	if denied == nil && changes {
		denied = ownPlaces(h, o.a.sys.Cwd)
	}
	switch {
	case d.plan:
		engine.Remember(h.Places().Cache, o.a.sys.Now(), d.name, p)
		showPlan(o.Emit, engine.PlanReady{Plan: p, Apply: d.line}, denied)
		return false, nil
	case d.apply == "":
		o.Emit(engine.PlanReady{Plan: p})
		if denied == nil && changes && !d.ask() {
			return false, notApproved(o.a, d.again)
		}
	case report.PlanID(d.apply) != p.ID:
		return false, o.a.stale(h, d.apply, d.name, p, otherFlags, d.again)
	case d.missing != nil && changes:
		return false, d.missing
	}
	return denied == nil, denied
}

// confirm asks on a full screen, and ends as that did.
func (a *app) confirm(ctx context.Context, c tui.Confirmation) error {
	outcome, err := tui.RunConfirm(ctx, a.terminal(), c)
	if err != nil {
		return err
	}
	return ended(outcome)
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
	emit(engine.Note{Text: "next: " + e.Next})
}

// stale says what is different from the plan that was approved, of which about
// is kept; otherwise is what else may be. again is the line that shows it anew.
func (a *app) stale(h *host.Host, approved, about string, now report.Plan, otherwise, again string) error {
	lines, known := engine.WhatChanged(h.Places().Cache, report.PlanID(approved), about, now)
	what := "no plan with the id " + approved + " was printed here recently"
	if known {
		what = "the plan " + approved + " no longer holds: " + cmp.Or(strings.Join(lines, "; "), otherwise)
	}
	return &report.Error{Code: report.ExitStale, What: what,
		Why:  engine.OnlyShown,
		Next: again + "   # shows the current plan, " + string(now.ID)}
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
