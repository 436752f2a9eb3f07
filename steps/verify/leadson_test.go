// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whoever is told of a fault is told what to do now, in a
// line that can be pasted, or in an instruction with its place.

package verify_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// leadsOn holds the next steps of findings against the law. What is unknown may
// wait for what another finding leads to.
func leadsOn(t *testing.T, findings []report.Finding, lines *testenv.Lines) {
	t.Helper()
	anywhere := len(report.Steps(findings, nil)) > 0
	for _, f := range findings {
		steps := report.Steps([]report.Finding{f}, nil)
		switch {
		case f.Status != report.Fail && f.Status != report.Warn && (f.Status != report.Unknown || anywhere):
		case len(steps) == 0:
			t.Errorf("%s %s: %q has no next step", f.Status, f.Check, f.Summary)
		}
		for _, s := range steps {
			if s.Command == nil {
				if err := lines.DoubtIn(s.Text); err != nil {
					t.Errorf("%s leads to %q: %v", f.Check, s.Text, err)
				}
				continue
			}
			if err := lines.Doubt(s.Command.Line); err != nil {
				t.Errorf("%s leads to %q: %v", f.Check, s.Command.Line, err)
			}
			if s.Command.Why == "" {
				t.Errorf("%s leads to %q and does not say why", f.Check, s.Command.Line)
			}
		}
	}
}
