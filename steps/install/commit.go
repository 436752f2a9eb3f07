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
func (p *proposer) committing(ctx context.Context, s *report.Section, to string) error {
	if to != "project" {
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
		s.Items = append(s.Items, report.Command{ID: "policy/commit", Optional: true,
			Why:  "so that it holds for everyone, and in every worktree whose branch has the commit",
			Line: fmt.Sprintf("git -C %s add %s && git -C %s commit -m 'Add the policy for the coding agent' -- %s", scripts.Quote(p.repo.Root), projectSettings, scripts.Quote(p.repo.Root), projectSettings)})
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
