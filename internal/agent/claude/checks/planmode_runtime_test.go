// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what only restricts costs no proof, and takes nothing away
// that the user has allowed.

package checks_test

import (
	"context"
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// TestPlanModeAndStrictHostsAreProved: where sessions start in plan mode, a
// denied write is still tried; with strictAllowlist a host that was chosen is
// reached in both launches, and no other.
func TestPlanModeAndStrictHostsAreProved(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := build(t, on(func(s *setup) { s.answers = report.Answers{"strict-allowlist": {"yes"}, "domains": {"github"}} }))
	m.live(testenv.Claude(t))
	m.set(userFile, "permissions.defaultMode", "plan")
	l := verify.NewRehearsal()
	l.Only = func(name string) bool {
		return slices.Contains([]string{verify.PlainRoot, verify.IsoRoot, verify.PlainTerminal, verify.Twin}, name)
	}
	o := verify.Options{Agent: checks.Claude{}, Project: m.Project}
	h := m.host()
	l.Begin(context.Background(), sessions.Counted(t, h), o)
	findings := engine.RunChecks(context.Background(), h, verify.WithRehearsal(o, l, nil), func(engine.Event) {})
	f := find(findings, "denials")
	if want := unlessRoot(report.Pass); f.Status != want {
		t.Errorf("denials is %s, want %s: %s\n%v", f.Status, want, f.Summary, f.Evidence)
	}
	for _, id := range []report.ID{"project-root", "effective-sandbox"} {
		if f := find(findings, id); f.Status != report.Pass {
			t.Errorf("%s is %s: %s\n%v", id, f.Status, f.Summary, f.Evidence)
		}
	}
	for _, name := range []string{verify.PlainRoot, verify.IsoRoot} {
		reached := func(o trial.Outcome) bool { return o.ID == trial.ControlHost && o.Status == report.Pass }
		if !slices.ContainsFunc(l.Outcomes(name), reached) {
			t.Errorf("%s reaches no host that is allowed", name)
		}
	}
}
