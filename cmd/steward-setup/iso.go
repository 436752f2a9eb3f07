// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: only leading flags are ours; every other argument reaches
// the agent as it was typed. Names of variables are shown, values never.

package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

type isoOptions struct {
	iso.Options
	explain, approve bool
}

func newIso(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "iso [--main-checkout] [--anyway] [--explain] [--approve] [--] ARGS",
		Short: "Start the agent in a clean environment with your approved policy",
		Long: `iso starts claude with an allow-listed environment and its own settings. The
project's policy (sandbox, deny and ask rules) applies in subdirectories and
worktrees too; the rest of the project's settings is not read, so that no file of
the project can weaken the policy or run code outside the sandbox. claude-iso
calls this command. All arguments from the first one that is not listed here are
passed to claude unchanged:

  --main-checkout  in a linked worktree, make the main checkout readable
  --anyway         start even if the policy cannot be in force
  --explain        start nothing; show what would be started, with which variables
  --approve        show the project's policy and approve it
  --               end of these options

claude's own -w, --worktree [NAME] is passed to claude and also makes the main
checkout readable.

Variables named in CLAUDE_ISO_ALLOW are passed too, for one launch.

Exit code: that of claude; before it starts, 1 the launch is refused until you
decide, 64 an argument is refused, 65 a settings file is malformed, 127 no claude.`,
		Example: `  steward-setup iso                              the same as claude-iso
  steward-setup iso --explain
  steward-setup --json iso --explain             the same as one JSON document
  steward-setup iso --main-checkout -- --explain   pass --explain to claude
  claude-iso -w fix-1                            claude creates the worktree fix-1
  CLAUDE_ISO_ALLOW="GH_TOKEN" claude-iso -p "…"`,
		DisableFlagParsing: true, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, help := isoArgs(args)
			switch {
			case help:
				return cmd.Help()
			case a.json && !o.explain:
				return usage(cmd, "--json needs --explain: else the output is that of claude")
			}
			h, err := a.host()
			switch {
			case err != nil:
				return err
			case o.approve:
				return a.isoApprove(cmd.Context(), h)
			}
			return a.iso(cmd.Context(), h, o)
		},
	}
}

// isoArgs takes the leading flags off.
func isoArgs(args []string) (o isoOptions, help bool) {
	for len(args) > 0 {
		switch args[0] {
		case "--main-checkout":
			o.Worktree = true
		case "--anyway":
			o.Anyway = true
		case "--explain":
			o.explain = true
		case "--approve":
			o.approve = true
		case "--help", "-h":
			return o, true
		case "--":
			o.Args = args[1:]
			return o, false
		default:
			o.Args = args
			return o, false
		}
		args = args[1:]
	}
	return o, false
}

func (a *app) iso(ctx context.Context, h *host.Host, o isoOptions) error {
	l, other, err := iso.Prepare(ctx, h, o.Options)
	if o.explain {
		whole := err == nil
		if whole {
			err = l.Refuse(o.Options)
		}
		return a.isoExplain(h, l, other, err, whole)
	}
	if err != nil {
		return err
	}
	if err := l.Refuse(o.Options); err != nil {
		if diff := l.Changed(h); diff != "" && l.Known && !l.Approved && !l.Policy.Empty() {
			fmt.Fprintln(a.errw, showBlock(diff))
		}
		return err
	}
	a.isoBanner(h, l, other)
	a.endWait()
	err = proc.Exec(l.Runtime.Path, l.Argv, l.Environ)
	return &report.Error{Code: report.ExitNotFound, Where: l.Runtime.Path,
		What: "the operating system cannot start it", Err: err,
		Next: "run it yourself:  " + scripts.Quote(l.Runtime.Path) + " --version"}
}

// isoApprove shows the policy, and what else of the project could be loaded,
// one by one, and writes what was approved. It needs a person.
func (a *app) isoApprove(ctx context.Context, h *host.Host) error {
	line := a.self(h) + " iso --approve"
	if err := a.refuseInAgent(line); err != nil {
		return err
	}
	here := filepath.Clean(a.sys.Cwd)
	l, err := iso.Survey(h, here)
	if err == nil && l.Policy.Empty() && !l.Known { // what is around it may be a project
		l, err = iso.Consider(h, here)
	}
	if err != nil {
		return err
	}
	if !a.sys.Terminal() {
		return &report.Error{Code: report.ExitUsage, What: "there is no terminal to ask on: nothing was approved",
			Why: onlyYou, Next: "run it in a terminal:  " + line}
	}
	if l.Forgeable != nil {
		return l.Forgeable
	}
	var load []iso.Item
	for _, i := range l.Items {
		if i.Kind == iso.Other || i.Allowed {
			continue
		}
		fmt.Fprintf(a.out, "\n%s\n", showBlock(i.Text))
		if i.Refused != "" {
			fmt.Fprintf(a.out, "This %s cannot be approved: %s\n", i.Kind, text.Line(i.Refused))
			continue
		}
		if a.ask("Load this " + string(i.Kind) + " of the project? It runs outside the sandbox.") {
			load = append(load, i)
		}
	}
	p, err := l.Approval(h, load)
	if err != nil {
		return err
	}
	out := a.output("iso", a.facts(h))
	if len(p.Changes()) == 0 {
		fmt.Fprintln(a.out, "Everything here is approved already.")
		return nil
	}
	out.Emit(engine.PlanReady{Plan: p})
	if !a.ask("Approve this?") {
		return notApproved(a, "in a terminal of your own:  "+line)
	}
	_, err = a.applier(h).Apply(ctx, p, p.ID, "iso --approve", out.Emit)
	return out.end(report.ExitOK, err)
}
