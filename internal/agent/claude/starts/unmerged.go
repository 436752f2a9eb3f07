// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a worktree without a policy gets the one that the
// repository has; a submodule is a repository of its own and needs its own.

package starts

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude/gitruns"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// Unmerged is a work tree without a policy, beside one that has it.
type Unmerged struct {
	What     string
	Evidence report.Evidence
	Remedy   report.Command
}

// WithoutPolicy says that the linked work tree around dir has no policy while another
// one of its repository has, or that a submodule has none and its superproject has,
// or that no project is there to have one; ok is false otherwise.
func WithoutPolicy(ctx context.Context, r host.Reader, dir string) (u Unmerged, ok bool) {
	repo, worktrees, err := gitrepo.Around(ctx, r, dir)
	if errors.Is(err, gitrepo.ErrNone) { // install adds a policy to a project alone
		return Unmerged{What: gitrepo.NoneHere + ", and no policy in your user settings",
			Evidence: report.FileEvidence(r.Places().UserSettings(), opening.NoneHere), Remedy: Everywhere()}, true
	}
	if err != nil || repo.Root == "" || session.HasPolicy(r, repo.Root) {
		return u, false
	}
	name := filepath.Base(repo.Root)
	for _, w := range worktrees {
		if !repo.Linked() {
			break // a main checkout has what its branch has
		}
		if w.Path == repo.Root || w.State != gitrepo.Usable || !session.HasPolicy(r, w.Path) {
			continue
		}
		there := filepath.Join(w.Path, session.PolicyFile)
		u.Evidence = report.FileEvidence(filepath.Join(repo.Root, session.PolicyFile), opening.NoneHere+"; "+there+" is one")
		if tracked, err := repo.Tracked(ctx, w.Path, session.PolicyFile); err != nil || !tracked {
			if kept, _, err := gitrepo.KeptOut(ctx, r, w.Path, session.PolicyFile); err == nil && kept {
				u.What = name + " has no policy: git ignores that of " + filepath.Base(w.Path)
				u.Remedy = ofItsOwn(repo, "give this worktree a policy: no branch brings one that git ignores")
				return u, true
			}
			u.What = name + " has no policy: it is not committed in " + filepath.Base(w.Path)
			ignore, _ := r.ReadIn(w.Path, gitruns.IgnoreFile)
			u.Remedy = gitruns.Commit(ctx, r, w.Path, ignore)
			return u, true
		}
		line, from := gitruns.Merge(repo.Root, w)
		if from == "" {
			continue
		}
		u.What, u.Remedy = name+" has no policy: merge it (git merge "+from+")", line
		return u, true
	}
	if repo.Superproject != "" && session.HasPolicy(r, repo.Superproject) {
		u.What = name + " has no policy: that of " + filepath.Base(repo.Superproject) + " does not apply in its submodules"
		u.Evidence = report.FileEvidence(filepath.Join(repo.Root, session.PolicyFile), opening.NoneHere+"; "+
			filepath.Join(repo.Superproject, session.PolicyFile)+" applies in "+repo.Superproject)
		u.Remedy = ofItsOwn(repo, "give the submodule a policy: it is a repository of its own")
		return u, true
	}
	return u, false
}

// ofItsOwn gives a work tree a policy that no branch brings.
func ofItsOwn(repo *gitrepo.Repo, why string) report.Command {
	return report.Own("install", report.Command{ID: "policy/own", Dir: scripts.Quote(repo.Root), Why: why})
}

// Everywhere puts the policy where no project is needed.
func Everywhere() report.Command {
	return report.Own("install --floor=yes --plan", report.Command{ID: "policy-everywhere", Optional: true,
		Why: "put a policy into your user settings, so that it applies in every directory"})
}

// Bereft says that dir has no policy, though one is approved for its project, where
// nothing more is known.
func Bereft(dir string) Unmerged {
	return Unmerged{What: filepath.Base(dir) + " has no policy, though you approved one for the project",
		Evidence: report.FileEvidence(dir, opening.NoneHere),
		Remedy: report.Own("install", report.Command{ID: "install-worktree", Dir: scripts.Quote(dir),
			Why: "add a policy here"})}
}
