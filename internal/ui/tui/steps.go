// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is left for the user is a numbered list: first the
// commands of the plan, then what would mend what was found, worst first,
// each once.

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

// nextSteps are the steps that a plan and the checks after it leave.
func nextSteps(p report.Plan, findings []report.Finding, facts report.Facts) []step {
	var steps []step
	seen := make(map[string]bool)
	add := func(s step) {
		if key := s.say + "\x00" + s.copy; s.copy != "" && seen[s.copy] || seen[key] {
			return
		} else if seen[key] = true; s.copy != "" {
			seen[s.copy] = true
		}
		steps = append(steps, s)
	}
	for _, c := range p.Commands() {
		if !c.Optional {
			s, _ := stepOf(c, facts)
			add(s)
		}
	}
	for _, f := range p.Findings() {
		if f.Decide {
			add(step{say: "decide: " + text.Line(f.Summary)})
		}
	}
	for _, status := range []report.Status{report.Fail, report.Unknown, report.Warn} {
		for _, f := range findings {
			if f.Status != status {
				continue
			}
			for _, r := range f.Remedies {
				if s, ok := stepOf(r, facts); ok {
					add(s)
				}
			}
		}
	}
	return steps
}

// stepOf says a remedy as a step.
func stepOf(r report.Remedy, facts report.Facts) (step, bool) {
	switch r := r.(type) {
	case report.Command:
		say := own(r.Why)
		if r.Where != "" {
			say += " (add to " + text.Line(text.Home(r.Where, facts.Home)) + ")"
		}
		return step{say: say, line: redact.Line(r.Line, maxCommand), copy: r.Line}, true
	case report.Change:
		return step{say: text.Path(r.Path, facts) + ": " + own(r.Why)}, true
	case report.DocLink:
		return step{say: own(r.Title) + ": " + text.Line(r.Target)}, true
	}
	return step{}, false
}
