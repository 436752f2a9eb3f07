// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a candidate is judged before anything of the installed
// runtime is touched; what is downloaded for that was shown and approved.

package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
	"github.com/steward-setup/steward-setup/steps/update"
	"github.com/steward-setup/steward-setup/steps/verify"
)

type tryOptions struct {
	try, apply string
	plan       bool
}

// addTry adds to update the flags that look at a runtime which is not
// installed. Without one of them the command stays what it is.
func (a *app) addTry(cmd *cobra.Command) {
	var o tryOptions
	flags := cmd.Flags()
	flags.StringVar(&o.try, "try", "", "compare another runtime with the installed one: `VERSION`, latest, or the path of a claude executable")
	if flags.Lookup("plan") == nil {
		flags.BoolVar(&o.plan, "plan", false, "show what would be downloaded; download nothing")
		flags.StringVar(&o.apply, "apply", "", "download exactly what the plan with this `PLAN-ID` shows")
	}
	a.addRuntime(cmd)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !flags.Changed("try") {
			return run(cmd, args)
		}
		return a.tryRuntime(cmd.Context(), cmd, o)
	}
}

// tryRuntime compares a candidate with the installed runtime.
func (a *app) tryRuntime(ctx context.Context, cmd *cobra.Command, o tryOptions) error {
	h, err := a.host()
	if err != nil {
		return a.output("update", report.Facts{OS: a.sys.GOOS}).end(0, err)
	}
	if !strings.Contains(o.try, "/") {
		return usage(cmd, "not yet")
	}
	path, err := a.runtimeAt(o.try)
	if err != nil {
		return a.output("update", report.Facts{OS: a.sys.GOOS}).end(0, err)
	}
	return a.compare(ctx, h, o.try, path)
}

// compare rehearses the installed runtime and the one at path, and shows what
// differs; name is the candidate as the user called it.
func (a *app) compare(ctx context.Context, h *host.Host, name, path string) error {
	opts := verify.Options{Project: a.project, Framework: a.framework}
	r := verify.Prepare(ctx, h)
	facts := verify.Facts(ctx, r, opts)
	out := a.output("update", facts)
	sys := h.System()
	sys.Runtime = path
	other, err := host.New(sys)
	if err != nil {
		return out.end(0, err)
	}
	emit := engine.Sink(func(engine.Event) {})
	if a.sys.StderrTTY && a.sys.Get("TERM") != "dumb" {
		wait := plain.NewProgress(a.errw, cmp.Or(a.sys.Columns, 80), 0)
		emit = wait.Emit
		defer wait.Clear()
	}
	t, err := update.Try(ctx, r, verify.Prepare(ctx, other), opts, emit)
	if err != nil {
		return out.end(0, stopped(ctx, err))
	}
	for _, f := range t.Findings() {
		out.Emit(engine.CheckDone{Finding: f})
	}
	if out.doc != nil {
		out.doc.Data(t)
	}
	_ = scripts.Quote
	return out.end(t.Exit(), nil)
}
