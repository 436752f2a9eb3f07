// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one table for lines and screens: what is to be decided
// stands first, and what is not listed is counted.

package scope

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/steward-setup/steward-setup/internal/report"
)

// rank orders the rows.
var rank = map[RootState]int{Refused: 0, ToWrite: 1, NoClaude: 2, Covered: 3}

// Table lists the worktrees and hooks about which there is something to say.
func (p Proposal) Table() *report.Table {
	t := &report.Table{Section: "roots", Title: "Repositories"}
	type ranked struct {
		rank int
		row  report.Row
	}
	var rows []ranked
	quiet := 0
	for _, repo := range p.Repositories {
		fate, shown := repo.Fate(p.Before), false
		for _, wt := range repo.Worktrees {
			if wt.State == NoClaude && (fate == "" || shown) {
				quiet++
				continue
			}
			row := wt.row()
			if fate != "" && !shown {
				row.Details = append(row.Details, report.Detail{Label: "hooks", Text: fate})
			}
			shown = true
			rows = append(rows, ranked{rank[wt.State], row})
		}
	}
	slices.SortStableFunc(rows, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	for _, r := range rows {
		t.Rows = append(t.Rows, r.row)
	}
	t.Summary = p.summary()
	if quiet > 0 {
		t.Rest = fmt.Sprintf("not listed: worktrees without .claude and without hooks: %d", quiet)
	}
	return t
}

// row is the worktree in the table.
func (wt Worktree) row() report.Row {
	row := report.Row{Mark: " ", Path: wt.Path, State: string(wt.State)}
	switch wt.State {
	case ToWrite:
		row.Mark = "+"
	case Covered:
		row.Mark, row.Status = report.Pass.Symbol(), report.Pass
	case Refused:
		row.Mark, row.Status = report.Fail.Symbol(), report.Warn
		row.Details = append(row.Details, report.Detail{Label: "why", Text: wt.Why})
		if wt.Next != "" {
			row.Details = append(row.Details, report.Detail{Label: "next", Text: wt.Next})
		}
	case NoClaude:
	}
	if wt.Kind != "main" {
		row.State += " (" + wt.Kind + ")"
	}
	return row
}
