// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the timer pulls and never pushes; what runs outside the
// sandbox waits for the user. It is written as a plan, and the user enables it.

package sync

import (
	"context"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
)

// ScheduleCommand is what receipts call the run.
const ScheduleCommand = "sync pull --schedule"

// Schedule proposes a timer that pulls every hour. The error is a *report.Error:
// a sandboxed command could replace the program, or the timer.
func Schedule(ctx context.Context, r host.Reader) (report.Proposal, error) {
	t := install.Timer{Name: "steward-setup-sync", What: "pull of the sync repository",
		Args: []string{"sync", "pull", "--plain"}, Hourly: true,
		Left: "# 1 is something left for you: steward-setup sync pull on a terminal shows it.\n" +
			"# 75: another sync is running.\nSuccessExitStatus=75\nTimeoutStartSec=10min\n"}
	s := report.Section{ID: "schedule", Title: "Pull every hour",
		Why: "A timer of your own (systemd, or launchd on macOS) runs steward-setup sync pull. Files that run outside the " +
			"sandbox are not taken: the run fails, and the next pull on a terminal asks you."}
	d := install.NewDraft(r)
	binary, copied, err := d.Binary(ctx, nil, t.Paths(r)...)
	if err != nil {
		return report.Proposal{}, err
	}
	if strings.ContainsFunc(binary+r.Places().Home, unicode.IsControl) {
		return report.Proposal{}, &report.Error{Code: report.ExitLeft, Where: "the path of steward-setup",
			What: "has a control character", Next: "move it"}
	}
	items, err := t.Changes(d, "schedule", binary)
	if err != nil {
		return report.Proposal{}, err
	}
	s.Items = items
	if len(items) == 0 {
		s.Findings = append(s.Findings, install.TimerThere(filepath.Clean(t.Paths(r)[0])))
	}
	sections := []report.Section{s}
	if copied.ID != "" {
		sections = []report.Section{copied, s}
	}
	return report.Proposal{Plan: report.NewPlan(sections), Facts: report.Facts{Home: r.Places().Home,
		OS: r.System().GOOS}}, nil
}
