// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: hooks are dispatched before the command line is built,
// since they run on every tool call; none of them ends with a code that would
// block a call or break git.

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/ownshell"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
)

// hookNames are the hooks, for help and for errors.
var hookNames = []string{"bypass-warn", "error-hint", "status-line", "status-line-rich", "post-checkout"}

// newHook is what --help shows; run dispatches the hooks before this is
// reached, so it only meets names that are none.
func newHook(*app) *cobra.Command {
	return &cobra.Command{
		Use:     "hook NAME",
		Example: "  steward-setup hook bypass-warn < payload.json",
		Short:   "Run a hook; Claude Code and git call this",
		Long: `hook is called by the scripts that install writes, with the runtime's event on
stdin, and by git.

Hooks: ` + strings.Join(hookNames, ", ") + `.

To try one:

  echo '{"tool_input":{"command":"ls","dangerouslyDisableSandbox":true}}' | steward-setup hook bypass-warn`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && slices.Contains(hookNames, args[0]) {
				return onlyAhead(cmd)
			}
			return oneOf(cmd, args, hookNames)
		},
	}
}

// hook runs the hook of that name; ok is false if there is none.
func (a *app) hook(ctx context.Context, name string, args []string) (code int, ok bool) {
	if name == "post-checkout" {
		a.postCheckout(ctx)
		return report.ExitOK, true
	}
	return runHook(ctx, a.sys, name, args, a.in, a.out, a.errw)
}

// postCheckout adds the root of a new worktree under the standing approval. A
// git hook must not disturb git: it prints nothing and never fails.
func (a *app) postCheckout(ctx context.Context) {
	quiet := *a
	quiet.out, quiet.errw = io.Discard, io.Discard
	if h, err := quiet.host(); err == nil {
		_ = quiet.projectRoot(ctx, h, rootOptions{})
	}
}

// stage is what a rehearsal, or the question to a shell, starts in its own
// namespace: no command for people, so that no help names it.
func (a *app) stage(ctx context.Context, args []string) int {
	inside := rehearsal.Inside
	if len(args) > 0 && args[0] == ownshell.Word {
		inside = ownshell.Inside
	}
	if err := inside(ctx, a.in, a.out, a.sys.Env, args); err != nil {
		fmt.Fprintln(a.errw, err)
		return report.ExitLeft
	}
	return report.ExitOK
}
