// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: undo shows what it would take back, asks, and restores
// byte for byte, or names the file that has moved on and changes nothing.

package main

import (
	"context"
	"errors"
	"slices"
	"strings"

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

// movedOn is what may make another plan of an undo.
const movedOn = "a file or a receipt has changed since"

func (o *output) nothingToUndo() error {
	if o.doc != nil {
		o.Emit(engine.PlanReady{Plan: report.NewPlan(nil)})
	}
	o.Emit(engine.Note{Text: "There is nothing to undo."})
	return o.end(report.ExitOK, nil)
}

// restore is a command that writes what was there before.
func (a *app) restore(h *host.Host, o planFlags, name string) change {
	c := a.change(h, o, name, "Restore these files?")
	c.denied, c.otherwise = engine.Writable, movedOn
	return c
}

// goesOn is for what was stopped behind its last file.
func (c *change) goesOn(dirs []string) {
	c.rest = "No file is left to restore; the undo is noted."
	if len(dirs) > 0 {
		c.rest = "No file is left to restore. This removes the empty directories that were made: " +
			strings.Join(dirs, ", ")
	}
	c.page.Why += " " + c.rest
	c.ask = func() bool { return c.a.ask("Do what is left?") }
}

func (a *app) undo(ctx context.Context, h *host.Host, id string, o planFlags) error {
	c := a.restore(h, o, "undo")
	if id != "" {
		c.words += " " + scripts.Quote(id)
	}
	if err := c.may(); err != nil {
		return err
	}
	out, applier := a.output("undo", a.facts(h)), a.applier(h)
	receipt, p, err := applier.UndoPlan(h, id)
	if errors.Is(err, engine.ErrNothingToUndo) {
		if o.apply == "" {
			return out.nothingToUndo()
		}
		err = a.stale(h, o.apply, c.about, report.NewPlan(nil), c.otherwise, c.line(" --plan"))
	}
	if err != nil {
		return out.end(0, err)
	}
	undone := &p.Sections[0]
	undone.Items = slices.Concat(undone.Items, committed(ctx, h, undone.Items), calling(h, undone.Items))
	p = withTimer(h, p)
	c.words, c.flags, c.takeBack = "undo "+receipt.ID, a.globals(), "" // undo does not undo an undo
	// It also removes the directories that the run made, once they are empty.
	c.always = true
	c.page = tui.Confirmation{Title: p.Sections[0].Title, Why: p.Sections[0].Why, Yes: "undo"}
	if len(p.Changes()) == 0 {
		c.goesOn(p.Sections[0].Removes)
	}
	c.write = func(ctx context.Context, p report.Plan, emit engine.Sink) error {
		return applier.Undo(ctx, receipt, p, p.ID, emit)
	}
	return c.settle(ctx, out, p)
}
