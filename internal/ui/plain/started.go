// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each way to start the agent is said with where it holds
// and where it does not.

package plain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

const startedAs = "started as   "

// started prints how the agent may be started: all in one row where nothing is
// known of the directories, else a launch under another.
func (r *Report) started(e engine.Judged) {
	const column = 15 // the longest name, a sign
	var row []string
	head := startedAs
	for _, l := range []report.Launch{report.Iso, report.Plain} {
		v, ok := e.Launches[l]
		if !ok {
			continue
		}
		parts := text.Covered(l, v, r.warned(l), e.Covers, r.p.facts)
		if len(e.Covers) == 0 {
			row = append(row, fmt.Sprintf("%s %s %s", text.Launch(l), Mark(parts[0].Status), parts[0]))
			continue
		}
		narrowed := r.p.stacks()
		if narrowed {
			r.p.linef("%s%s", head, text.Launch(l))
		}
		for i, part := range parts {
			first, next := strings.Repeat(" ", text.Width(head)+13), strings.Repeat(" ", text.Width(head)+column)
			switch {
			case narrowed:
				first, next = "  ", "    "
			case i == 0:
				first = head + fmt.Sprintf("%-13s", text.Launch(l))
			}
			r.p.fold(first+Mark(part.Status)+" ", next, part.String())
		}
		if !narrowed {
			head = strings.Repeat(" ", text.Width(startedAs))
		}
	}
	if row == nil {
		return
	}
	if whole := startedAs + strings.Join(row, "   "); r.p.width == 0 || text.Width(whole) <= r.p.width {
		r.p.linef("%s", whole)
		return
	}
	for _, part := range row {
		r.p.linef("%s%s", head, part)
		head = strings.Repeat(" ", text.Width(head))
	}
}

// warned says whether a finding warns of one launch.
func (r *Report) warned(l report.Launch) bool {
	return slices.ContainsFunc(r.findings, func(f report.Finding) bool {
		s, _ := f.In(l)
		return s.Status == report.Warn
	})
}
