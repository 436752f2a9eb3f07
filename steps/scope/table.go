// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was found is told once, as a table for lines and
// screens and as the section of the plan: what is to be decided stands first,
// and what is not listed is counted. A scope is in force only if git says so
// and the files that it leads to are there; what is half the one and half the
// other is mixed.

package scope

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// ranks orders the rows.
var ranks = []RootState{Refused, ToWrite, unused, Covered}

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
			if wt.state() == unused && (fate == "" || shown) {
				quiet++
				continue
			}
			row := wt.row()
			if fate != "" && !shown {
				row.Details = append(row.Details, report.Detail{Label: "hooks", Text: fate})
			}
			shown = true
			rows = append(rows, ranked{slices.Index(ranks, wt.state()), row})
		}
	}
	slices.SortStableFunc(rows, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	for _, r := range rows {
		t.Rows = append(t.Rows, r.row)
	}
	t.Summary = p.summary()
	if quiet > 0 {
		t.Rest = fmt.Sprintf("not listed: worktrees without %s and without hooks: %d", path.Dir(p.local), quiet)
	}
	return t
}

// row is the worktree in the table.
func (wt Worktree) row() report.Row {
	row := report.Row{Mark: " ", Path: wt.Path, State: string(wt.State)}
	switch wt.state() {
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
	case unused:
	}
	if wt.Kind != "main" {
		row.State += " (" + wt.Kind + ")"
	}
	return row
}

// rootsSection is what was found, and the roots that are to be written.
func rootsSection(p Proposal) report.Section {
	s := report.Section{ID: "roots", Title: "Project roots",
		Why: fmt.Sprintf("Adds each worktree's absolute path to its %s, where there is a %s directory and git "+
			"ignores the file. Worktrees, clones and checkouts made later get theirs from git's post-checkout hook.",
			path.Base(p.local), path.Dir(p.local))}
	s.Note(report.Finding{Check: "project-root", Status: report.Pass, Summary: p.summary(),
		Evidence: []report.Evidence{report.EnvEvidence("walk", fmt.Sprintf("%d directories read", p.Walk.Directories))}})
	for _, repo := range p.Repositories {
		for _, wt := range repo.Worktrees {
			switch wt.state() {
			case Refused:
				f := report.Finding{Check: "project-root", Layer: report.LayerSandbox, Status: report.Warn, Decide: true,
					Summary:  "the root of " + pathname.Tilde(wt.Path, p.Facts.Home) + " is not written",
					Evidence: []report.Evidence{report.FileEvidence(wt.Path, wt.Why)}}
				if wt.Next != "" {
					f.Remedies = append(f.Remedies, report.DocLink{Title: "in " + pathname.Tilde(wt.Path,
						p.Facts.Home) + ": " + wt.Next})
				}
				s.Note(f)
			case ToWrite:
				s.Items = append(s.Items, *wt.change)
			case unused, Covered:
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
		s.Note(f)
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
	}{{ToWrite, "to write"}, {Covered, "covered"}, {Refused, "refused"}, {unused, "without " + path.Dir(p.local)}} {
		if n := count(p.Repositories, s.state); n > 0 {
			said += fmt.Sprintf("%s%d %s", sep, n, s.words)
			sep = ", "
		}
	}
	return said
}

// State is which scope is in force, and what says so.
type State struct {
	// Scope is "per-project", "whole-user" or "mixed"; Why is one line.
	Scope string `json:"scope"`
	Why   string `json:"why"`
	// HooksPath are the core.hooksPath of the user and the machine, the one
	// that counts last; Before is the one that the shared directory stands
	// in for, "" for none.
	HooksPath []githooks.Setting `json:"hooks_path"`
	Before    string             `json:"before"`
	Shared    githooks.Directory `json:"shared_directory"`
	// Approved says that new roots may be written in every repository.
	Approved bool `json:"standing_approval"`
	// Starts are what a start of the agent would be under, by the settings
	// alone: in this project's root, below it, in its linked worktrees, outside
	// any project, and by an editor.
	Starts       []report.StartRow `json:"starts"`
	Repositories []Runs            `json:"repositories"`
}

// Runs is what git runs in a repository.
type Runs struct {
	Repository
	// Settings are every core.hooksPath there, Dir the directory of hooks
	// that counts.
	Settings []githooks.Setting `json:"settings"`
	Dir      string             `json:"hooks_directory"`
	// Runs are the hooks that run, Inert those of the repository that do not.
	Runs  []Run    `json:"runs"`
	Inert []string `json:"inert"`
}

// Run is one hook that git runs.
type Run struct {
	Hook string `json:"hook"`
	// Path is the file that does the work; Shared says that the shared
	// directory starts it.
	Path   string `json:"path"`
	Shared bool   `json:"by_shared_directory"`
}

// Show looks at the user, and at the repositories below o.Roots, or at that of
// dir where there are none. The error is a *report.Error, or ctx's.
func Show(ctx context.Context, r host.Reader, dir string, o Options) (State, error) {
	s := State{HooksPath: []githooks.Setting{}, Shared: githooks.Look(r), Repositories: []Runs{}}
	h, err := gitrepo.UserHooksPath(ctx, r)
	if err != nil {
		return s, err
	}
	s.HooksPath = append(s.HooksPath, githooks.Settings(r, h)...)
	s.Before = s.Shared.Filled.Before
	b, _ := r.Read(approval.Path(r.Places().State)) // what is not there is not approved
	if set, err := approval.Parse("", b); err == nil {
		s.Approved = set.WholeUser
	}
	s.judge()
	switch outdated, err := s.Shared.Outdated(ctx, r); {
	case err != nil:
		return s, err
	case outdated != "" && s.Scope == "whole-user":
		s.Scope, s.Why = "mixed", outdated
	}
	s.Starts = o.Agent.Starts(ctx, r, dir)
	trees := host.FindTree(r, dir)
	walk := Walk{Trees: []host.Tree{trees}}
	switch {
	case len(o.Roots) > 0:
		if walk, err = Find(ctx, r, o); err != nil {
			return s, err
		}
	case trees.Root == "":
		walk.Trees = nil
	}
	repos, err := examine(ctx, r, walk.Trees, o)
	if err != nil {
		return s, err
	}
	for _, repo := range repos {
		runs, err := s.runs(ctx, r, repo)
		if err != nil {
			return s, err
		}
		s.Repositories = append(s.Repositories, runs)
	}
	return s, nil
}

// judge says which scope it is.
func (s *State) judge() {
	leads := len(s.HooksPath) > 0 && s.HooksPath[len(s.HooksPath)-1].Ours
	elsewhere := slices.ContainsFunc(s.HooksPath, func(h githooks.Setting) bool { return h.Ours && !h.Counts })
	switch {
	case leads && len(s.Shared.Drift()) == 0 && s.Shared.Exists:
		s.Scope, s.Why = "whole-user", "git looks for the hooks of every repository in the shared directory"
	case leads && s.Shared.OtherVersion && !slices.ContainsFunc(s.Shared.Drift(), func(f githooks.File) bool {
		return !s.Shared.Runs(f.Name)
	}):
		s.Scope, s.Why = "whole-user", "git looks for the hooks of every repository in the shared directory; another "+
			"version wrote them, and steward-setup scope whole-user writes them again"
	case leads && !s.Shared.Exists:
		s.Scope, s.Why = "mixed", "core.hooksPath points to a missing directory: no repository's hooks run"
	case leads:
		s.Scope, s.Why = "mixed", "core.hooksPath points to the shared directory, where hooks are missing or changed"
	case elsewhere:
		s.Scope, s.Why = "mixed", "another core.hooksPath overrides that of whole-user scope"
	case s.Shared.Installed:
		s.Scope, s.Why = "mixed", "the shared directory exists, but git does not use it"
	default:
		s.Scope, s.Why = "per-project", "each repository needs its own setup"
	}
}

// runs says what git runs in a repository.
func (s *State) runs(ctx context.Context, r host.Reader, repo Repository) (Runs, error) {
	out := Runs{Repository: repo, Settings: s.HooksPath, Runs: []Run{}, Inert: []string{}}
	usual := filepath.Join(repo.CommonDir, "hooks")
	place := cmp.Or(repo.Worktrees[0].Path, repo.CommonDir)
	if repo.hooksPath(0) != nil {
		h, err := gitrepo.HooksPathAt(ctx, r, place)
		if err != nil {
			return out, err
		}
		out.Settings = githooks.Settings(r, h)
	}
	out.Dir = usual
	if n := len(out.Settings); n > 0 {
		out.Dir = pathname.From(place, out.Settings[n-1].Value)
	}
	shared := githooks.Shared(r, out.Dir)
	does := out.Dir
	if shared {
		does = pathname.From(place, cmp.Or(s.Before, usual))
	}
	for _, name := range githooks.Active(r, does) {
		if !shared || s.Shared.Runs(name) {
			out.Runs = append(out.Runs, Run{name, filepath.Join(does, name), shared})
		}
	}
	for _, name := range repo.Hooks {
		if !slices.ContainsFunc(out.Runs, func(run Run) bool { return run.Path == filepath.Join(usual, name) }) {
			out.Inert = append(out.Inert, name)
		}
	}
	return out, nil
}
