// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a sentence of a section has "~" for the home, as elsewhere.

package tui

import (
	"context"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

// inHome speaks of a file in the home, as it is written there.
type inHome struct{ *fake }

func (f inHome) Propose(ctx context.Context, a report.Answers) (report.Proposal, error) {
	p, err := f.fake.Propose(ctx, a)
	for i := range p.Plan.Sections {
		p.Plan.Sections[i].Why = "git looks in " + home + "/hooks"
		for n, it := range p.Plan.Sections[i].Items {
			if c, ok := it.(report.Change); ok {
				c.Why = "changes " + home + "/hooks"
				p.Plan.Sections[i].Items[n] = c
			}
		}
	}
	p.Plan = report.NewPlan(p.Plan.Sections)
	return p, err
}

func TestSentencesOfASectionShortenTheHome(t *testing.T) {
	d := setOut(t, inHome{&fake{toolsThere: true}}, Options{StepByStep: true}, 80, 24)
	d.sees("git looks in ~/hooks")
	d.press("w")
	d.sees("changes ~/hooks")
	d.seesNot(home + "/hooks")
}
