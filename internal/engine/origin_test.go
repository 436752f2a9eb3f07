// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestOriginIsWhatWasThereBeforeTheRuns(t *testing.T) {
	home := newHome(t)
	_, a, _ := world(home)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a.Now = func() time.Time { now = now.Add(time.Second); return now }
	path := filepath.Join(home, "made", "file")
	write := func(command string, before, after []byte) {
		t.Helper()
		p := report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{report.Change{ID: "f", Path: path, Target: path,
			Before: before, After: after, Mode: 0o600}}}})
		testenv.Must(a.Apply(context.Background(), p, p.ID, command, discard))(t)
	}
	by := func(commands ...string) func(engine.Receipt) bool {
		return func(r engine.Receipt) bool {
			return slices.Contains(commands, r.Command)
		}
	}
	write("first", nil, []byte("one"))
	write("second", []byte("one"), []byte("two"))
	write("third", []byte("two"), []byte("three"))
	runs := testenv.Must(a.Runs())(t)
	for _, tt := range []struct {
		name string
		now  string
		by   func(engine.Receipt) bool
		want []byte
		ok   bool
	}{
		{"the last alone", "three", by("third"), []byte("two"), true},
		{"the last two", "three", by("third", "second"), []byte("one"), true},
		{"all", "three", by("first", "second", "third"), nil, true},
		{"a gap", "three", by("first", "third"), []byte("two"), true},
		{"not the last", "three", by("first", "second"), nil, false},
		{"other bytes", "mine", by("first", "second", "third"), nil, false},
	} {
		if got, ok := runs.Origin(path, []byte(tt.now), tt.by); ok != tt.ok || string(got) != string(tt.want) ||
			(got == nil) != (tt.want == nil) {
			t.Errorf("%s: %q, %v", tt.name, got, ok)
		}
	}

	// A directory that a run made goes with the last file in it.
	write("remove", []byte("three"), nil)
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("the directory is still there")
	}
	if _, err := os.Stat(home); err != nil {
		t.Error("a directory that no run made is gone")
	}
}
