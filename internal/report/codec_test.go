// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was found is the same when it is read back, and what
// nobody wrote is never taken for a finding.

package report_test

import (
	"io/fs"
	"slices"
	"strings"
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

func TestWhatNobodyWroteIsNoFinding(t *testing.T) {
	b := testenv.Must(report.EncodeFindings(kept))(t)
	whole := string(b)
	for name, damaged := range map[string]string{
		"cut off":               whole[:len(whole)-3],
		"another after it":      whole + "[]",
		"an unknown status":     strings.Replace(whole, `"status":"pass"`, `"status":"perfect"`, 1),
		"an unknown layer":      strings.Replace(whole, `"layer":"sandbox"`, `"layer":"roof"`, 1),
		"an unknown launch":     strings.Replace(whole, `"launch":"iso"`, `"launch":"other"`, 1),
		"an unknown key":        strings.Replace(whole, `"check":`, `"chek":1,"check":`, 1),
		"a remedy of no kind":   strings.Replace(whole, `{"link":{"Title":"page","Target":"docs/x.md"}}`, `{}`, 1),
		"a remedy of two kinds": strings.Replace(whole, `{"link":`, `{"command":{},"link":`, 1),
		"no evidence":           strings.Replace(whole, `[{"kind":"environment","where":"n","text":"t"}]`, `[]`, 1),
		"no name":               strings.Replace(whole, `"check":"hooks-fire"`, `"check":""`, 1),
		"too many": "[" + strings.Repeat(strings.TrimSuffix(strings.TrimPrefix(whole, "["), "]")+",",
			150) + whole[1:],
		"an object":              "{}",
		"longer than any report": strings.Repeat(" ", 5<<20) + whole,
	} {
		if damaged == whole {
			t.Fatalf("%s: nothing was damaged", name)
		}
		if got, err := report.DecodeFindings([]byte(damaged)); err == nil || got != nil {
			t.Errorf("%s: read as %d findings, error %v", name, len(got), err)
		}
	}
}

func FuzzDecodeFindings(f *testing.F) {
	b := testenv.Must(report.EncodeFindings(kept))(f)
	f.Add(b)
	f.Add([]byte(`[{"check":"x","layer":"tools","status":"pass","evidence":[{}],"remedies":[null]}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := report.DecodeFindings(b)
		if err != nil {
			return
		}
		for _, finding := range got {
			if len(finding.Evidence) == 0 || slices.Contains(finding.Remedies, nil) {
				t.Fatalf("%+v", finding)
			}
		}
		again, err := report.EncodeFindings(got)
		if err != nil {
			return // escaped, it is longer than the bound
		}
		second := testenv.Must(report.DecodeFindings(again))(t)
		if diff := cmp.Diff(got, second); diff != "" {
			t.Fatal(diff)
		}
	})
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
