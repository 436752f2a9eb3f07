// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a server counts as looked at when the user says so, and
// only as it is now. Nothing is allowed or forbidden by that.

package install

import (
	"context"
	"strings"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

var mcpReviewedQuestion = report.Question{
	ID: "mcp-reviewed", Section: "review", Kind: report.Confirm, Once: true,
	Title: "Have you reviewed your MCP servers?",
	Help: "They are in your own configuration and run outside the sandbox. Yes records a digest of each command, so " +
		"that verify can report new and changed servers.",
	Default: []string{"no"},
}

// review proposes to remember the user's MCP servers. The section has no ID
// where there is none, or all are known.
func (p *proposer) review(context.Context) (report.Section, error) {
	s := report.Section{ID: "review",
		Why: "They start with every session, outside the sandbox, with your permissions. That does not change, but verify " +
			"reports a new one."}
	start := p.place
	if p.repo != nil && p.repo.Root != "" {
		start = p.repo.Root
	}
	servers, err := verify.Servers(p.r, start)
	if err != nil || len(servers) == 0 {
		return report.Section{}, nil //nolint:nilerr // verify says that the file is not understood; nothing here writes it
	}
	f, err := p.draft.open(approval.Path(p.r.Places().State), "")
	if err != nil {
		return s, err
	}
	set, err := approval.Parse(f.path, f.bytes)
	if err != nil {
		return s, err
	}
	var fresh []report.Evidence
	var digests []report.Digest
	var names []string
	for _, server := range servers {
		digests, names = append(digests, server.Digest), append(names, server.Name)
		if !set.Reviewed(server.Digest) {
			fresh = append(fresh, report.FileEvidence(server.Where, server.String()))
		}
	}
	if fresh == nil {
		return report.Section{}, nil
	}
	p.ask(mcpReviewedQuestion)
	status := report.Warn
	if p.answers.Yes(mcpReviewedQuestion) {
		status = report.Pass
		if c, needed := p.draft.change("review/mcp-servers", "you have reviewed these MCP servers: "+
			strings.Join(names, ", "), f, set.WithReviewed(digests...).Bytes(), 0o600); needed {
			s.Items = append(s.Items, c)
		}
	}
	s.Findings = append(s.Findings, report.Finding{Check: "mcp-servers", Layer: report.LayerVisibility, Status: status,
		Summary: "MCP servers that are new or changed since your last review", Evidence: fresh})
	return s, nil
}
