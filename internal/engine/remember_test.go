// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

func TestWhatChangedNamesTheDifference(t *testing.T) {
	home := newHome(t)
	_, _, plan := world(home)
	cache := filepath.Join(home, "cache")
	engine.Remember(cache, time.Unix(0, 0), "/p", plan)
	c := plan.Changes()[0]
	c.Before = []byte("edited")
	other := report.NewPlan([]report.Section{{Items: []report.Item{c, report.Command{ID: "new", Line: "true"}}}})
	lines, known := engine.WhatChanged(cache, plan.ID, "/p", other)
	got := strings.Join(lines, "\n")
	if !known || !strings.Contains(got, "settings.json has changed on disk") ||
		!strings.Contains(got, "hook.sh is no longer proposed") || !strings.Contains(got, "`true` is new") {
		t.Errorf("known %v:\n%s", known, got)
	}
	if lines, _ := engine.WhatChanged(cache, plan.ID, "/q", other); len(lines) != 1 ||
		!strings.Contains(lines[0], "it is about /p, and this is /q") {
		t.Errorf("in another project: %q", lines)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(home, ".claude", "scripts"), 0o755),
		os.WriteFile(filepath.Join(home, ".claude", "scripts", "hook.sh"), []byte("hook"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if lines, _ := engine.WhatChanged(cache, plan.ID, "/p", other); !strings.Contains(strings.Join(lines, "\n"),
		"hook.sh is written already") {
		t.Errorf("after half a run: %q", lines)
	}
	if _, known := engine.WhatChanged(cache, "0000-0000-0000-0000", "/p", other); known {
		t.Error("a plan that was never printed is known")
	}
}
