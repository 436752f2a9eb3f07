// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestOldBytesWhoseReceiptIsGoneStay: they may be the only copy of what a file was,
// and a history without their run would be believed.
func TestOldBytesWhoseReceiptIsGoneStay(t *testing.T) {
	home := newHome(t)
	h, a, plan := world(home)
	id := testenv.Must(a.Apply(context.Background(), plan, plan.ID, "install", discard))(t)
	dir := filepath.Join(a.State, "receipts", id)
	mine := filepath.Join(a.State, "receipts", "old", "copy", "receipt.json")
	testenv.Write(t, mine, "{}", 0o600)
	testenv.OK(t, os.Remove(filepath.Join(dir, "receipt.json")))
	_, _, err := a.UndoPlan(h, "")
	var e *report.Error
	if !errors.As(err, &e) || e.Code != report.ExitMalformed || e.Where != filepath.Join(dir, "receipt.json") {
		t.Errorf("undo says %v, want that the receipt is gone", err)
	}
	script := filepath.Join(home, ".claude", "scripts", "hook.sh")
	next := report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{report.Change{ID: "c", Path: script,
		Target: script, Before: []byte("hook"), Mode: 0o644, ModeBefore: 0o644}}}})
	testenv.Must(a.Apply(context.Background(), next, next.ID, "install", discard))(t)
	if got, err := os.ReadFile(filepath.Join(dir, "before-00")); string(got) != "old" {
		t.Errorf("after the next run the old bytes are %q, %v", got, err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error("what the user put there: ", err)
	}
}

// TestOldBytesThatAreGoneLeadOn: nothing else can be undone before that is settled.
func TestOldBytesThatAreGoneLeadOn(t *testing.T) {
	h, a, plan := world(newHome(t))
	id := testenv.Must(a.Apply(context.Background(), plan, plan.ID, "install", discard))(t)
	testenv.Write(t, filepath.Join(a.State, "receipts", "notes.txt"), "a file is no run", 0o600)
	kept := filepath.Join(a.State, "receipts", id, "before-00")
	for _, damage := range []func() error{
		func() error { return os.WriteFile(kept, []byte("other"), 0o600) },
		func() error { return os.Remove(kept) },
	} {
		testenv.OK(t, damage())
		_, _, err := a.UndoPlan(h, "")
		var e *report.Error
		if !errors.As(err, &e) || e.Where != kept || e.Next == "" {
			t.Errorf("undo says %v, want the old bytes and what to do next", err)
		}
	}
}

// TestARunThatOnlyMadeFilesIsNoEmptyHistory: it has no old bytes, and was one all the
// same.
func TestARunThatOnlyMadeFilesIsNoEmptyHistory(t *testing.T) {
	home := newHome(t)
	_, a, _ := world(home)
	path := filepath.Join(home, ".claude", "new.json")
	plan := report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{report.Change{ID: "c", Path: path,
		Target: path, After: []byte("{}\n"), Mode: 0o644}}}})
	id := testenv.Must(a.Apply(context.Background(), plan, plan.ID, "install", discard))(t)
	testenv.OK(t, os.Remove(filepath.Join(a.State, "receipts", id, "receipt.json")))
	if list, err := a.History(); err == nil {
		t.Errorf("the history is %v, want that a receipt is gone", list)
	}
}

func TestARunThatCannotKeepTheOldBytesLeavesNothing(t *testing.T) {
	home := newHome(t)
	_, a, plan := world(home)
	receipts := filepath.Join(a.State, "receipts")
	a.Step = func(stage string) {
		if list, _ := os.ReadDir(receipts); stage == "keep old bytes" && len(list) == 1 { // after-00 cannot be made
			_ = os.Mkdir(filepath.Join(receipts, list[0].Name(), "after-00.new"), 0o700)
		}
	}
	if id, err := a.Apply(context.Background(), plan, plan.ID, "install", discard); err == nil || id != "" {
		t.Fatalf("got %q, %v", id, err)
	}
	if list, err := os.ReadDir(receipts); err != nil || len(list) != 0 || content(home, "settings.json") != "old" {
		t.Errorf("left %v, %v; settings.json holds %q", list, err, content(home, "settings.json"))
	}
}

// TestUndoOfAnAlteredReceiptRemovesNoDirectory: the plan does not name those that
// go once they are empty.
func TestUndoOfAnAlteredReceiptRemovesNoDirectory(t *testing.T) {
	for _, uninstall := range []bool{false, true} {
		home := newHome(t)
		h, a, plan := world(home)
		id := testenv.Must(a.Apply(context.Background(), plan, plan.ID, "install", discard))(t)
		file := filepath.Join(a.State, "receipts", id, "receipt.json")
		b := testenv.Must(os.ReadFile(file))(t)
		testenv.OK(t, os.WriteFile(file, append(b, '\n'), 0o600))
		if uninstall {
			u := testenv.Must(a.PlanUninstall(h))(t)
			p := report.NewPlan([]report.Section{u.Section})
			testenv.OK(t, a.ApplyUninstall(context.Background(), u, p, p.ID, discard))
		} else {
			receipt, p, err := a.UndoPlan(h, "")
			testenv.OK(t, errors.Join(err, a.Undo(context.Background(), receipt, p, p.ID, discard)))
		}
		if content(home, "scripts/hook.sh") != "absent" || content(home, "settings.json") != "old" {
			t.Errorf("uninstall %v: the files were not taken back", uninstall)
		}
		if _, err := os.Stat(filepath.Join(home, ".claude", "scripts")); err != nil {
			t.Errorf("uninstall %v: %v", uninstall, err)
		}
	}
}
