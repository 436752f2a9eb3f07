// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the journal is shown as it was recorded, newest first;
// what was recorded is a request to leave the sandbox, not whether it was
// granted.

package main

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"slices"
	"text/tabwriter"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/journal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

func (a *app) historyBypass() error {
	h, err := a.host()
	if err != nil {
		return err
	}
	var records []journal.Record
	for _, path := range journal.Generations(h.Places().State) {
		b, err := fs.Read(path)
		if errors.Is(err, iofs.ErrNotExist) {
			continue
		}
		if err != nil {
			return &report.Error{Code: report.ExitMalformed, Where: path, What: "the journal cannot be read", Err: err}
		}
		records = append(records, journal.Parse(b)...)
	}
	records = slices.DeleteFunc(records, func(r journal.Record) bool { return r.Kind != journal.Bypass })
	slices.Reverse(records)
	out := a.output("history", report.Facts{OS: a.sys.GOOS, Home: h.Places().Home})
	if out.doc != nil {
		out.doc.Data(slices.Concat([]journal.Record{}, records))
		return out.end(report.ExitOK, nil)
	}
	if len(records) == 0 {
		fmt.Fprintln(a.out, "No request to run outside the sandbox is recorded.")
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TIME\tSESSION\tPROJECT\tCOMMAND\tREASON GIVEN")
	for _, r := range records {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.Time.Local().Format("2006-01-02 15:04:05"), cell(r.Session, 8),
			cell(text.Home(r.Project, h.Places().Home), 32), cell(r.Command, 60), cell(r.Reason, 40))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(a.out, "\nThese calls asked to run unsandboxed; whether each was approved is not recorded.")
	return nil
}

// cell is one entry of the table, cut; --json has it whole.
func cell(s string, limit int) string {
	if s == "" {
		return "-"
	}
	return text.Cut(text.Line(s), limit)
}
