// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a scope is in force only if git says so and the files that
// it leads to are there; what is half the one and half the other is mixed.

package scope

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/steps/verify"
)

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
	Starts       []verify.Start `json:"starts"`
	Repositories []Runs         `json:"repositories"`
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
	s.Starts, _ = verify.Starts(ctx, r, dir)
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
	repos, err := examine(ctx, r, walk.Trees, o.Progress)
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
	place := repo.CommonDir
	if root := repo.Worktrees[0].Path; root != "" {
		place = root
	}
	if repo.hooksPath(0) != nil {
		h, err := gitrepo.HooksPathAt(ctx, r, place)
		if err != nil {
			return out, err
		}
		out.Settings = githooks.Settings(r, h)
	}
	out.Dir = usual
	if n := len(out.Settings); n > 0 {
		if out.Dir = out.Settings[n-1].Value; !filepath.IsAbs(out.Dir) {
			out.Dir = filepath.Join(place, out.Dir)
		}
	}
	shared := githooks.Shared(r, out.Dir)
	does := out.Dir
	if shared {
		if does = s.Before; does == "" {
			does = usual
		}
		if !filepath.IsAbs(does) {
			does = filepath.Join(place, does)
		}
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
