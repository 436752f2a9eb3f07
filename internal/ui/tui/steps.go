// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is left for the user is report.Steps, in the same
// order as everywhere else; here it is only made safe to show and to copy.

package tui

import (
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// step is one thing to do: a sentence, and a command line if there is one.
// copy is the exact line, line what may be shown of it.
type step struct {
	say        string
	line, copy string
}

// AsCalled says a next step as it can be taken here, such as with the name
// that leads to this program; false leaves it out. nil changes nothing.
type AsCalled func(report.NextStep) (report.NextStep, bool)

// nextSteps are the steps that commands and findings leave.
func nextSteps(findings []report.Finding, commands []report.Command, as AsCalled, facts report.Facts) []step {
	var steps []step
	for _, s := range report.Steps(findings, commands) {
		keep := true
		if as != nil {
			s, keep = as(s)
		}
		if keep {
			steps = append(steps, stepOf(s, facts))
		}
	}
	return steps
}

// stepOf makes a step ready to show.
func stepOf(s report.NextStep, facts report.Facts) step {
	c := s.Command
	if c == nil {
		return step{say: own(redact.Text(text.Step(s.Text, facts.Home)))}
	}
	say := own(c.Why)
	switch {
	case c.Where != "" && say == "":
		say = "add to " + text.Line(text.Home(c.Where, facts.Home))
	case c.Where != "":
		say += " (add to " + text.Line(text.Home(c.Where, facts.Home)) + ")"
	case say == "":
		say = "run"
	}
	if s.Text != "" {
		say = own(s.Text) + ": " + say
	}
	return step{say: say, line: redact.Line(c.Line, maxCommand), copy: c.Line}
}

// mends are what would mend one finding, pages of explanation included.
func mends(f report.Finding, as AsCalled, facts report.Facts) []step {
	var steps []step
	for _, r := range f.Remedies {
		switch r := r.(type) {
		case report.Command:
			s, keep := report.NextStep{Command: &r}, true
			if as != nil {
				s, keep = as(s)
			}
			if keep {
				steps = append(steps, stepOf(s, facts))
			}
		case report.Change:
			steps = append(steps, step{say: text.Path(r.Path, facts) + ": " + own(r.Says())})
		case report.DocLink:
			say := own(r.Title)
			if r.Target != "" {
				say += ": " + text.Line(text.Home(r.Target, facts.Home))
			}
			steps = append(steps, step{say: say})
		}
	}
	return steps
}
