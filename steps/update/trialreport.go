// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: text, screen and document are told the same of a trial, in
// the same order, while it runs and at its end.

package update

import (
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
)

// TrialChecks are what a trial compares, in the order of its findings.
func TrialChecks() []engine.Check {
	return []engine.Check{
		{ID: "denials", Title: "Forbidden actions with both versions", Layer: report.LayerSandbox},
		{ID: "prompts", Title: "Prompts with both versions", Layer: report.LayerConfirmation},
		{ID: "other-calls", Title: "Every other call with both versions", Layer: report.LayerPermissions},
		{ID: "hooks", Title: "Hooks that fire", Layer: report.LayerVisibility},
		{ID: "status-line", Title: "What a status line is told", Layer: report.LayerVisibility},
		{ID: "policy-keys", Title: "Keys of your settings that each version knows", Layer: report.LayerSandbox},
		{ID: "advisories", Title: "Known weaknesses of each version", Layer: report.LayerSandbox},
		{ID: "time", Title: "How long a session takes", Layer: report.LayerTools},
	}
}

// Emit tells what came of the trial, the verdict last; more are remedies of the
// first finding.
func (t *Trial) Emit(emit engine.Sink, elapsed time.Duration, more ...report.Remedy) {
	for i, f := range t.Findings() {
		if i == 0 {
			f.Remedies = append(f.Remedies, more...)
		}
		emit(engine.CheckDone{Finding: f})
	}
	j := engine.Judged{Verdict: report.Protected, Said: "nothing lost", Elapsed: elapsed}
	switch {
	case regress.Lost(t.Differences):
		j.Verdict, j.Said = report.Unprotected, "denial lost"
	case !t.Proved():
		j.Verdict, j.Said = report.Degraded, "not proved"
	case t.Exit() != report.ExitOK:
		j.Verdict, j.Said = report.Degraded, "differences"
	}
	emit(j)
}

// half tells emit how far one of two rehearsals is, the first or the second, as
// a part of both.
func half(emit engine.Sink, of string, second bool) engine.Sink {
	return func(e engine.Event) {
		if p, ok := e.(engine.Progress); ok {
			if p.Text = of + ": " + p.Text; second {
				p.Done += p.Of
			}
			p.Of *= 2
			e = p
		}
		emit(e)
	}
}
