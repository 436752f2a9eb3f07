// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a run with another runtime says so in every line that it
// prints, and takes no file for a runtime that PATH could not lead to.

package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/runtimes"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// addRuntime adds --runtime to a command that starts the agent's runtime.
func (a *app) addRuntime(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.sys.Runtime, "runtime", "", "use the claude executable `PATH`; it need not be installed")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if cmd.Flags().Changed("runtime") {
			if a.sys.Runtime, err = a.runtimeAt(cmd.Context(), a.sys.Runtime); err != nil {
				return err
			}
		}
		return run(cmd, args)
	}
}

// again is a command of this program, given without its name, with the flags
// that lead to the same project, framework and runtime.
func (a *app) again(line string) string {
	command, _, _ := strings.Cut(line, " ")
	line += a.globals()
	if a.sys.Runtime != "" && !strings.Contains(line, " --runtime ") &&
		slices.Contains([]string{"verify", "doctor", "update"}, command) {
		line += " --runtime " + scripts.Quote(a.sys.Runtime)
	}
	return line
}

// runtimeAt is the executable at path, absolute, if it may be started. The
// error is a *report.Error.
func (a *app) runtimeAt(ctx context.Context, path string) (string, error) {
	path = pathname.From(a.sys.Cwd, path)
	info, err := fs.Stat(path)
	if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
		return path, a.cacheDoubt(ctx, path)
	}
	return "", &report.Error{Code: report.ExitUsage, Where: path, What: "is not an executable file",
		Why: "the runtime is started to see what it blocks", Next: runtimes.NamePath}
}

// cacheDoubt says why the runtime at path is not started, if it lies in the
// cache, also by way of a link.
func (a *app) cacheDoubt(ctx context.Context, path string) error {
	here := *a
	here.sys.Runtime = "" // what decides does not depend on it
	h, err := here.host()
	if err != nil {
		return err
	}
	real, err := h.Resolve(path)
	if err != nil {
		return &report.Error{Code: report.ExitLeft, Where: path, What: "cannot be resolved to a file", Err: err,
			Why: "it is unknown what would be started", Next: runtimes.NamePath}
	}
	if !pathname.Within(real, host.Resolved(h, runtimes.Dir(h.Places()))) {
		return nil
	}
	return verify.CacheDoubt(ctx, h, a.verified())
}
