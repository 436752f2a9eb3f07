// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was found is the same when it is read back, and what
// nobody wrote is never taken for a finding.

package report_test

import (
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

var kept = []report.Finding{
	{Check: "denials", Layer: report.LayerSandbox, Status: report.Fail, Voids: true, Decide: true,
		Summary: "a canary arrived \x1b[2J",
		Evidence: []report.Evidence{report.CommandEvidence("cat ~/.aws/credentials", "the canary"),
			report.FileEvidence("/p:1:2", "t")},
		Launches: []report.LaunchStatus{{Launch: report.Plain, Status: report.Fail, Summary: "open", Voids: true},
			{Launch: report.Iso, Status: report.Pass, Summary: "held"}},
		Duration: 1500 * time.Millisecond,
		Remedies: []report.Remedy{
			report.Change{ID: "c", Why: "w", Path: "/p", Target: "/t", Within: "/r", Before: nil, After: []byte{},
				Mode: 0o644 | fs.ModeSymlink, SetMode: true, ModeBefore: 0o600},
			report.Command{ID: "r", Why: "v", Line: "sudo true", Privileged: true, Where: "~/.zshrc", Optional: true},
			report.DocLink{Title: "page", Target: "docs/x.md"},
		}},
	{Check: "hooks-fire", Layer: report.LayerVisibility, Status: report.Pass, Summary: "s",
		Evidence: []report.Evidence{report.EnvEvidence("n", "t")}},
}

func TestFindingsComeBackAsTheyWere(t *testing.T) {
	b := testenv.Must(report.EncodeFindings(kept))(t)
	got := testenv.Must(report.DecodeFindings(b))(t)
	if diff := cmp.Diff(kept, got); diff != "" {
		t.Error(diff)
	}
	if c, ok := got[0].Remedies[0].(report.Change); !ok || c.Before != nil || c.After == nil {
		t.Error("no file and an empty file are the same now")
	}
}

func TestAReportIsReadInTheOrderOfTheContract(t *testing.T) {
	var ids []report.ID
	for _, f := range report.InOrder([]report.Finding{{Check: "own"}, {Check: "denials"}, {Check: "tools-pinned"},
		{Check: "clean-env"}, {Check: "other"}}) {
		ids = append(ids, f.Check)
	}
	if want := []report.ID{"tools-pinned", "clean-env", "denials", "own", "other"}; !slices.Equal(ids, want) {
		t.Errorf("got %q, want %q", ids, want)
	}
}
