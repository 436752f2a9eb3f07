// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whoever is told that a workflow fails is told what to do
// now, in a line that can be pasted or an instruction.

package doctor_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// leadsOn holds findings against the law of next steps: whatever does not work
// has one.
func leadsOn(t *testing.T, findings []report.Finding, lines *testenv.Lines) {
	t.Helper()
	for _, f := range findings {
		steps := report.Steps([]report.Finding{f}, nil)
		if len(steps) == 0 && f.Status != report.Pass && f.Status != report.Skip {
			t.Errorf("%s %s: %q has no next step", f.Status, f.Check, f.Summary)
		}
		for _, s := range steps {
			var c report.Command
			if s.Command != nil {
				c = *s.Command
			}
			if err := lines.Step(s.Text, c.Line, c.Why); err != nil {
				t.Errorf("%s leads to %q: %v", f.Check, s, err)
			}
		}
	}
}
