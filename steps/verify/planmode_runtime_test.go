// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a permission mode that only restricts costs no proof.

package verify_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// TestPlanModeIsProved: where sessions start in plan mode, a write to a file of
// the project is no sign of anything wrong, and a denied write is still tried.
func TestPlanModeIsProved(t *testing.T) {
	m := build(t, usualSetup)
	m.live(testenv.Claude(t))
	m.set(userFile, "permissions.defaultMode", "plan")
	findings := m.rehearse(verify.PlainRoot, verify.IsoRoot, verify.PlainTerminal, verify.Twin)
	f := find(findings, "denials")
	if want := unlessRoot(report.Pass); f.Status != want {
		t.Errorf("denials is %s, want %s: %s\n%v", f.Status, want, f.Summary, f.Evidence)
	}
	if f := find(findings, "project-root"); f.Status != report.Pass {
		t.Errorf("project-root is %s: %s", f.Status, f.Summary)
	}
}
