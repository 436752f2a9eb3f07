// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what this program is on a stage is no command for people:
// it is dispatched before the command line is built, and appears in no help.

package main

import (
	"context"
	"fmt"

	"github.com/steward-setup/steward-setup/internal/ownshell"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
)

// stage is what a rehearsal, or the question to a shell, starts in its own
// namespace.
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
