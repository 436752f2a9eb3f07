// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the journal is shown as it was recorded, newest first;
// what was recorded is a request to leave the sandbox, not whether it was
// granted.

package main

import (
	"cmp"
	"errors"
	"fmt"
	iofs "io/fs"
	"slices"

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
	for _, r := range records {
		a.say("%s  %s", r.Time.Local().Format("2006-01-02 15:04:05"),
			text.Line(text.Home(r.Project, h.Places().Home)))
		a.say("    %s", text.Line(r.Command))
		a.say("    session: %s", text.Line(cmp.Or(r.Session, "unknown")))
		a.say("    reason: %s", text.Line(cmp.Or(r.Reason, "none given")))
	}
	fmt.Fprintln(a.out)
	a.say("These calls asked to run unsandboxed; whether each was approved is not recorded.")
	return nil
}
