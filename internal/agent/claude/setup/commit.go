// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a policy that is not committed protects one checkout only,
// and that is said; the commit is the user's to make.

package setup

import (
	"context"
	"errors"
	iofs "io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/gitruns"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// committing names what keeps a policy in the project from reaching others:
// it is not committed, or another worktree's branch does not have it.
func (p *proposer) committing(ctx context.Context, s *report.Section) error {
	if p.policyTo != "project" {
		return nil
	}
	tracked, err := p.Repo.Tracked(ctx, p.Repo.Root, session.PolicyFile)
	if err != nil {
		return err
	}
	if ig, err := p.Repo.Ignored(ctx, p.Repo.Root, session.PolicyFile); err == nil && ig.Ignored && !tracked {
		s.Note(report.Finding{Check: "project-settings", Status: report.Warn,
			Summary:  "git ignores this file: it will protect this checkout only",
			Evidence: []report.Evidence{report.FileEvidence(ig.Where(), ig.Pattern)}})
		return nil
	}
	var steps []report.Remedy
	if !tracked || len(s.Items) > 0 {
		ignore, err := p.draft.Open(filepath.Join(p.Repo.Root, gitruns.IgnoreFile), p.Repo.Root)
		if err != nil {
			ignore.Bytes = nil // who proposes to write it says why not
		}
		line := gitruns.Commit(ctx, p.r, p.Repo.Root, ignore.Bytes)
		steps, line.Optional = []report.Remedy{line}, true
		s.Items = append(s.Items, line)
	}
	for _, wt := range p.Worktrees {
		if wt.Path == p.Repo.Root || wt.State != gitrepo.Usable {
			continue
		}
		_, err := p.r.ReadIn(wt.Path, session.PolicyFile)
		if errors.Is(err, iofs.ErrNotExist) {
			if f, tracked, err := p.notCheckedOut(ctx, wt.Path, session.PolicyFile); err == nil && tracked {
				s.Note(f)
				continue
			}
			branch := strings.TrimPrefix(wt.Branch, "refs/heads/")
			s.Note(report.Finding{Check: "project-settings", Status: report.Warn,
				Summary: "the linked worktree " + filepath.Base(wt.Path) + " has no policy: no sandbox and no rules there",
				Evidence: []report.Evidence{report.FileEvidence(wt.Path, "its branch "+branch+" does not have "+
					session.PolicyFile)}, Remedies: p.merged(steps, wt)})
		}
	}
	return nil
}

// merged brings the policy into a linked worktree, once it is committed.
func (p *proposer) merged(committed []report.Remedy, into gitrepo.Worktree) []report.Remedy {
	i := slices.IndexFunc(p.Worktrees, func(w gitrepo.Worktree) bool { return w.Path == p.Repo.Root })
	if i >= 0 && p.Worktrees[i].Branch != "" {
		if line, from := gitruns.Merge(into.Path, p.Worktrees[i]); from != "" {
			return slices.Concat(committed, []report.Remedy{line})
		}
	}
	return []report.Remedy{report.DocLink{Title: "commit the policy, then merge it into " +
		strings.TrimPrefix(into.Branch, "refs/heads/"), Target: into.Path}}
}

// notCheckedOut is the finding about a file that is not there and must not be
// made: git tracks it, or HEAD has it and its deletion is staged, and a commit
// of a new one would lose what HEAD has. ok is false where git does not know the
// file.
func (p *proposer) notCheckedOut(ctx context.Context, root, rel string) (f report.Finding, ok bool, err error) {
	tracked, err := p.Repo.Tracked(ctx, root, rel)
	if err != nil {
		return f, false, err
	}
	if !tracked {
		if committed, err := p.Repo.InHead(ctx, root, rel); err != nil || !committed {
			return f, false, err
		}
	}
	// Without the option git passes over what update-index --skip-worktree
	// marks, and over a file of the root that patterns leave out.
	why, line := "it was deleted in the working tree", "checkout --ignore-skip-worktree-bits -- "+rel
	is := " is tracked by git but not checked out"
	if !tracked {
		is = " is in the last commit but not checked out"
		why, line = "it was deleted with git rm, which is not committed", "checkout --ignore-skip-worktree-bits HEAD -- "+rel
	} else if sparse, err := p.Repo.Sparse(ctx, root); err == nil && sparse {
		why = "it is outside the sparse checkout"
		if strings.Contains(rel, "/") {
			line = "sparse-checkout add " + path.Dir(rel)
		}
	}
	line = "git -C " + scripts.Quote(root) + " " + line
	return report.Finding{Check: "project-settings", Layer: report.LayerSandbox, Status: report.Fail, Decide: true,
		Summary: rel + is + ": it is left as it is",
		Evidence: []report.Evidence{report.FileEvidence(filepath.Join(root, rel), why+
			". A new file would, once it is committed, lose what HEAD has. Run: "+line)},
		Remedies: []report.Remedy{report.Command{ID: report.ID("checkout/" + rel), Why: "check it out; then make a new plan",
			Line: line}}}, true, nil
}
