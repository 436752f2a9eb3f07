// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAHomeThatWasMovedIsNoFileThatWasRemoved: its runs are not undone without a word,
// and are once the old paths lead there.
func TestAHomeThatWasMovedIsNoFileThatWasRemoved(t *testing.T) {
	old := filepath.Join(testenv.Home(t), "old")
	testenv.Write(t, filepath.Join(old, ".claude", "settings.json"), "old", 0o600)
	_, a, plan := world(old)
	for range 2 {
		testenv.Must(a.Apply(context.Background(), plan, plan.ID, "install", discard))(t)
		path := filepath.Join(old, ".claude", "second.json")
		plan = report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{report.Change{ID: "c", Path: path,
			Target: path, After: []byte("{}\n"), Mode: 0o644}}}})
	}
	home := filepath.Join(filepath.Dir(old), "new")
	testenv.OK(t, os.Rename(old, home))
	h, a, _ := world(home)
	u := testenv.Must(a.PlanUninstall(h))(t)
	if len(u.Section.Findings) != 2 || len(u.Section.Items) != 1 || u.Runs != nil {
		t.Errorf("uninstall says %v and has %v, for the runs %v", u.Section.Findings, u.Section.Items, u.Runs)
	}
	_, _, err := a.UndoPlan(h, "")
	var e *report.Error
	if !errors.As(err, &e) || e.Where != old || e.Next == "" {
		t.Errorf("undo says %v, want the directory that is gone and what to do next", err)
	}
	testenv.OK(t, os.Symlink(home, old))
	if u = testenv.Must(a.PlanUninstall(h))(t); len(u.Runs) != 2 || len(u.Section.Findings) != 0 {
		t.Errorf("with the symlink: %v, for the runs %v", u.Section.Findings, u.Runs)
	}
	if _, p, err := a.UndoPlan(h, ""); err != nil || len(p.Changes()) != 1 {
		t.Errorf("with the symlink undo has %v, %v", p, err)
	}
}

// TestAProjectThatIsGoneIsNoHomeThatWasMoved: its settings lie in it as the user's own
// do in the home.
func TestAProjectThatIsGoneIsNoHomeThatWasMoved(t *testing.T) {
	home := newHome(t)
	h, a, own := world(home)
	project := filepath.Join(t.TempDir(), "p")
	path := filepath.Join(project, ".claude", "settings.json")
	in := report.Change{ID: "p", Path: path, Target: path, Within: project, After: []byte("{}\n"), Mode: 0o644}
	for _, items := range [][]report.Item{append(slices.Clone(own.Sections[0].Items), in), {in}} {
		testenv.OK(t, os.MkdirAll(project, 0o755))
		plan := report.NewPlan([]report.Section{{ID: "s", Items: items}})
		testenv.Must(a.Apply(context.Background(), plan, plan.ID, "install", discard))(t)
		testenv.OK(t, os.RemoveAll(project))
		if u := testenv.Must(a.PlanUninstall(h))(t); len(u.Section.Findings) != 0 {
			t.Errorf("uninstall says %v", u.Section.Findings)
		}
		if _, _, err := a.UndoPlan(h, ""); err != nil {
			t.Error(err)
		}
	}
}
