// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the comparison with another runtime is the same screen as
// verify's; what it leads to stands on it also where nothing failed.

package tui

import (
	"context"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

var trialChecks = []engine.Check{
	{ID: "denials", Title: "Forbidden actions with both versions", Layer: report.LayerSandbox},
	{ID: "prompts", Title: "Prompts with both versions", Layer: report.LayerConfirmation},
	{ID: "hooks", Title: "Hooks that fire", Layer: report.LayerVisibility},
	{ID: "policy-keys", Title: "Keys of your settings that each version knows", Layer: report.LayerSandbox},
	{ID: "time", Title: "How long a session takes", Layer: report.LayerTools},
}

// trying is a trial that comes to an end: a denial is lost, or nothing.
func trying(lost bool) VerifyRun {
	seen := []report.Evidence{report.CommandEvidence("/home/jo/.local/bin/claude", "2.1.329, 812 calls, rehearsed now")}
	findings := []report.Finding{
		{Status: report.Pass, Summary: "all 141 denials of 2.1.329 are blocked by 2.1.331 too"},
		{Status: report.Pass, Summary: "the same prompts"},
		{Status: report.Pass, Summary: "3 of 3 hooks fire, as before"},
		{Status: report.Pass, Summary: "knows the same keys of your settings"},
		{Status: report.Pass, Summary: "a session takes 6.1 s, and 6.3 s with 2.1.329"},
	}
	judged := engine.Judged{Verdict: report.Protected, Said: "nothing lost", Elapsed: 71 * time.Second}
	steps := []report.NextStep{
		{Command: &report.Command{Line: "npm install -g --no-save @anthropic-ai/claude-code@2.1.331",
			Why: "install 2.1.331"}},
		{Command: &report.Command{Line: "steward-setup verify", Why: "then verify it"}},
	}
	if lost {
		findings[0] = report.Finding{Status: report.Fail, Summary: "1 denial lost with 2.1.331: a command reads " +
			"~/.aws/credentials",
			Evidence: []report.Evidence{report.CommandEvidence("claude in the project",
				"blocked by sandbox-filesystem → succeeds: reads ~/.aws/credentials (cat:~/.aws/credentials)")}}
		judged.Verdict, judged.Said = report.Unprotected, "denial lost"
		steps = []report.NextStep{{Text: "hold 2.1.329: 2.1.331 blocks less"},
			{Command: &report.Command{Why: "find the version that changed it",
				Line: "steward-setup update --bisect 'claude in the project · cat:~/.aws/credentials' " +
					"--from 2.1.329 --to 2.1.331"}}}
	}
	return VerifyRun{Name: "update --try 2.1.331", Facts: facts, Checks: trialChecks, Next: func() []report.NextStep {
		return steps
	},
		Run: func(_ context.Context, emit engine.Sink) error {
			for i, f := range findings {
				if f.Check, f.Layer = trialChecks[i].ID, trialChecks[i].Layer; f.Evidence == nil {
					f.Evidence = seen
				}
				emit(engine.CheckDone{Finding: f})
			}
			emit(judged)
			return nil
		}}
}

func trialScene(lost bool) func(*testing.T, [2]int) *driver {
	return func(t *testing.T, s [2]int) *driver {
		t.Helper()
		return lookAt(t, newVerify(t.Context(), trying(lost)), s[0], s[1])
	}
}

// rehearsing is the screen while the candidate is rehearsed.
func rehearsing(t *testing.T, s [2]int) *driver {
	t.Helper()
	m := newVerify(t.Context(), trying(false))
	m.work = nil // the test plays it
	d := lookAt(t, m, s[0], s[1])
	p := m.page.(*resultPage)
	for _, c := range trialChecks {
		p.event(engine.CheckStarted{ID: c.ID, Title: c.Title})
	}
	p.event(engine.Progress{Text: "candidate: claude-iso in the project · in the project 141 of 141 forbidden actions",
		Done: 12, Of: 18})
	d.send(nil)
	return d
}

func TestATrialLeadsOnWithoutAFailure(t *testing.T) {
	m := newVerify(t.Context(), trying(false))
	d := lookAt(t, m, 80, 24)
	d.sees("NOTHING LOST")
	d.sees("install 2.1.331")
	d.press("q")
	if out := m.verified(); out.Exit() != report.ExitOK {
		t.Errorf("exit %d", out.Exit())
	}
}
