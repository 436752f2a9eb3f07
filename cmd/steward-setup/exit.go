// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every way out ends here, with one exit code, and with
// --json also with one document.

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/jsonv1"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// exitCode ends a command with a code and no message of its own.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// asksForJSON looks for --json in a line that may not have been understood.
func asksForJSON(cmd *cobra.Command, args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return !cmd.DisableFlagParsing && slices.Contains(args, "--json")
}

// exit turns a command's error into its message and its code: in words, or,
// with --json, as the document that the command did not come to print.
func (a *app) exit(ctx context.Context, command string, err error) int {
	var code exitCode
	var e *report.Error
	switch err = a.calledError(err); {
	case err == nil:
		return report.ExitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &e):
	case ctx.Err() != nil:
		e = interrupted()
	default:
		e = &report.Error{Code: report.ExitInternal, What: err.Error()}
	}
	if a.json {
		doc := jsonv1.New(command, version, report.Facts{OS: a.sys.GOOS})
		doc.Fail(e.Code, e)
		if doc.Flush(a.out) == nil {
			return e.Code
		}
	}
	a.complain(e)
	return e.Code
}

// complain prints a failure on standard error, no wider than its terminal.
func (a *app) complain(err error) {
	width := 0
	if a.sys.StderrTTY {
		width = a.sys.Columns
	}
	plain.Error(a.errw, a.environ(), width, text.Failed(err, a.sys.Get("HOME")))
}

// interrupted is what a run ends with that a signal stopped.
func interrupted() *report.Error {
	return &report.Error{Code: report.ExitInterrupted, What: "interrupted",
		Why: "nothing was written that was not reported"}
}
