// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is remembered is what was shown, and only after a
// yes.

package setup

import (
	"context"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/report"
)

func TestServersAreReviewedByAnItem(t *testing.T) {
	d := newDwelling(t, "/bin/bash")
	review := func(a report.Answers) report.Section {
		t.Helper()
		p := d.inProject()
		p.answers = a
		s, err := p.review(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := review(nil); s.ID != "" {
		t.Errorf("without a server: %+v", s)
	}
	d.put(".claude.json", `{"mcpServers":{"notes":{"command":"npx","args":["notes"],"env":{"TOKEN":"SECRET"}}}}`, 0o600)
	s := review(nil)
	if len(s.Items) != 0 || len(s.Findings) != 1 || s.Findings[0].Status != report.Warn ||
		!strings.Contains(s.Findings[0].Evidence[0].Text, "notes: npx notes") {
		t.Errorf("without an answer: %+v", s)
	}
	s = review(report.Answers{"mcp-reviewed": {"yes"}})
	if len(s.Items) != 1 {
		t.Fatalf("%+v", s)
	}
	c := s.Items[0].(report.Change)
	if !strings.Contains(c.Why, "notes") || strings.Contains(string(c.After)+c.Why, "SECRET") ||
		!strings.HasSuffix(c.Path, "approvals.json") || c.Mode != 0o600 {
		t.Errorf("%+v", c)
	}
	set, err := approval.Parse(c.Path, c.After)
	if err != nil || len(set.Servers) != 1 {
		t.Fatalf("%+v %v", set, err)
	}
	d.put(strings.TrimPrefix(c.Path, d.home+"/"), string(c.After), 0o600)
	if s := review(nil); s.ID != "" {
		t.Errorf("after the review: %+v", s)
	}
	d.put(".claude.json", `{"mcpServers":{"notes":{"command":"npx","args":["nodes"]}}}`, 0o600)
	if s := review(nil); s.ID != "review" || len(s.Findings) != 1 {
		t.Errorf("after a change: %+v", s)
	}
}
