// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: with a policy in the user's own settings every start of a
// plain claude was tried, and none is open.

package checks_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/verify"
)

func TestTheFloorIsProvedInEveryStart(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := build(t, floored)
	m.live(testenv.Claude(t))
	m.approve()
	findings := m.rehearse(verify.PlainRoot, verify.PlainSub, verify.PlainTree, verify.PlainOther, verify.IsoRoot,
		verify.IsoSub, verify.IsoTree, verify.Twin)
	for _, id := range []report.ID{"denials", "effective-sandbox", "policy-invariants", "project-settings", "scope"} {
		if f := find(findings, id); f.Status != report.Pass {
			t.Errorf("%s is %s: %s\n%v", id, f.Status, f.Summary, f.Evidence)
		}
	}
	covers := report.CoversOf(findings)
	for _, start := range report.StartDirs {
		c, ok := report.CoverOf(covers, report.Plain, start)
		if !ok || c.Status != report.Pass || !c.Rehearsed || c.Denied < 40 || c.Through > 0 {
			t.Errorf("%s: %+v", start, c)
		}
	}
	if report.OpenSomewhere(covers, "") {
		t.Errorf("a start is open: %+v", covers)
	}
}
