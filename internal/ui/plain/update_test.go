// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the drift report has the words of its own verdict, and
// under each copy that drifted the diff that mends it.

package plain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
)

var drifted = []report.Finding{
	{Check: "drift-scripts", Layer: report.LayerVisibility, Status: report.Warn,
		Summary: "1 of 6 copies drifted: sandbox-error-hint.sh was edited",
		Evidence: []report.Evidence{report.FileEvidence("/home/ada/.claude/scripts/sandbox-error-hint.sh",
			"not as steward-setup wrote it on 2026-11-02")},
		Remedies: []report.Remedy{report.Change{ID: "hooks/sandbox-error-hint.sh",
			Why:    "names the sandbox rule behind an error where it happens",
			Path:   "/home/ada/.claude/scripts/sandbox-error-hint.sh",
			Target: "/home/ada/.claude/scripts/sandbox-error-hint.sh", Before: []byte("#!/bin/sh\nexit 1\n"),
			After: []byte("#!/bin/sh\nexit 0\n"), Mode: 0o755, ModeBefore: 0o755}}},
	{Check: "drift-denials", Layer: report.LayerSandbox, Status: report.Fail, Voids: true,
		Summary: "1 forbidden action now succeeds: a command reads ~/.aws/credentials (blocked with claude 2.1.324, not " +
			"with 2.1.329)",
		Evidence: []report.Evidence{report.CommandEvidence("claude in the project · file:~/.aws/credentials",
			"newly allowed: a command reads ~/.aws/credentials")},
		Remedies: []report.Remedy{report.Command{ID: "hold-runtime",
			Line: "npm install -g --no-save @anthropic-ai/claude-code@2.1.324", Why: "go back to the version that blocked it"}}},
	{Check: "drift-tools", Layer: report.LayerTools, Status: report.Unknown,
		Summary: "bubblewrap upstream not known: the server's rate limit is reached",
		Evidence: []report.Evidence{report.CommandEvidence(
			"https://api.github.com/repos/containers/bubblewrap/releases?per_page=30", "the server's rate limit is reached")}},
	{Check: "drift-framework", Layer: report.LayerTools, Status: report.Pass, Summary: "installed by this version, 1.2.3",
		Evidence: []report.Evidence{report.FileEvidence("/home/ada/.local/state/steward-setup/receipts", "install")}},
	{Check: "drift-settings", Layer: report.LayerPermissions, Status: report.Pass,
		Summary: "the settings have everything of the template", Evidence: []report.Evidence{report.FileEvidence("/p", "x")}},
}

func driftOptions(width int) plain.ReportOptions {
	return plain.ReportOptions{Width: width, Diffs: true}
}

var regression = engine.Judged{Verdict: report.Unprotected, Said: "regression", Elapsed: 31 * time.Second}

func TestTheDriftReportHasItsOwnWords(t *testing.T) {
	got := reported(nil, driftOptions(80), regression, drifted...)
	if !strings.HasPrefix(got, "REGRESSION ") || strings.Contains(got, "rehearsed") ||
		strings.Contains(got, "UNPROTECTED") {
		t.Errorf("%s", got)
	}
	if denials, scripts := strings.Index(got, "drift-denials"), strings.Index(got, "drift-scripts"); denials < 0 ||
		denials > scripts {
		t.Errorf("what succeeds now does not come first:\n%s", got)
	}
	if !strings.Contains(got, "-exit 1") || !strings.Contains(got, "+exit 0") {
		t.Errorf("no diff:\n%s", got)
	}
}
