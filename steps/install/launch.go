// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: claude-iso starts with a policy that the user has seen;
// install has just shown it, so its digest is an item of the same plan.

package install

import (
	"context"

	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/report"
)

// launch proposes the approval of the policy as the plan leaves it.
func (p *proposer) launch(context.Context) (report.Section, error) {
	if p.repo == nil || p.repo.Root == "" {
		return report.Section{}, nil
	}
	seen := overlay{p.r, p.draft}
	l, err := iso.Survey(seen, p.repo.Root)
	if err != nil {
		return report.Section{}, err
	}
	plan, err := l.Approval(seen, nil)
	if err != nil {
		return report.Section{}, err
	}
	s := plan.Sections[0]
	if l.Policy.Empty() {
		return report.Section{}, nil
	}
	if len(s.Items) == 0 {
		s.Findings = append(s.Findings, report.Finding{Check: "launch", Layer: report.LayerCleanEnv, Status: report.Pass,
			Summary: "this policy is approved", Evidence: []report.Evidence{report.FileEvidence(l.Place.Project,
				string(l.Policy.Digest()))}})
	}
	return s, nil
}
