// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a probe came to is kept column by column, as it
// becomes known; what was not told is unknown, and no column is filled by
// guessing from another.

package tui

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// cell is one column of a probe; told is false as long as nothing is known.
type cell struct {
	told   bool
	status report.Status
	words  string
	// refusal is words in its parts where they say who refused.
	refusal engine.Refusal
}

// plain is a column's words with the layers in plain words first, and what works last.
func (c cell) plain() string {
	r := c.refusal
	if r.Layers == nil {
		return c.words
	}
	words := make([]string, 0, len(r.Layers))
	for _, l := range r.Layers {
		words = append(words, text.Layer(l))
	}
	said := strings.Join(words, ", ")
	if r.ByDesign {
		said += ", by design"
	}
	if said += ": " + r.Said; r.Works != "" {
		said += "; " + r.Works
	}
	return text.Line(said)
}

// applies says whether the column says anything.
func (c cell) applies() bool { return c.told && c.words != "" }

// probed is what a probe came to.
type probed struct {
	outside, inside, fix cell
	// goesOn says that the probe is tried inside.
	goesOn bool
	// changes are those of the finding, ready to be shown.
	changes []shown
	// fixesTried says that the run it answers in tries fixes.
	fixesTried bool
}

// step takes what became known of one column.
func (r *probed) step(e engine.ProbeStep) {
	c := cell{true, e.Status, text.Line(e.Summary), e.Refusal}
	switch e.Column {
	case engine.Outside:
		r.outside, r.goesOn = c, e.GoesOn
	case engine.Inside:
		r.inside = c
	case engine.WithFix:
		if r.fix.status != report.Warn { // the first that works is the smallest
			r.fix = c
		}
	}
}

// refused says whether something was refused inside, or is by design, as far
// as it is known.
func (r *probed) refused() bool {
	return r.inside.applies() && (r.inside.status == report.Fail || r.inside.status == report.Warn)
}

// changesOf are the changes that a finding offers.
func changesOf(f report.Finding) []shown {
	var changes []shown
	for _, m := range f.Remedies {
		if c, ok := m.(report.Change); ok {
			changes = append(changes, show(c))
		}
	}
	return changes
}

// diagnosis is what all probes say together, and the status it amounts to.
func diagnosis(findings []report.Finding) (string, report.Status) {
	n := report.Count(findings)
	switch {
	case slices.ContainsFunc(findings, func(f report.Finding) bool { return f.Voids }):
		return "NOT PROTECTED", report.Fail
	case n[report.Fail] > 0:
		return "BLOCKED", report.Fail
	case n[report.Unknown] > 0:
		return "INCOMPLETE", report.Unknown
	case n[report.Skip] == len(findings):
		return "NOTHING APPLIES", report.Skip
	}
	return "NOTHING BLOCKED", report.Pass
}

// signed is a line of a diff with its sign.
func (d diffLine) signed() string {
	if d.sign == 0 {
		return "· " + d.text
	}
	return string(d.sign) + " " + d.text
}
