// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: history lists receipts, newest first; it changes nothing.

package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

func newHistory(a *app) *cobra.Command {
	var bypass bool
	cmd := &cobra.Command{
		Use:     "history",
		Short:   "List what was applied, newest first",
		Example: "  steward-setup history\n  steward-setup history --bypass",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if bypass {
				return a.historyBypass()
			}
			return a.history()
		},
	}
	cmd.Flags().BoolVar(&bypass, "bypass", false, "list the agent's requests to run outside the sandbox instead")
	return cmd
}

// historyRow is one receipt as it is listed.
type historyRow struct {
	ID        string    `json:"id"`
	StartedAt time.Time `json:"started_at"`
	Command   string    `json:"command"`
	State     string    `json:"state"`
	Files     []string  `json:"files"`
}

func (a *app) history() error {
	h, err := a.host()
	if err != nil {
		return err
	}
	receipts, err := a.applier(h).History()
	if err != nil {
		return err
	}
	rows := make([]historyRow, 0, len(receipts))
	for _, r := range receipts {
		row := historyRow{ID: r.ID, StartedAt: r.StartedAt, Command: r.Command, State: stateOf(receipts, r)}
		for _, c := range r.Changes {
			row.Files = append(row.Files, c.Path)
		}
		rows = append(rows, row)
	}
	out := a.output("history", report.Facts{OS: a.sys.GOOS, Home: h.Places().Home})
	if out.doc != nil {
		out.doc.Data(rows)
		return out.end(report.ExitOK, nil)
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.out, "Nothing has been applied yet. Start with:  steward-setup install")
		return nil
	}
	for _, row := range rows {
		fmt.Fprintf(a.out, "%s  %s  %-12s %s\n", row.ID, row.StartedAt.Local().Format("2006-01-02 15:04"), text.Line(row.Command), row.State)
		for _, f := range row.Files {
			fmt.Fprintf(a.out, "    %s\n", text.Line(text.Home(f, h.Places().Home)))
		}
	}
	fmt.Fprintln(a.out, "\nTo take one back:  steward-setup undo RECEIPT")
	return nil
}

func stateOf(receipts []engine.Receipt, r engine.Receipt) string {
	if by, ok := engine.UndoneBy(receipts, r.ID); ok {
		return "taken back by " + by.ID
	}
	if !r.Finished {
		return "stopped half way"
	}
	return "applied"
}
