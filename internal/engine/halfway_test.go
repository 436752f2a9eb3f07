// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestARunThatFailsHalfWaySaysWhatStandsAndHowToTakeItBack(t *testing.T) {
	home := newHome(t)
	h, a, plan := world(home)
	a.Self = "/opt/steward-setup"
	writes := 0
	a.Step = func(stage string) {
		if stage == "create temporary file" {
			if writes++; writes == 2 { // the second file cannot be made
				_ = os.Remove(filepath.Join(home, ".claude", "scripts"))
			}
		}
	}
	id, err := a.Apply(context.Background(), plan, plan.ID, "install", discard)
	var e *report.Error
	if !errors.As(err, &e) || !strings.Contains(e.Why, "1 of the 2 files are written") ||
		!strings.HasSuffix(e.Next, "/opt/steward-setup undo "+id) {
		t.Fatalf("got %q, %+v", err, *e)
	}
	receipts, err := a.History()
	if err != nil || len(receipts) != 1 {
		t.Fatalf("history: %v, %v", receipts, err)
	}
	got, want := engine.Standing(h, receipts, receipts[0]), filepath.Join(home, ".claude", "settings.json")
	if len(got) != 1 || got[0] != want {
		t.Errorf("standing: %q, want the one file that was written", got)
	}
	_, undo, err := a.UndoPlan(h, id)
	if err != nil || a.Undo(context.Background(), receipts[0], undo, undo.ID, discard) != nil ||
		content(home, "settings.json") != "old" {
		t.Errorf("undo: %v; settings.json holds %q", err, content(home, "settings.json"))
	}
	if got := engine.Standing(h, receipts, receipts[0]); len(got) != 0 {
		t.Errorf("after undo: standing %q", got)
	}
}

// TestWhatALaterRunWroteIsNoPartOfTheOneThatWasStopped: undoing that takes back what it
// wrote, and no more.
func TestWhatALaterRunWroteIsNoPartOfTheOneThatWasStopped(t *testing.T) {
	home := newHome(t)
	h, a, plan := world(home)
	writes := 0
	a.Step = func(stage string) {
		if stage == "create temporary file" {
			if writes++; writes == 2 {
				_ = os.Remove(filepath.Join(home, ".claude", "scripts"))
			}
		}
	}
	first, err := a.Apply(t.Context(), plan, plan.ID, "install", discard)
	if err == nil {
		t.Fatal("it was not stopped")
	}
	a.Step = nil
	rest := report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{plan.Changes()[1]}}})
	testenv.Must(a.Apply(t.Context(), rest, rest.ID, "install", discard))(t)
	receipts := testenv.Must(a.History())(t)
	settings := filepath.Join(home, ".claude", "settings.json")
	if got := engine.Standing(h, receipts, receipts[1]); len(got) != 1 || got[0] != settings {
		t.Errorf("standing: %q", got)
	}
	_, undo, err := a.UndoPlan(h, first)
	if err != nil || len(undo.Changes()) != 1 || undo.Changes()[0].Path != settings {
		t.Errorf("undo: %+v, %v", undo.Changes(), err)
	}

	// What a later run made of a file that this one wrote is not left out.
	change := plan.Changes()[0]
	change.Before, change.After = change.After, []byte("newer")
	more := report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{change}}})
	testenv.Must(a.Apply(t.Context(), more, more.ID, "install", discard))(t)
	var e *report.Error
	if _, undo, err = a.UndoPlan(h, first); !errors.As(err, &e) || e.Where != settings {
		t.Errorf("undo: %+v, %v", undo.Changes(), err)
	}
}

// TestAnUninstallThatWasStoppedIsGoneOnWith: what it took back over two runs was not
// edited by anybody.
func TestAnUninstallThatWasStoppedIsGoneOnWith(t *testing.T) {
	home := newHome(t)
	h, a, plan := world(home)
	testenv.Must(a.Apply(t.Context(), plan, plan.ID, "install", discard))(t)
	change := plan.Changes()[2]
	change.Before, change.After = change.After, []byte("newer")
	more := report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{change}}})
	testenv.Must(a.Apply(t.Context(), more, more.ID, "install", discard))(t)
	ctx, cancel := context.WithCancel(t.Context())
	uninstall := func() (left int, err error) {
		u := testenv.Must(a.PlanUninstall(h))(t)
		p := report.NewPlan([]report.Section{u.Section})
		return len(u.Section.Findings), a.ApplyUninstall(ctx, u, p, p.ID, func(engine.Event) {
			if content(home, "settings.json") == "old" {
				cancel()
			}
		})
	}
	if _, err := uninstall(); err == nil || content(home, "settings.json") != "old" {
		t.Fatalf("it was not stopped behind the first file: %v, %q", err, content(home, "settings.json"))
	}
	ctx = t.Context()
	if left, err := uninstall(); err != nil || left != 0 {
		t.Errorf("%d files are left, %v", left, err)
	}
	for _, r := range testenv.Must(a.History())(t) {
		if _, undone := engine.UndoneBy(testenv.Must(a.History())(t), r.ID); !undone && r.Command == "install" {
			t.Errorf("%s is not undone", r.ID)
		}
	}
}

// TestAFileThatCannotBeComparedStays: one that is larger than memory, which a sparse
// file may seem to be, and one that cannot be read.
func TestAFileThatCannotBeComparedStays(t *testing.T) {
	home := newHome(t)
	h, a, plan := world(home)
	testenv.Must(a.Apply(t.Context(), plan, plan.ID, "install", discard))(t)
	settings := filepath.Join(home, ".claude", "settings.json")
	testenv.OK(t, os.Truncate(settings, fs.MaxOwn+1))
	var e *report.Error
	if _, _, err := a.UndoPlan(h, ""); !errors.As(err, &e) || e.Code != report.ExitStale || e.Where != settings {
		t.Errorf("undo of a huge file: %v", err)
	}
	if u, err := a.PlanUninstall(h); err != nil || len(u.Section.Findings) != 1 || len(u.Section.Items) != 1 {
		t.Errorf("uninstall beside a huge file: %v, %v, %v", u.Section.Findings, u.Section.Items, err)
	}
	if os.Geteuid() == 0 {
		return // who reads everything
	}
	testenv.OK(t, errors.Join(os.Truncate(settings, 1), os.Chmod(settings, 0)))
	if _, _, err := a.UndoPlan(h, ""); !errors.As(err, &e) || e.Code != report.ExitLeft || e.Next == "" {
		t.Errorf("undo of a file that cannot be read: %v", err)
	}
}

func TestAModeThatTheRunChangedStands(t *testing.T) {
	home := newHome(t)
	h, a, _ := world(home)
	path := filepath.Join(home, ".claude", "settings.json")
	plan := report.NewPlan([]report.Section{{ID: "s",
		Items: []report.Item{report.Change{ID: "mode", Path: path, Target: path,
			Before: []byte("old"), After: []byte("old"), Mode: 0o755, SetMode: true, ModeBefore: 0o600}}}})
	testenv.Must(a.Apply(context.Background(), plan, plan.ID, "install", discard))(t)
	receipts, err := a.History()
	if err != nil || len(engine.Standing(h, receipts, receipts[0])) != 1 {
		t.Errorf("%v, %v", receipts, err)
	}
}

func TestAPlanThatCannotBeWrittenIsNotBegun(t *testing.T) {
	home := newHome(t)
	_, a, plan := world(home)
	// A file where the second change needs a directory stops root too.
	testenv.OK(t, os.WriteFile(filepath.Join(home, ".claude", "scripts"), nil, 0o600))
	_, err := a.Apply(context.Background(), plan, plan.ID, "install", discard)
	var e *report.Error
	if !errors.As(err, &e) || !errors.Is(err, fs.ErrDenied) || e.Code != report.ExitLeft ||
		!strings.Contains(e.Where, "hook.sh") || !strings.Contains(e.Next, "scripts writable") {
		t.Errorf("got %v", err)
	}
	if content(home, "settings.json") != "old" {
		t.Error("the first file was written")
	}
	if receipts, err := a.History(); err != nil || len(receipts) != 0 {
		t.Errorf("receipts: %v, %v", receipts, err)
	}
}

func TestAStateDirectoryThatCannotBeUsedIsSaidInTheUsersWords(t *testing.T) {
	home := newHome(t)
	_, a, plan := world(home)
	a.State = filepath.Join(home, ".claude", "settings.json", "state") // below a file
	_, applying := a.Apply(context.Background(), plan, plan.ID, "install", discard)
	_, listing := a.History()
	for _, err := range []error{applying, listing} {
		var e *report.Error
		if !errors.As(err, &e) || e.Code != report.ExitLeft || e.Why == "" || !strings.Contains(e.Next, "XDG_STATE_HOME") {
			t.Errorf("got %v", err)
		}
	}
	if content(home, "settings.json") != "old" {
		t.Error("something was written without a receipt")
	}
}

func TestWhatIsStoppedBeforeTheFirstFileNamesTheCommandThatGoesOn(t *testing.T) {
	home := newHome(t)
	_, a, plan := world(home)
	a.Self, a.Flags = "/opt/steward-setup", " --root /r"
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	id, err := a.Apply(ctx, plan, plan.ID, "scope whole-user", discard)
	var e *report.Error
	if !errors.As(err, &e) || id != "" || e.Next != "to go on:  /opt/steward-setup scope whole-user --root /r" {
		t.Errorf("%q %+v", id, e)
	}
}

// TestWhatWasStoppedBehindItsLastFileRemovesTheDirectories: a plan without a file to
// change says which empty directories go, and they do.
func TestWhatWasStoppedBehindItsLastFileRemovesTheDirectories(t *testing.T) {
	for name, finish := range map[string]func(t *testing.T, h *host.Host, a engine.Applier) (report.Plan, error){
		"undo": func(t *testing.T, h *host.Host, a engine.Applier) (report.Plan, error) {
			receipt, p, err := a.UndoPlan(h, "")
			testenv.OK(t, err)
			return p, a.Undo(t.Context(), receipt, p, p.ID, discard)
		},
		"uninstall": func(t *testing.T, h *host.Host, a engine.Applier) (report.Plan, error) {
			u := testenv.Must(a.PlanUninstall(h))(t)
			p := report.NewPlan([]report.Section{u.Section})
			return p, a.ApplyUninstall(t.Context(), u, p, p.ID, discard)
		},
	} {
		home := newHome(t)
		h, a, plan := world(home)
		testenv.Must(a.Apply(t.Context(), plan, plan.ID, "install", discard))(t)
		made := filepath.Join(home, ".claude", "scripts")
		testenv.OK(t, errors.Join(os.Remove(filepath.Join(made, "hook.sh")),
			os.WriteFile(filepath.Join(home, ".claude", "settings.json"), []byte("old"), 0o600)))
		p, err := finish(t, h, a)
		if err != nil || len(p.Changes()) != 0 || !slices.Contains(p.Sections[0].Removes, made) ||
			p.ID == report.NewPlan(nil).ID {
			t.Errorf("%s: %v, %+v", name, err, p)
		}
		if _, err := os.Stat(made); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %s is still there: %v", name, made, err)
		}
		if u := testenv.Must(a.PlanUninstall(h))(t); u.All != 0 {
			t.Errorf("%s: %d runs are still to be taken back", name, u.All)
		}
	}
}

// TestAFirstFileThatIsWrittenAndNotSyncedCanBeUndone: its receipt is kept.
func TestAFirstFileThatIsWrittenAndNotSyncedCanBeUndone(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root opens every directory")
	}
	home := newHome(t)
	h, a, _ := world(home)
	target := filepath.Join(home, ".claude", "made", "settings.json")
	plan := report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{
		report.Change{ID: "new", Path: target, Target: target, After: []byte("ours"), Mode: 0o644}}}})
	a.Step = func(stage string) {
		if stage == "sync directory" {
			testenv.OK(t, os.Chmod(filepath.Dir(target), 0o300))
		}
	}
	_, err := a.Apply(t.Context(), plan, plan.ID, "install", discard)
	testenv.OK(t, os.Chmod(filepath.Dir(target), 0o755))
	e, is := errors.AsType[*report.Error](err)
	receipts := testenv.Must(a.History())(t)
	if !is || e.Code != report.ExitLeft || len(receipts) != 1 || !strings.Contains(e.Next, "undo "+receipts[0].ID) {
		t.Fatalf("%v, history: %v", err, receipts)
	}
	a.Step = nil
	receipt, undo, err := a.UndoPlan(h, "")
	testenv.OK(t, errors.Join(err, a.Undo(t.Context(), receipt, undo, undo.ID, discard)))
	if _, err := os.Lstat(filepath.Dir(target)); err == nil {
		t.Error("what was written is still there")
	}
}

// TestWhatIsEmptyIsWhatGoes: a directory with nothing but empty ones of the list is, one
// with a file or with somebody's own directory is not, nor is a symlink.
func TestWhatIsEmptyIsWhatGoes(t *testing.T) {
	home := newHome(t)
	h, _, _ := world(home)
	var dirs []string
	for _, name := range []string{"a", "a/b", "full", "theirs", "gone", "link"} {
		dirs = append(dirs, filepath.Join(home, name))
	}
	testenv.Mkdir(t, filepath.Join(home, "a/b"))
	testenv.Mkdir(t, filepath.Join(home, "full"))
	testenv.Mkdir(t, filepath.Join(home, "theirs/own"))
	testenv.Link(t, filepath.Join(home, "a/b"), filepath.Join(home, "link"))
	testenv.OK(t, os.WriteFile(filepath.Join(home, "full/file"), nil, 0o600))
	if got := engine.EmptyDirs(h, dirs); !slices.Equal(got, dirs[:2]) {
		t.Errorf("got %v", got)
	}
}
