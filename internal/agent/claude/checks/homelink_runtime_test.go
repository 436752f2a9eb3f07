// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a HOME that is a link, or leads through one, is one home:
// what is denied in it is denied where it really is.

package checks_test

import (
	"context"
	"strings"
	"testing"

	ours "github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/install"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// linkedHome lets HOME lead through a link; what is under it is spelled with
// the link too.
func linkedHome(m *Machine) {
	m.symlink(m.dir, m.dir+"/x")
	m.Env["HOME"] = m.dir + "/x/home"
}

// TestAHomeByWayOfALinkIsDenied: the canaries lie where the home really is,
// the runtime is told the link (measured with 2.1.329: it hides the real
// paths).
func TestAHomeByWayOfALinkIsDenied(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	claude := testenv.Claude(t)
	s := usualSetup
	s.before = linkedHome
	m := build(t, s)
	m.live(claude)
	f := m.proved([]report.ID{"denials"}, verify.PlainRoot, verify.IsoRoot, verify.Twin)[0]
	if want := unlessRoot(report.Pass); f.Status != want || f.Voids || strings.Contains(f.Summary, "not tested") {
		t.Errorf("denials is %s, want %s:\n%s", f.Status, want, told(m, []report.Finding{f}, nil))
	}
}

// TestASecondInstallOfALinkedHomeHasNothingToDo: what the first one wrote is
// known again.
func TestASecondInstallOfALinkedHomeHasNothingToDo(t *testing.T) {
	testenv.AsUser(t)
	s := usualSetup
	s.before = linkedHome
	m := build(t, s)
	proposal, err := install.NewDialogue(m.host(), &ours.Claude{}).Propose(
		context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range proposal.Plan.Items() {
		if c, is := i.(report.Change); is {
			t.Errorf("a second install would write %s: %s", c.Path, c.Why)
		}
	}
}
