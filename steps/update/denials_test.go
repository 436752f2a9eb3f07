// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package update_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/update"
	"github.com/steward-setup/steward-setup/steps/verify"
)

func TestARuntimeReplacedDuringTheRehearsalIsNoticed(t *testing.T) {
	m := newMachine(t)
	m.remove(".cache")
	for _, name := range []string{"a", "b"} {
		m.put("bin/claude-"+name, m.get("bin/claude")+"# "+name+"\n", 0o755)
	}
	lead := func(name string) {
		m.remove("bin/claude")
		m.symlink(m.at("bin/claude-"+name), "bin/claude")
	}
	lead("a")
	play := m.opts.Play
	m.opts.Play = func(ctx context.Context, r host.Reader) (regress.Record, error) {
		if real, err := r.Resolve(m.at("bin/claude")); err != nil || real != m.at("bin/claude-a") {
			t.Errorf("played with %s, %v", real, err)
		}
		lead("b")
		return play(ctx, r)
	}
	for range 2 { // nothing of b is kept for a
		m.plays = 0
		m.report()
		if m.plays != 1 {
			t.Errorf("%d rehearsals, want 1", m.plays)
		}
		lead("a")
	}
}

// TestWhereVerifyOnlyWarnsNothingIsLost: below the root, plain claude was never
// protected by a setup in project scope.
func TestWhereVerifyOnlyWarnsNothingIsLost(t *testing.T) {
	for _, c := range []struct {
		session string
		before  regress.Result
		want    report.Status
	}{
		{verify.PlainSub, regress.Through, report.Pass},
		{verify.PlainSub, regress.Held, report.Fail},
		{verify.PlainRoot, regress.Through, report.Fail},
	} {
		m := newMachine(t)
		m.remove(".cache") // nothing is kept
		m.played.Answers[0].Session, m.played.Answers[0].Result = c.session, c.before
		m.report()
		m.put("bin/claude", m.get("bin/claude")+"# another\n", 0o755)
		m.played.Answers = slices.Clone(m.played.Answers)
		m.played.Answers[0].Result = regress.Through
		for _, f := range m.report() {
			if f.Check == update.Denials && f.Status != c.want {
				t.Errorf("%s, %s before: %s, %s", c.session, c.before, f.Status, f.Summary)
			}
			if said := fmt.Sprint(f.Evidence); f.Check == update.Denials && c.before == regress.Held &&
				!strings.Contains(said, "blocked before, not now") { // both are of one version
				t.Error(said)
			}
		}
	}
}
