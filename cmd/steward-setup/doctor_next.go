// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: after the probes stand the steps that lead on, the fixes of
// several probes tried by one line.

package main

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// called is a command as it is called here.
func (d *consultation) called(c report.Command) report.Command { return d.a.called(d.a.self(d.h), c) }

// writeIt says what to do about a change, which stands above with its price and
// its diff.
func (d *consultation) writeIt(c *report.Change) string {
	return "if it is worth its price, make the change shown above (" + c.Why + ") in " + c.Path + ", then:  " +
		d.a.self(d.h) + " " + d.a.again("verify")
}

// tries is the probe whose fixes a command tries.
func tries(c report.Command) (probe string, ok bool) { return strings.CutPrefix(string(c.ID), "try-") }

// together makes one line of those that try the fixes of one probe each.
func together(steps []report.NextStep) []report.NextStep {
	first, probes := -1, []string{}
	var rest []report.NextStep
	for _, s := range steps {
		if s.Command != nil {
			if probe, ok := tries(*s.Command); ok {
				probes = append(probes, probe)
				if first >= 0 {
					continue
				}
				first = len(rest)
			}
		}
		rest = append(rest, s)
	}
	if len(probes) > 1 {
		c := *rest[first].Command
		c.Line = "steward-setup doctor " + strings.Join(probes, " ") + " --try-fix"
		rest[first].Command = &c
	}
	return rest
}

// next are the steps that lead on, with this program called as it can be.
func (d *consultation) next(findings []report.Finding) []report.NextStep {
	steps := together(report.Steps(findings, nil))
	for i, s := range steps {
		switch {
		case s.Change != nil:
			steps[i].Text = d.writeIt(s.Change)
		case s.Command != nil:
			steps[i] = d.a.calledStep(d.a.self(d.h), s)
		}
	}
	return steps
}
