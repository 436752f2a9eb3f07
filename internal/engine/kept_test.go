// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a result is found again as it was, under its own key, or
// not at all.

package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

var found = []report.Finding{{Check: "denials", Layer: report.LayerSandbox, Status: report.Pass, Summary: "14 of 14 held",
	Evidence: []report.Evidence{report.CommandEvidence("cat", "denied")}, Remedies: []report.Remedy{report.Command{Line: "true"}}}}

func TestAResultIsFoundUnderItsOwnKey(t *testing.T) {
	cache, at := filepath.Join(t.TempDir(), "cache"), time.Unix(1_000_000, 0).UTC()
	if err := engine.KeepResult(cache, "k1", at, found); err != nil {
		t.Fatal(err)
	}
	got, when, ok := engine.KeptResult(cache, "k1", at.Add(time.Hour))
	if diff := cmp.Diff(found, got); diff != "" || !ok || !when.Equal(at) {
		t.Errorf("found %v, at %v:\n%s", ok, when, diff)
	}
	for _, key := range []string{"k2", "1", ""} {
		if _, _, ok := engine.KeptResult(cache, key, at); ok {
			t.Errorf("the result of k1 is found under %q", key)
		}
	}
	if _, _, ok := engine.KeptResult(cache, "k1", at.Add(-time.Second)); ok {
		t.Error("a result from a time to come is believed")
	}
	info, err := os.Stat(filepath.Join(cache, "verify", "19700112-134640.000-k1"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is not private: %v, %v", info, err)
	}
}

func TestANewResultTakesThePlaceOfTheOldOneAndOthersAreBounded(t *testing.T) {
	cache := t.TempDir()
	for i := range 60 {
		if err := engine.KeepResult(cache, fmt.Sprintf("k%d", i%30), time.Unix(int64(i), 0), found); err != nil {
			t.Fatal(err)
		}
	}
	names, err := os.ReadDir(filepath.Join(cache, "verify"))
	if err != nil || len(names) != 20 {
		t.Fatalf("%d results are kept, %v", len(names), err)
	}
	if _, at, ok := engine.KeptResult(cache, "k29", time.Unix(100, 0)); !ok || at.Unix() != 59 {
		t.Errorf("found %v, of %d", ok, at.Unix())
	}
}

func TestAResultThatIsNotWholeIsNotThere(t *testing.T) {
	cache, at := t.TempDir(), time.Unix(1_000_000, 0)
	if err := engine.KeepResult(cache, "k1", at, found); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cache, "verify", "19700112-134640.000-k1")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty": "", "cut": string(whole[:len(whole)-9]), "another key": strings.Replace(string(whole), `"k1"`, `"k2"`, 1),
		"another version": strings.Replace(string(whole), `"version":1`, `"version":2`, 1), "no findings": strings.Replace(string(whole), `"findings"`, `"x"`, 1),
		"an unknown status": strings.Replace(string(whole), `"pass"`, `"fine"`, 1),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _, ok := engine.KeptResult(cache, "k1", at.Add(time.Hour)); ok {
			t.Errorf("%s: believed as %d findings", name, len(got))
		}
	}
}
