// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: undo shows what it would take back, asks, and restores
// byte for byte, or names the file that has moved on and changes nothing.

package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
)

func newUndo(a *app) *cobra.Command {
	var o planFlags
	cmd := &cobra.Command{
		Use:   "undo [RECEIPT]",
		Short: "Undo what a run wrote, byte for byte",
		Long: `undo restores the files that one run wrote: the newest run that is not undone
yet, or the RECEIPT given. It shows every file first and asks. If a file has
changed since, it names the file and changes nothing.`,
		Example: `  steward-setup undo                         show, ask, restore
  steward-setup undo --plan                  write nothing
  steward-setup undo --apply 7f3a-91c2-...   without a terminal: exactly that plan`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.onHost(func(cmd *cobra.Command, h *host.Host, args []string) error {
			id := ""
			if len(args) == 1 {
				id = args[0]
			}
			return a.undo(cmd.Context(), h, id, o)
		}),
	}
	o.add(cmd, restores, "restore")
	return cmd
}

const restores = "show what would be restored"

// unrestorable is the error of an approved plan that no longer holds.
func (o planFlags) unrestorable(why, next string) error {
	return &report.Error{Code: report.ExitStale, What: "the plan " + o.apply + " no longer holds: " + why,
		Why: "only what was shown may be restored; nothing was changed", Next: next}
}

func (o *output) nothingToUndo() error {
	o.Emit(engine.Note{Text: "There is nothing to undo."})
	return o.end(report.ExitOK, nil)
}

func (a *app) undo(ctx context.Context, h *host.Host, id string, o planFlags) error {
	out := a.output("undo", report.Facts{OS: a.sys.GOOS, Home: h.Places().Home})
	if !o.plan {
		line := a.self(h) + " undo"
		if id != "" {
			line += " " + scripts.Quote(id)
		}
		if err := a.refuseInAgent(line + o.applying()); err != nil {
			return out.end(0, err)
		}
	}
	applier := a.applier(h)
	receipt, p, err := applier.UndoPlan(h, id)
	if errors.Is(err, engine.ErrNothingToUndo) && o.apply != "" {
		return out.end(0, o.unrestorable(engine.ErrNothingToUndo.Error(),
			a.self(h)+" history lists what was applied and undone"))
	}
	if errors.Is(err, engine.ErrNothingToUndo) {
		return out.nothingToUndo()
	}
	if err != nil {
		return out.end(0, err)
	}
	p = withTimer(h, p)
	line := a.self(h) + " undo " + receipt.ID + a.globals()
	if o.plan {
		showPlan(out.Emit, engine.PlanReady{Plan: p, Apply: line + " --apply " + string(p.ID)}, engine.Writable(p))
		return out.end(report.ExitOK, nil)
	}
	if o.apply == "" && a.screen() {
		return a.confirm(ctx, tui.Confirmation{
			Command: "undo", Title: p.Sections[0].Title, Why: p.Sections[0].Why, Yes: "undo",
			Plan: p, Facts: report.Facts{OS: a.sys.GOOS, Home: h.Places().Home},
			Apply: func(ctx context.Context, p report.Plan, emit engine.Sink) error {
				return applier.Undo(ctx, receipt, p, p.ID, emit)
			},
		})
	}
	approved := report.PlanID(o.apply)
	if approved == "" {
		out.Emit(engine.PlanReady{Plan: p})
		if !a.ask("Restore these files?") {
			return out.end(0, notApproved(a, line+" --plan"))
		}
		approved = p.ID
	}
	return out.end(report.ExitOK, applier.Undo(ctx, receipt, p, approved, out.Emit))
}
