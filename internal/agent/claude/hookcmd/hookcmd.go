// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package hookcmd runs the hooks and status lines by their names, for every
// program that the scripts may call.
//
// Contract: what runs on every tool call and in every footer imports nothing
// that is not needed for it: a package that does something at the start of a
// program does it each time.
package hookcmd

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/hook"
	"github.com/steward-setup/steward-setup/internal/agent/claude/statusline"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Run runs the hook of that name, with what follows the name; ok is false if
// there is none.
func Run(ctx context.Context, sys env.System, name string, args []string, in io.Reader, out, errw io.Writer) (code int,
	ok bool) {
	switch name {
	case "bypass-warn", "error-hint":
		return hook.Run(name, in, out, errw, sys), true
	case "status-line", "status-line-rich":
		statusLine(ctx, sys, name == "status-line-rich", in, out)
		return report.ExitOK, true
	case "refresh-title":
		if h, err := host.New(sys); err == nil && len(args) == 1 {
			_ = statusline.RefreshTitle(ctx, h, args[0]) // nobody reads it: the next footer tries again
		}
		return report.ExitOK, true
	}
	return 0, false
}

// footerBudget bounds a status line, which the runtime draws again and again:
// a disk that hangs costs one footer.
const footerBudget = time.Second

// statusLine prints the footer; the rich one leaves what takes long to a
// process of its own.
func statusLine(ctx context.Context, sys env.System, rich bool, in io.Reader, out io.Writer) {
	ctx, cancel := context.WithTimeout(ctx, footerBudget)
	defer cancel()
	made := make(chan string, 1)
	go func() { made <- footer(ctx, sys, rich, in) }()
	select {
	case line := <-made:
		fmt.Fprintln(out, line)
	case <-ctx.Done():
		fmt.Fprintln(out, "[sandbox state unknown: the disk does not answer]")
	}
}

func footer(ctx context.Context, sys env.System, rich bool, in io.Reader) string {
	payload, _ := io.ReadAll(io.LimitReader(in, hook.MaxInput)) // what was read is judged
	h, err := host.New(sys)
	if err != nil {
		return "[sandbox state unknown: HOME is not set]"
	}
	if !rich {
		return statusline.Plain(h, payload)
	}
	line, refresh := statusline.Rich(ctx, h, payload)
	if refresh != "" {
		_ = proc.Runner{Env: sys.Env}.Detach(proc.RefreshTitle(sys.Executable, refresh))
	}
	return line
}
