// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line that the doctor hands out works when it is pasted,
// in any directory: it calls this program as it can be called here, for the
// project of the run.

package main

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// pasteable is an event whose command lines call this program as it can be
// called, for the project of the run: a document has no next steps beside them.
func (d *consultation) pasteable(e engine.Event) engine.Event {
	done, ok := e.(engine.CheckDone)
	if !ok {
		return e
	}
	done.Finding.Remedies = slices.Clone(done.Finding.Remedies)
	for i, r := range done.Finding.Remedies {
		if c, ok := r.(report.Command); ok {
			done.Finding.Remedies[i] = d.called(c)
		}
	}
	return done
}

// called puts into a line that calls this program the name that leads to it,
// and the project.
func (d *consultation) called(c report.Command) report.Command {
	if rest, ours := strings.CutPrefix(c.Line, "steward-setup "); ours {
		c.Line = d.a.self(d.h) + " " + d.a.again(rest)
	}
	return c
}

// writeIt says of a change, whose sentence stands with its price and its diff
// above, what to do about it; other words stay.
func (d *consultation) writeIt(findings []report.Finding, why string) string {
	for _, f := range findings {
		for _, r := range f.Remedies {
			if c, ok := r.(report.Change); ok && c.Why == why {
				title, _, _ := strings.Cut(why, ". Price: ")
				return "if it is worth its price, make the change shown above (" + title + ") in " + c.Path + ", then:  " + d.a.self(d.h) + " " + d.a.again("verify")
			}
		}
	}
	return why
}

// tryFixes is the end of a line that tries the fixes of a probe.
const tryFixes = " --try-fix"

// together makes one line of those that try the fixes of one probe each.
func together(steps []report.NextStep) []report.NextStep {
	const begin = "steward-setup doctor "
	first, probes := -1, []string{}
	var rest []report.NextStep
	for _, s := range steps {
		if s.Command != nil && strings.HasPrefix(s.Command.Line, begin) && strings.HasSuffix(s.Command.Line, tryFixes) {
			probes = append(probes, strings.TrimSuffix(strings.TrimPrefix(s.Command.Line, begin), tryFixes))
			if first >= 0 {
				continue
			}
			first = len(rest)
		}
		rest = append(rest, s)
	}
	if len(probes) > 1 {
		c := *rest[first].Command
		c.Line = begin + strings.Join(probes, " ") + tryFixes
		rest[first].Command = &c
	}
	return rest
}

// next are the steps that lead on, with this program called as it can be.
func (d *consultation) next(findings []report.Finding) []report.NextStep {
	steps := together(report.Steps(findings, nil))
	for i, s := range steps {
		if s.Command == nil {
			steps[i].Text = d.writeIt(findings, s.Text)
			continue
		}
		c := d.called(*s.Command)
		steps[i].Command = &c
	}
	return steps
}
