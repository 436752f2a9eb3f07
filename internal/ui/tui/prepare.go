// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what takes long (comparing and hashing whole files, one
// of which may be this program itself) is done once a plan, in the command
// that made it, never between two frames.

package tui

import (
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// shown is a change made ready to be shown.
type shown struct {
	report.Change
	stat           string
	added, removed int
	lines          []diffLine
}

// prepared is a plan made ready to be shown.
type prepared struct {
	report.Plan
	// digests are the ids of the sections' contents, each by itself.
	digests map[report.ID]report.PlanID
	changes map[report.ID]shown
}

func prepare(p report.Plan, home string) prepared {
	p.Sections = text.SaidIn(p.Sections, home)
	out := prepared{Plan: p, digests: make(map[report.ID]report.PlanID), changes: make(map[report.ID]shown)}
	for _, s := range p.Sections {
		out.digests[s.ID] = report.NewPlan([]report.Section{s}).ID
	}
	for _, c := range p.Changes() {
		sh := shown{Change: c, stat: text.Stat(c), lines: parseDiff(text.Diff(c))}
		sh.added, sh.removed = c.Stat()
		out.changes[c.ID] = sh
	}
	return out
}

// all lists the changes of the plan in the order in which they are applied.
func (p prepared) all() []shown {
	var all []shown
	for _, c := range p.Changes() {
		all = append(all, p.changes[c.ID])
	}
	return all
}
