// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the verdict is that of the weaker way to start the agent,
// and a run that was stopped has none.

package checks_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// answering is a check with this answer.
func answering(id report.ID, f report.Finding) engine.Check {
	f.Evidence = []report.Evidence{report.EnvEvidence("n", "t")}
	return engine.Check{ID: id, Layer: report.LayerSandbox, Run: func(context.Context, host.Reader) report.Finding {
		return f
	}}
}

func apart(plain, iso report.Status, voids bool) report.Finding {
	return report.Finding{Status: report.Warn, Launches: []report.LaunchStatus{
		{Launch: report.Plain, Status: plain, Voids: voids && plain == report.Fail},
		{Launch: report.Iso, Status: iso, Voids: voids && iso == report.Fail}}}
}

func TestTheVerdictIsThatOfTheWeakerLaunch(t *testing.T) {
	h := newMachine(t, usualSetup).host()
	for name, c := range map[string]struct {
		f          report.Finding
		strict     bool
		want       report.Verdict
		plain, iso report.Verdict
	}{
		"all is well":         {report.Finding{Status: report.Pass}, false, report.Protected, "", ""},
		"a warning":           {report.Finding{Status: report.Warn}, false, report.Protected, "", ""},
		"a warning, strictly": {report.Finding{Status: report.Warn}, true, report.Degraded, "", ""},
		"nothing known":       {report.Finding{Status: report.Unknown}, false, report.Degraded, "", ""},
		"nothing protects":    {report.Finding{Status: report.Fail, Voids: true}, false, report.Unprotected, "", ""},
		"plain claude is weaker": {apart(report.Fail, report.Pass, false), false, report.Degraded, report.Degraded,
			report.Protected},
		"claude-iso is weaker": {apart(report.Pass, report.Unknown, false), false, report.Degraded, report.Protected,
			report.Degraded},
		"plain claude is void": {apart(report.Fail, report.Pass, true), false, report.Unprotected, report.Unprotected,
			report.Protected},
		"each warned of strictly": {apart(report.Warn, report.Pass, true), true, report.Degraded, report.Degraded,
			report.Protected},
	} {
		var last engine.Event
		rep, err := verify.Run(context.Background(), h, []engine.Check{answering("denials", c.f),
			answering("scope", report.Finding{Status: report.Pass})},
			verify.RunOptions{Strict: c.strict}, func(e engine.Event) { last = e })
		if err != nil || rep.Verdict != c.want || rep.Launches[report.Plain] != c.plain || rep.Launches[report.Iso] != c.iso {
			t.Errorf("%s: %s, plain %q, iso %q, %v", name, rep.Verdict, rep.Launches[report.Plain], rep.Launches[report.Iso],
				err)
		}
		if j, ok := last.(engine.Judged); !ok || j.Verdict != rep.Verdict {
			t.Errorf("%s: the last event is %#v", name, last)
		}
		if !slices.IsSortedFunc(rep.Findings, func(a, b report.Finding) int {
			return report.Place(a.Check) - report.Place(b.Check)
		}) {
			t.Errorf("%s: the findings are not in order", name)
		}
	}
}

func TestARunThatWasStoppedHasNoVerdict(t *testing.T) {
	h := newMachine(t, usualSetup).host()
	ctx, cancel := context.WithCancel(context.Background())
	stop := engine.Check{ID: "scope", Layer: report.LayerSandbox, Run: func(context.Context, host.Reader) report.Finding {
		cancel()
		return finding("scope", report.LayerSandbox, report.Pass, "s")
	}}
	rep, err := verify.Run(ctx, h, []engine.Check{stop}, verify.RunOptions{}, func(e engine.Event) {
		if _, ok := e.(engine.Judged); ok {
			t.Error("it was judged")
		}
	})
	if !errors.Is(err, context.Canceled) || rep.Verdict != "" || rep.Findings != nil {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestACheckThatIsBegunEarlyAnswersInItsTurn(t *testing.T) {
	h := newMachine(t, usualSetup).host()
	begun := make(chan struct{})
	var turns []report.ID
	first := engine.Check{ID: "scope", Layer: report.LayerSandbox, Run: func(context.Context, host.Reader) report.Finding {
		<-begun // by the other one, before its turn
		return finding("scope", report.LayerSandbox, report.Pass, "s")
	}}
	slow := engine.Check{ID: "sandbox-support", Layer: report.LayerSandbox,
		Run: func(context.Context, host.Reader) report.Finding {
			close(begun)
			panic("a defect")
		}}
	rep, err := verify.Run(context.Background(), h, []engine.Check{first, slow}, verify.RunOptions{},
		func(e engine.Event) {
			if d, ok := e.(engine.CheckDone); ok {
				turns = append(turns, d.Finding.Check)
			}
		})
	if err != nil || !slices.Equal(turns, []report.ID{"scope", "sandbox-support"}) {
		t.Errorf("%q, %v", turns, err)
	}
	if f := rep.Findings[0]; f.Status != report.Unknown || !strings.Contains(f.Summary, "report this") {
		t.Errorf("a defect is %+v", f)
	}
}

func TestFactsNameMachineAndProject(t *testing.T) {
	m := build(t, usualSetup)
	got := verify.Facts(context.Background(), verify.Prepare(context.Background(), m.host(), checks.Claude{}),
		verify.Options{Agent: checks.Claude{}, Project: m.Worktree})
	want := report.Facts{Project: m.Worktree, Branch: "fix", Home: m.Home, OS: "linux", Distro: "debian 12",
		Program: "claude", Runtime: pinned.Claude()}
	if got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestElapsedBeginsBeforeTheChecks(t *testing.T) {
	h := newMachine(t, usualSetup).host()
	rep, err := verify.Run(context.Background(), h, nil, verify.RunOptions{Start: time.Now().Add(-time.Hour)},
		func(engine.Event) {})
	if err != nil || rep.Elapsed < time.Hour || rep.Verdict != report.Degraded {
		t.Errorf("%+v, %v", rep, err)
	}
}
