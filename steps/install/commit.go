// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a policy that is not committed protects one checkout only,
// and that is said; the commit is the user's to make.

package install

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"strings"

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
	if ig, err := p.repo.Ignored(ctx, p.repo.Root, projectSettings); err == nil && ig.Ignored {
		s.Findings = append(s.Findings, report.Finding{Check: "project-settings", Layer: report.LayerSandbox, Status: report.Warn,
			Summary:  "git ignores this file: it will protect this checkout only",
			Evidence: []report.Evidence{report.FileEvidence(ig.Where(), ig.Pattern)}})
		return nil
	}
	tracked, err := p.repo.Tracked(ctx, p.repo.Root, projectSettings)
	if err != nil {
		return err
	}
	if !tracked || len(s.Items) > 0 {
		files, err := p.toCommit(ctx)
		if err != nil {
			return err
		}
		s.Items = append(s.Items, report.Command{ID: "policy/commit", Optional: true,
			Why:  "so that it holds for everyone, and in every worktree whose branch has the commit",
			Line: fmt.Sprintf("git -C %s add %s && git -C %s commit -m 'Add the policy for the coding agent' -- %s", scripts.Quote(p.repo.Root), files, scripts.Quote(p.repo.Root), files)})
	}
	for _, wt := range p.worktrees {
		if wt.Path == p.repo.Root || wt.State != gitrepo.Usable {
			continue
		}
		_, err := p.r.ReadIn(wt.Path, filepath.FromSlash(projectSettings))
		if errors.Is(err, iofs.ErrNotExist) {
			branch := strings.TrimPrefix(wt.Branch, "refs/heads/")
			s.Findings = append(s.Findings, report.Finding{Check: "project-settings", Layer: report.LayerSandbox, Status: report.Warn,
				Summary:  "a linked worktree has no policy: a session there has neither sandbox nor rules",
				Evidence: []report.Evidence{report.FileEvidence(wt.Path, "its branch "+branch+" does not have "+projectSettings)},
				Remedies: []report.Remedy{report.DocLink{Title: "commit the policy, then merge it into " + branch, Target: wt.Path}}})
		}
	}
	return nil
}

// toCommit names the files of the commit: the policy, and a .gitignore that is
// written with it, or was and is in no commit yet. Left out, it would stand in
// the way of the first branch that commits one of its own.
func (p *proposer) toCommit(ctx context.Context) (files string, err error) {
	const ignore = ".gitignore"
	rule, err := p.draft.open(filepath.Join(p.repo.Root, ignore), p.repo.Root)
	if err != nil || rule.bytes == nil {
		return projectSettings, nil //nolint:nilerr // who proposes to write it says why not
	}
	_, writes := p.draft.pending[rule.target]
	tracked, err := p.repo.Tracked(ctx, p.repo.Root, ignore)
	if err != nil || tracked && !writes {
		return projectSettings, err
	}
	return projectSettings + " " + ignore, nil
}
