// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a screen approves is the plan that it showed, by the
// answers that were given there.

package main

import (
	"context"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/sync"
)

// runs says what of a pull is asked about, in a sentence that begins so.
func (x *exchanging) runs(begin string) string {
	return begin + " outside the sandbox or is read as instructions: " + strings.Join(x.e.Asks, ", ") + "."
}

// facts are those of the header.
func (x *exchanging) facts() report.Facts {
	return report.Facts{OS: x.a.sys.GOOS, Home: x.h.Places().Home}
}

// confirm shows a page that only asks. The error says that nobody said yes.
func (x *exchanging) confirm(ctx context.Context, c tui.Confirmation) (tui.Outcome, error) {
	c.Command, c.Facts = x.name, x.facts()
	outcome, err := tui.RunConfirm(ctx, x.a.terminal(), c)
	x.a.wait.Resume() // the page has ended, the run has not
	if err != nil {
		return outcome, err
	}
	outcome.Left = 0 // it is not done yet
	return outcome, ended(outcome)
}

// approvePull asks for what arrives.
func (x *exchanging) approvePull(ctx context.Context, p report.Plan) error {
	_, err := x.confirm(ctx, tui.Confirmation{Plan: p, Yes: "take these files",
		Title: sync.Count(len(x.e.Arriving), "commit") + " from " + x.e.Address(), Why: x.runs("Runs")})
	return err
}

// approvePush asks for what arrives and leaves: which files, and by which
// message.
func (x *exchanging) approvePush(ctx context.Context, all *sync.Outgoing, o sync.PushOptions) (*sync.Outgoing, error) {
	propose := func(a report.Answers) (report.Proposal, error) {
		some, err := all.Chosen(ctx, a, o.Message)
		if err != nil {
			return report.Proposal{}, err
		}
		return report.Proposal{Plan: x.both(some), Facts: x.facts(), Questions: all.Questions(some)}, nil
	}
	why := "Each file was scanned for secrets. Below the files: leave some out, or change the message."
	if len(x.e.Asks) > 0 {
		why = x.runs("Also arrives, and runs")
	}
	outcome, err := x.confirm(ctx, tui.Confirmation{Plan: x.both(all), Yes: "push", Title: "Push to " + all.To(), Why: why,
		Propose: propose, Questions: all.Questions(all)})
	if err != nil {
		return nil, err
	}
	chosen, err := all.Chosen(ctx, outcome.Answers, o.Message)
	if err != nil {
		return nil, err
	}
	if p := x.both(chosen); p.ID != outcome.Approved {
		return nil, x.stale(p)
	}
	return chosen, nil
}

// both is the plan of a push: what arrives, and what leaves.
func (x *exchanging) both(out *sync.Outgoing) report.Plan {
	sections := []report.Section{out.Section(x.e.Dir())}
	if x.e.Behind() {
		sections = append([]report.Section{x.e.Section()}, sections...)
	}
	return report.NewPlan(sections)
}
