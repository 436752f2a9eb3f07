// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a worktree without a policy gets the one that the
// repository has; a submodule is a repository of its own and needs its own.

package checks

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// unmerged is a work tree without a policy, beside one that has it.
type unmerged struct {
	what     string
	evidence report.Evidence
	remedy   report.Command
}

// withoutPolicy says that the linked work tree around dir has no policy while another
// one of its repository has, or that a submodule has none and its superproject has;
// ok is false otherwise.
func withoutPolicy(ctx context.Context, r host.Reader, dir string) (u unmerged, ok bool) {
	repo, worktrees, err := gitrepo.Around(ctx, r, dir)
	if err != nil || repo.Root == "" || hasPolicy(r, repo.Root) {
		return u, false
	}
	name := filepath.Base(repo.Root)
	for _, w := range worktrees {
		if !repo.Linked() {
			break // a main checkout has what its branch has
		}
		if w.Path == repo.Root || w.State != gitrepo.Usable || !hasPolicy(r, w.Path) {
			continue
		}
		there := filepath.Join(w.Path, policyFile)
		u.evidence = report.FileEvidence(filepath.Join(repo.Root, policyFile), noneHere+"; "+there+" is one")
		if tracked, err := repo.Tracked(ctx, w.Path, policyFile); err != nil || !tracked {
			u.what = name + " has no policy: it is not committed in " + filepath.Base(w.Path)
			u.remedy = report.Command{ID: "policy/commit",
				Why:  "commit it, then merge it there: a worktree gets only what is committed",
				Line: "git -C " + scripts.Quote(w.Path) + " add " + policyFile + " && git -C " + scripts.Quote(w.Path) + " commit"}
			return u, true
		}
		from := w.Head
		if branch := strings.TrimPrefix(w.Branch, "refs/heads/"); branch != "" {
			from = branch
		}
		if from == "" || strings.HasPrefix(from, "-") {
			continue
		}
		u.what = name + " has no policy: merge it (git merge " + scripts.Quote(from) + ")"
		u.remedy = report.Command{ID: "policy/merge", Line: "git -C " + scripts.Quote(repo.Root) + " merge " +
			scripts.Quote(from),
			Why: "bring the policy of " + filepath.Base(w.Path) + " into this worktree"}
		return u, true
	}
	if repo.Superproject != "" && hasPolicy(r, repo.Superproject) {
		u.what = name + " has no policy: that of " + filepath.Base(repo.Superproject) + " does not apply in its submodules"
		u.evidence = report.FileEvidence(filepath.Join(repo.Root, policyFile), noneHere+"; "+
			filepath.Join(repo.Superproject, policyFile)+" applies in "+repo.Superproject)
		u.remedy = report.Command{ID: "policy/submodule", Line: "steward-setup install --project " + scripts.Quote(repo.Root),
			Why: "give the submodule a policy: it is a repository of its own"}
		return u, true
	}
	return u, false
}

// bereft says that dir has no policy, though one is approved for its project, where
// nothing more is known.
func bereft(dir string) unmerged {
	return unmerged{what: filepath.Base(dir) + " has no policy, though you approved one for the project",
		evidence: report.FileEvidence(dir, noneHere),
		remedy: report.Command{ID: "install-worktree", Line: "cd " + scripts.Quote(dir) + " && steward-setup install",
			Why: "add a policy here"}}
}
