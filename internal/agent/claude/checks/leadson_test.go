// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whoever is told of a fault is told what to do now, in a
// line that can be pasted, or in an instruction with its place.

package checks_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// leadsOn holds the next steps of findings of a machine against the law. What is
// unknown may wait for what another finding leads to. A line is the same on each
// machine: the program is asked about it once.
func leadsOn(t *testing.T, dir string, findings []report.Finding, lines *testenv.Lines) {
	t.Helper()
	anywhereElse := func(line string) string { return strings.ReplaceAll(line, dir+"/", "/machine/") }
	anywhere := len(report.Steps(findings, nil)) > 0
	for _, f := range findings {
		steps := report.Steps([]report.Finding{f}, nil)
		switch {
		case f.Status != report.Fail && f.Status != report.Warn && (f.Status != report.Unknown || anywhere):
		case len(steps) == 0:
			t.Errorf("%s %s: %q has no next step", f.Status, f.Check, f.Summary)
		}
		for _, s := range steps {
			var c report.Command
			if s.Command != nil {
				c = *s.Command
			}
			if err := lines.Step(anywhereElse(s.Text), anywhereElse(c.Line), c.Why); err != nil {
				t.Errorf("%s leads to %q: %v", f.Check, s, err)
			}
		}
	}
}

// pasted are the remedies that change nothing but the machine's own home, where
// a test can paste them.
var pasted = []report.ID{"scope/unset", "scope/remove", "sync/untrack"}

// mended pastes a finding's line, if it is such a one, and looks again: it does
// not lead to the state that it came from.
func (m *Machine) mended(f report.Finding) {
	m.t.Helper()
	for _, r := range f.Remedies {
		c, ok := r.(report.Command)
		if !ok || !slices.Contains(pasted, c.ID) {
			continue
		}
		cmd := exec.Command("sh", "-c", c.Line)
		cmd.Env = testenv.Env(m.t, m.Home)
		out, _ := cmd.CombinedOutput() // of a file that is only staged nothing is left to commit
		if again := m.judged(f.Check); again.Summary == f.Summary {
			m.t.Errorf("after %q %s still says %q\n%s", c.Line, f.Check, again.Summary, out)
		}
		return
	}
}
