// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Command steward-hook is the hooks and status lines of steward-setup as a
// program of their own: they run on every tool call and in every footer, and
// steward-setup itself takes twice as long to start (docs/performance.md).
// install has its scripts call it where it lies beside steward-setup.
//
//	steward-hook hook NAME
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/steward-setup/steward-setup/internal/agent/claude/hookcmd"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "hook" {
		if code, ok := hookcmd.Run(context.Background(), env.Here(), os.Args[2], os.Args[3:], os.Stdin, os.Stdout,
			os.Stderr); ok {
			os.Exit(code)
		}
	}
	fmt.Fprintln(os.Stderr, "steward-hook: this is called by the scripts that steward-setup writes\n"+
		"  next  steward-setup hook --help")
	os.Exit(report.ExitUsage)
}
