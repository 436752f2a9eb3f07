// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was found is told once, as a table for lines and
// screens and as the section of the plan: what is to be decided stands first,
// and what is not listed is counted.

package scope

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
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

// rootsSection is what was found, and the roots that are to be written.
func rootsSection(p Proposal) report.Section {
	s := report.Section{ID: "roots", Title: "Project roots",
		Why: "Adds each worktree's absolute path to its settings.local.json, where there is a .claude directory and git " +
			"ignores the file. Worktrees, clones and checkouts made later get theirs from git's post-checkout hook."}
	s.Findings = append(s.Findings, report.Finding{Check: "project-root", Layer: report.LayerSandbox, Status: report.Pass,
		Summary:  p.summary(),
		Evidence: []report.Evidence{report.EnvEvidence("walk", fmt.Sprintf("%d directories read", p.Walk.Directories))}})
	for _, repo := range p.Repositories {
		for _, wt := range repo.Worktrees {
			switch wt.State {
			case Refused:
				f := report.Finding{Check: "project-root", Layer: report.LayerSandbox, Status: report.Warn, Decide: true,
					Summary:  "the root of " + pathname.Tilde(wt.Path, p.Facts.Home) + " is not written",
					Evidence: []report.Evidence{report.FileEvidence(wt.Path, wt.Why)}}
				if wt.Next != "" {
					f.Remedies = append(f.Remedies, report.DocLink{Title: "in " + pathname.Tilde(wt.Path,
						p.Facts.Home) + ": " + wt.Next})
				}
				s.Findings = append(s.Findings, f)
			case ToWrite:
				s.Items = append(s.Items, *wt.change)
			case NoClaude, Covered:
			}
		}
	}
	notRead := func(summary string, dirs []string) {
		if len(dirs) == 0 {
			return
		}
		f := report.Finding{Check: "project-root", Layer: report.LayerSandbox, Status: report.Warn, Summary: summary}
		for _, dir := range dirs {
			f.Evidence = append(f.Evidence, report.FileEvidence(dir, "repositories in it are not found"))
		}
		s.Findings = append(s.Findings, f)
	}
	notRead("these directories could not be read", p.Walk.Unreadable)
	notRead("these directories are on another file system and are left out (--other-filesystems reads them)",
		p.Walk.Elsewhere)
	return s
}

// summary says what was found in numbers.
func (p Proposal) summary() string {
	worktrees := 0
	for _, repo := range p.Repositories {
		worktrees += len(repo.Worktrees)
	}
	said := fmt.Sprintf("repositories: %d, worktrees: %d", len(p.Repositories), worktrees)
	sep := "; roots: "
	for _, s := range []struct {
		state RootState
		words string
	}{{ToWrite, "to write"}, {Covered, "covered"}, {Refused, "refused"}, {NoClaude, "without .claude"}} {
		if n := count(p.Repositories, s.state); n > 0 {
			said += fmt.Sprintf("%s%d %s", sep, n, s.words)
			sep = ", "
		}
	}
	return said
}
