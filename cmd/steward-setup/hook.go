// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: hooks are dispatched before the command line is built,
// since they run on every tool call; none of them ends with a code that would
// block a call or break git.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/hook"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/statusline"
)

// hookNames are the hooks, for help and for errors.
var hookNames = []string{"bypass-warn", "error-hint", "status-line", "status-line-rich", "post-checkout"}

// newHook is what --help shows; run dispatches the hooks before this is
// reached, so it only meets names that are none.
func newHook(*app) *cobra.Command {
	return &cobra.Command{
		Use:   "hook NAME",
		Short: "What the runtime and git call: " + strings.Join(hookNames, ", "),
		Long: `hook is called by the scripts that install writes, with an event of the
runtime on standard input, or by git. To see one work:

  echo '{"tool_input":{"command":"ls","dangerouslyDisableSandbox":true}}' | steward-setup hook bypass-warn`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("which hook is not said; known are " + strings.Join(hookNames, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return usage(cmd, "there is no hook "+args[0]+"; known are "+strings.Join(hookNames, ", "))
		},
	}
}

// hook runs the hook of that name; ok is false if there is none.
func (a *app) hook(ctx context.Context, name string, args []string) (code int, ok bool) {
	switch name {
	case "bypass-warn", "error-hint":
		return hook.Run(name, a.in, a.out, a.errw, a.hookDeps()), true
	case "status-line", "status-line-rich":
		a.statusLine(ctx, name == "status-line-rich")
		return report.ExitOK, true
	case "refresh-title":
		if h, err := a.host(); err == nil && len(args) == 1 {
			_ = statusline.RefreshTitle(ctx, h, args[0]) // nobody reads it: the next footer tries again
		}
		return report.ExitOK, true
	case "post-checkout":
		a.postCheckout(ctx)
		return report.ExitOK, true
	}
	return 0, false
}

// footerBudget bounds a status line, which the runtime draws again and again:
// a disk that hangs costs one footer.
const footerBudget = time.Second

// statusLine prints the footer; the rich one leaves what takes long to a
// process of its own.
func (a *app) statusLine(ctx context.Context, rich bool) {
	ctx, cancel := context.WithTimeout(ctx, footerBudget)
	defer cancel()
	made := make(chan string, 1)
	go func() { made <- a.footer(ctx, rich) }()
	select {
	case line := <-made:
		fmt.Fprintln(a.out, line)
	case <-ctx.Done():
		fmt.Fprintln(a.out, "[sandbox state unknown: the disk does not answer]")
	}
}

func (a *app) footer(ctx context.Context, rich bool) string {
	payload, _ := io.ReadAll(io.LimitReader(a.in, hook.MaxInput)) // what was read is judged
	h, err := a.host()
	if err != nil {
		return "[sandbox state unknown: HOME is not set]"
	}
	if !rich {
		return statusline.Plain(h, payload)
	}
	line, refresh := statusline.Rich(ctx, h, payload)
	if refresh != "" {
		_ = proc.Runner{Env: a.sys.Env}.Detach(proc.RefreshTitle(a.sys.Executable, refresh))
	}
	return line
}

// hookDeps is the machine as a hook sees it. A home that cannot be named
// leaves hints without paths and the journal unwritten, and nothing worse.
func (a *app) hookDeps() hook.Deps {
	d := hook.Deps{GOOS: a.sys.GOOS, Env: a.sys.Get, Now: a.sys.Now, Stat: fs.Stat, Accessible: fs.Accessible, Read: fs.Read, Append: fs.AppendLine}
	if p, err := a.sys.Places(); err == nil {
		d.Home, d.StateDir = p.Home, p.State
	}
	return d
}

// postCheckout adds the root of a new worktree under the standing approval. A
// git hook must not disturb git: it prints nothing and never fails.
func (a *app) postCheckout(ctx context.Context) {
	quiet := *a
	quiet.out, quiet.errw = io.Discard, io.Discard
	_ = quiet.projectRoot(ctx, rootOptions{})
}
