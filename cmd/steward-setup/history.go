// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: history lists receipts, newest first; it changes nothing.

package main

import (
	"cmp"
	"errors"
	"fmt"
	iofs "io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/journal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

func newHistory(a *app) *cobra.Command {
	var bypass bool
	cmd := &cobra.Command{
		Use:     "history",
		Short:   "List what was applied, newest first",
		Example: "  steward-setup history\n  steward-setup history --bypass",
		Args:    cobra.NoArgs,
		RunE: a.onHost(func(_ *cobra.Command, h *host.Host, _ []string) error {
			if bypass {
				return a.historyBypass(h)
			}
			return a.history(h)
		}),
	}
	cmd.Flags().BoolVar(&bypass, "bypass", false, "list the agent's requests to run commands unsandboxed instead")
	return cmd
}

// stoppedHalfWay is the state of a run that did not end by itself.
const stoppedHalfWay = "interrupted"

// historyRow is one receipt as it is listed.
type historyRow struct {
	ID        string    `json:"id"`
	StartedAt time.Time `json:"started_at"`
	Command   string    `json:"command"`
	State     string    `json:"state"`
	// Files are what the run wrote; of one that was stopped half way, what
	// of it stands.
	Files []string `json:"files"`

	// Altered says that the receipt is not as the run left it.
	Altered bool `json:"altered,omitempty"`

	planned int
	// finish is the command that does the rest, "" where a later run did it.
	finish string
}

// unfinished is the newest run that was interrupted, of which something stands and
// which no later one finished, as the command that does the rest.
func (a *app) unfinished(h *host.Host) []report.Command {
	receipts, err := a.applier(h).History()
	if err != nil {
		return nil // history says why
	}
	for _, row := range historyRows(h, receipts) {
		if row.finish != "" && len(row.Files) > 0 {
			return []report.Command{report.Own(row.finish, report.Command{ID: "finish",
				Why: "finish " + row.Command + ", which was interrupted: " + row.written()})}
		}
	}
	return nil
}

// written says how much of an interrupted run stands.
func (r historyRow) written() string {
	return fmt.Sprintf("%d of %s written", len(report.KnownOnce(r.Files)),
		report.Counted(r.planned, "1 file is", "%d files are"))
}

// again is the command that makes the plan of a receipt again, in any directory.
func again(r engine.Receipt) string {
	if r.Project != "" && !strings.Contains(" "+r.Flags, " --project ") {
		r.Command += " --project " + scripts.Quote(r.Project)
	}
	return r.Again()
}

// historyRows lists receipts, which are newest first.
func historyRows(h host.Reader, receipts []engine.Receipt) []historyRow {
	rows := make([]historyRow, 0, len(receipts))
	done := map[string]bool{} // by command, of what is newer
	for _, r := range receipts {
		row := historyRow{ID: r.ID, StartedAt: r.StartedAt, Command: r.Command, Files: []string{}, Altered: r.Altered}
		files := r.Paths()
		row.planned = len(report.KnownOnce(files))
		by, undone := engine.UndoneBy(receipts, r.ID)
		switch {
		case undone && !r.Finished:
			row.State, files = "undone by "+by.ID, by.Paths()
		case undone:
			row.State = "undone by " + by.ID
		case !r.Finished:
			row.State, files = stoppedHalfWay, engine.Standing(h, receipts, r)
			if !done[again(r)] {
				row.finish = again(r)
			}
		default:
			row.State = "applied"
		}
		done[again(r)] = done[again(r)] || r.Finished
		row.Files = append(row.Files, files...)
		rows = append(rows, row)
	}
	return rows
}

func (a *app) history(h *host.Host) error {
	receipts, err := a.applier(h).History()
	if err != nil {
		return err
	}
	rows := historyRows(h, receipts)
	out := a.output("history", a.facts(h))
	if out.doc != nil {
		out.doc.Data(rows)
		return out.end(report.ExitOK, nil)
	}
	if len(rows) == 0 {
		a.say("Nothing has been applied yet. Start with:")
		fmt.Fprintln(a.out, "  "+a.self(h)+" install")
		return nil
	}
	for _, row := range rows {
		state, files := row.State, report.KnownOnce(row.Files)
		if state == stoppedHalfWay {
			state += ": " + row.written() + " and not undone"
		}
		if row.Altered {
			state += " (cannot be verified: the receipt was changed, or is from an earlier version)"
		}
		a.say("%s  %s  %-17s  %s", row.ID, row.StartedAt.Local().Format("2006-01-02 15:04"), // scope per-project
			text.Line(row.Command), state)
		for _, f := range files {
			a.say("    %s", text.Line(text.Home(f, h.Places().Home)))
		}
		if row.finish != "" {
			fmt.Fprintln(a.out, "    to finish it:  "+a.line(a.self(h), text.Line(row.finish)))
		}
	}
	fmt.Fprintln(a.out, "\nTo undo one:  "+a.self(h)+" undo RECEIPT")
	return nil
}

// bypasses are the requests to leave the sandbox that the journal has, oldest
// first; known is false if there is no journal. The error is a *report.Error.
func bypasses(h *host.Host) (records []journal.Record, known bool, err error) {
	for _, path := range journal.Generations(h.Places().State) {
		b, err := fs.Read(path)
		if errors.Is(err, iofs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, false, &report.Error{Code: report.ExitMalformed, Where: path, What: "the journal cannot be read",
				Err: err}
		}
		known = true
		records = append(records, journal.Parse(b)...)
	}
	return slices.DeleteFunc(records, func(r journal.Record) bool { return r.Kind != journal.Bypass }), known, nil
}

// historyBypass shows the journal as it was recorded, newest first: requests to
// leave the sandbox, not whether they were granted.
func (a *app) historyBypass(h *host.Host) error {
	records, _, err := bypasses(h)
	if err != nil {
		return err
	}
	slices.Reverse(records)
	out := a.output("history", a.facts(h))
	if out.doc != nil {
		out.doc.Data(append([]journal.Record{}, records...)) // null would be no array
		return out.end(report.ExitOK, nil)
	}
	if len(records) == 0 {
		fmt.Fprintln(a.out, "No request to run outside the sandbox is recorded.")
		return nil
	}
	for _, r := range records {
		a.say("%s  %s", r.Time.Local().Format("2006-01-02 15:04:05"), text.Line(text.Home(r.Project, h.Places().Home)))
		a.say("    %s", text.Line(r.Command))
		a.say("    session: %s", text.Line(cmp.Or(r.Session, "unknown")))
		a.say("    reason: %s", text.Line(cmp.Or(r.Reason, "none given")))
	}
	fmt.Fprintln(a.out)
	a.say("These calls asked to run unsandboxed; whether each was approved is not recorded.")
	return nil
}
