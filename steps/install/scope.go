// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: install covers one project; the command that covers more
// is named.

package install

import (
	"context"

	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/report"
)

// scope explains what the plan covers and what it does not.
func (p *proposer) scope(ctx context.Context) (report.Section, error) {
	summary := "per-project"
	if h, err := gitrepo.UserHooksPath(ctx, p.r); err == nil && githooks.Shared(p.r, h.Path) {
		summary = "whole-user"
	}
	evidence := "the policy and the roots are in this repository; wrapper, hooks and status line apply to all your " +
		"sessions"
	if p.repo == nil {
		evidence = "wrapper, hooks and status line apply to all your sessions; there is no project here"
	}
	return report.Section{ID: "scope", Title: "Scope: this project",
		Why: "The setup is per project: every other repository needs its own policy, so run install there too. To register " +
			"the worktrees of all your repositories, now and later, run steward-setup scope whole-user: it sets git's global " +
			"core.hooksPath, and first shows what that means for each repository's own hooks.",
		Findings: []report.Finding{{Check: "scope", Layer: report.LayerSandbox, Status: report.Pass, Summary: summary,
			Evidence: []report.Evidence{report.FileEvidence(p.place, evidence)}}}}, nil
}
