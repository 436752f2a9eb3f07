// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package update_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
	"github.com/steward-setup/steward-setup/steps/update"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// 2.1.141 knows no sandbox.credentials: a command sees every variable.
func TestARuntimeThatLetsGoIsARegression(t *testing.T) {
	testenv.AsUser(t)
	sessions.Reads(t)
	testenv.Need(t, "bwrap", "socat")
	newer, older := testenv.Claude(t), testenv.ClaudeOld(t)
	m := newMachine(t)
	for _, name := range []string{"bin/bwrap", "bin/socat"} {
		m.remove(name)
	}
	testenv.Build(t, m.at("safe/steward-setup")) // it sets the stage up
	m.opts.Offline = true
	m.opts.Play = func(ctx context.Context, r host.Reader) (regress.Record, error) {
		m.plays++
		o := verify.Options{Agent: checks.Claude{}, Project: m.project}
		return verify.Play(ctx, sessions.Counted(t, r), o, func(s string) bool {
			return s == verify.PlainRoot || s == verify.Twin
		}, nil)
	}
	use := func(claude string) report.Finding {
		m.remove("bin/claude")
		m.now = m.now.Add(time.Minute) // what is kept is in the order of its time
		testenv.Link(t, claude, filepath.Join(m.home, "bin", "claude"))
		return find(m.report(), update.Denials)
	}
	m.remove(".cache")
	if f := use(newer); f.Status != report.Unknown || !strings.Contains(f.Summary, "first rehearsal kept") {
		t.Fatal(told([]report.Finding{f}))
	}
	f := use(older)
	if f.Status != report.Fail || !f.Voids || !strings.Contains(f.Summary, "blocked with claude "+pinned.Claude()+
		", not with 2.1.141") {
		t.Fatal(told([]report.Finding{f}))
	}
	if c, ok := f.Remedies[0].(report.Command); !ok || !strings.HasSuffix(c.Line, "@"+pinned.Claude()) {
		t.Errorf("the way back is %+v", f.Remedies)
	}
	plays := m.plays
	if again := use(older); again.Status != report.Fail || m.plays != plays {
		t.Errorf("the next report (%d plays, %d before) forgot it, or rehearsed again:\n%s", m.plays, plays,
			told([]report.Finding{again}))
	}
}
