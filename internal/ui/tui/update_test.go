// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the drift report is the same screen as verify's, with a
// verdict in its own words.

package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

var driftChecks = []engine.Check{
	{ID: "drift-denials", Title: "Forbidden actions, compared with the last rehearsal", Layer: report.LayerSandbox},
	{ID: "drift-framework", Title: "The framework, or this program, against what is installed", Layer: report.LayerTools},
	{ID: "drift-tools", Title: "Pinned tools against what upstream has released", Layer: report.LayerTools},
	{ID: "drift-scripts", Title: "Copies of our scripts", Layer: report.LayerVisibility},
	{ID: "drift-settings", Title: "The project's settings against the template", Layer: report.LayerPermissions},
}

// drifting are the findings of a machine on which each kind of drift is.
func drifting() []report.Finding {
	said := map[report.ID]report.Finding{
		"drift-framework": {Status: report.Warn, Summary: "framework: 2 commits behind origin/main; policy changed",
			Evidence: []report.Evidence{report.FileEvidence("/home/jo/framework", "policy changed: .claude/settings.json")},
			Remedies: []report.Remedy{report.Command{ID: "framework-pull", Line: "git -C /home/jo/framework pull --ff-only",
				Why: "take over the framework's changes"}}},
		"drift-tools": {Status: report.Unknown, Summary: "socat 1.8.1.3 → 1.8.1.4; bubblewrap upstream not known: the " +
			"server's rate limit is reached",
			Evidence: []report.Evidence{report.CommandEvidence(
				"https://api.github.com/repos/containers/bubblewrap/releases?per_page=30",
				"newest 0.11.2 (from the cache, asked 2 days ago; now: the server's rate limit is reached)")}},
		"drift-scripts": {Status: report.Warn, Summary: "1 of 6 copies drifted: sandbox-error-hint.sh was edited",
			Evidence: []report.Evidence{report.FileEvidence("/home/jo/.claude/scripts/sandbox-error-hint.sh",
				"not as steward-setup wrote it on 2026-11-02")}},
		"drift-settings": {Status: report.Pass, Summary: "the settings have everything of the template; 2 of your own kept",
			Evidence: []report.Evidence{report.FileEvidence(project+"/.claude/settings.json:12",
				"your own, kept: permissions.ask:Bash(make release *)")}},
		"drift-denials": {Status: report.Fail, Voids: true, Summary: "1 forbidden action now succeeds: a command reads " +
			"~/.aws/credentials (blocked with claude 2.1.324, not with 2.1.329)",
			Evidence: []report.Evidence{report.CommandEvidence("claude · read-aws",
				"newly allowed: a command reads ~/.aws/credentials")},
			Remedies: []report.Remedy{report.Command{ID: "hold-runtime",
				Line: "npm install -g --no-save @anthropic-ai/claude-code@2.1.324",
				Why:  "go back to the version that blocked it"}}},
	}
	var fs []report.Finding
	for _, c := range driftChecks {
		f := said[c.ID]
		f.Check, f.Layer = c.ID, c.Layer
		fs = append(fs, f)
	}
	return fs
}

func updating() VerifyRun {
	return VerifyRun{Name: "update", Facts: facts, Checks: driftChecks,
		Run: func(_ context.Context, emit engine.Sink) error {
			for _, f := range drifting() {
				emit(engine.CheckDone{Finding: f})
			}
			emit(engine.Judged{Verdict: report.Unprotected, Said: "regression", Elapsed: 31 * time.Second})
			return nil
		}}
}

func updateScene(keys string) func(*testing.T, [2]int) *driver {
	return func(t *testing.T, s [2]int) *driver {
		t.Helper()
		return lookAt(t, newVerify(t.Context(), updating()), s[0], s[1]).press(keys)
	}
}

// drifted is a home screen with what the last drift report came to.
func synced(h HomeData) HomeData {
	h.Sync, h.SyncStatus = "3 symlinks not in place", report.Warn
	return h
}

func drifted(h HomeData) HomeData {
	h.Drift, h.DriftStatus = "claude changed since the drift report", report.Warn
	return h
}

func TestTheDriftReportHasItsOwnWords(t *testing.T) {
	m := newVerify(t.Context(), updating())
	d := lookAt(t, m, 80, 24)
	d.sees("REGRESSION")
	if frame := d.frame(); strings.Contains(frame, "UNPROTECTED") || strings.Contains(frame, "rehearsed") {
		t.Errorf("verify's words stand on it:\n%s", frame)
	}
	d.press("q")
	if out := m.verified(); out.Exit() != report.ExitUnprotected {
		t.Errorf("exit %d", out.Exit())
	}
}
