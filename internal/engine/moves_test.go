// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// moving is a home with a file and a directory that move into a repository,
// and the plan that moves them.
func moving(home string) (*host.Host, engine.Applier, report.Plan) {
	h, a, _ := world(home)
	at := func(name string) string { return filepath.Join(home, name) }
	whole := func(name, from string, mode fs.FileMode) report.Item {
		b, _ := os.ReadFile(at(from))
		return report.Change{ID: report.ID("new/" + name), Path: at(name), Target: at(name), After: b, Mode: mode}
	}
	gone := func(name string) report.Item {
		b, _ := os.ReadFile(at(name))
		return report.Change{ID: report.ID("gone/" + name), Path: at(name), Target: at(name), Before: b, Mode: 0o600,
			ModeBefore: 0o600}
	}
	link := func(name, to string) report.Change {
		return report.Change{ID: report.ID("link/" + name), Path: at(name), Target: at(name), After: []byte(at(to)),
			Mode: fs.ModeSymlink | 0o777}
	}
	turned := link(".claude/CLAUDE.md", "repo/CLAUDE.md")
	turned.Before, _ = os.ReadFile(at(".claude/CLAUDE.md"))
	turned.Turns, turned.ModeBefore = true, 0o600
	memory := link(".claude/projects/k/memory", "repo/memory/k")
	memory.Emptied = true
	return h, a, report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{
		whole("repo/CLAUDE.md", ".claude/CLAUDE.md", 0o600), turned,
		whole("repo/memory/k/MEMORY.md", ".claude/projects/k/memory/MEMORY.md", 0o600),
		whole("repo/memory/k/sub/a.md", ".claude/projects/k/memory/sub/a.md", 0o600),
		gone(".claude/projects/k/memory/MEMORY.md"), gone(".claude/projects/k/memory/sub/a.md"), memory,
	}}})
}

var moved = map[string]string{".claude/CLAUDE.md": "be kind", ".claude/projects/k/memory/MEMORY.md": "remember",
	".claude/projects/k/memory/sub/a.md": "more"}

func newMovingHome(t *testing.T) string {
	t.Helper()
	home := testenv.Home(t)
	for name, text := range moved {
		path := filepath.Join(home, name)
		testenv.OK(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)))
	}
	memory := filepath.Join(home, ".claude/projects/k/memory")
	testenv.OK(t, errors.Join(os.Mkdir(memory+"/empty", 0o511), os.Chmod(memory+"/sub", 0o770),
		os.Chmod(memory, 0o700|fs.ModeSetgid)))
	return home
}

// listing is every file below home but for the program's own, with its bytes.
func listing(t *testing.T, home string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".local" || d.Name() == ".cache":
			return filepath.SkipDir
		case d.IsDir():
			info, _ := d.Info()
			b.WriteString(path + "/ " + info.Mode().String() + "\n")
		case d.Type()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			b.WriteString(path + " -> " + to + "\n")
		default:
			text, _ := os.ReadFile(path)
			info, _ := d.Info()
			b.WriteString(path + " " + info.Mode().String() + " " + string(text) + "\n")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMovesAreTakenBackByteForByte(t *testing.T) {
	for _, way := range []string{"undo", "uninstall"} {
		home := newMovingHome(t)
		before := listing(t, home)
		h, a, plan := moving(home)
		testenv.Must(a.Apply(context.Background(), plan, plan.ID, "sync init", discard))(t)
		for name, text := range moved {
			if b, _ := os.ReadFile(filepath.Join(home, name)); string(b) != text {
				t.Errorf("%s holds %q after the move", name, b)
			}
		}
		if to, _ := os.Readlink(filepath.Join(home, ".claude/projects/k/memory")); to != filepath.Join(home,
			"repo/memory/k") {
			t.Errorf("memory is a link to %q", to)
		}
		takeBack(t, way, h, a)
		if after := listing(t, home); after != before {
			t.Errorf("%s left\n%s\nwant\n%s", way, after, before)
		}
	}
}

// takeBack undoes the newest run, or uninstalls, and returns what the plan says.
func takeBack(t *testing.T, way string, h *host.Host, a engine.Applier) string {
	t.Helper()
	if way == "undo" {
		receipt, undo, err := a.UndoPlan(h, "")
		if err == nil {
			err = a.Undo(context.Background(), receipt, undo, undo.ID, discard)
		}
		if err != nil {
			t.Fatal(err)
		}
		return undo.Sections[0].Why
	}
	u := testenv.Must(a.PlanUninstall(h))(t)
	p := report.NewPlan([]report.Section{u.Section})
	testenv.OK(t, a.ApplyUninstall(context.Background(), u, p, p.ID, discard))
	return u.Section.Why
}

// TestMovesAreTakenBackWhereTheParentIsGone: who removed a project's directory
// can still take back the rest.
func TestMovesAreTakenBackWhereTheParentIsGone(t *testing.T) {
	for _, way := range []string{"undo", "uninstall"} {
		home := newMovingHome(t)
		parent := filepath.Join(home, ".claude/projects/k")
		if err := os.Chmod(parent, 0o755); err != nil { // whatever the umask is
			t.Fatal(err)
		}
		before := listing(t, home)
		h, a, plan := moving(home)
		testenv.Must(a.Apply(context.Background(), plan, plan.ID, "sync init", discard))(t)
		testenv.OK(t, os.RemoveAll(parent))
		why := takeBack(t, way, h, a)
		if want := "Makes again, with the old modes: " + parent + "/memory, and 2 directories below."; !strings.HasSuffix(why,
			want) {
			t.Errorf("the plan of %s says %q", way, why)
		}
		if after := listing(t, home); after != before {
			t.Errorf("%s left\n%s\nwant\n%s", way, after, before)
		}
	}
}

// TestADirectoryThatSomebodyMadeKeepsItsMode: a directory that is there again is
// not this run's.
func TestADirectoryThatSomebodyMadeKeepsItsMode(t *testing.T) {
	for _, way := range []string{"undo", "uninstall"} {
		home := newMovingHome(t)
		h, a, plan := moving(home)
		testenv.Must(a.Apply(context.Background(), plan, plan.ID, "sync init", discard))(t)
		memory := filepath.Join(home, ".claude/projects/k/memory")
		empty := filepath.Join(memory, "empty")
		testenv.OK(t, errors.Join(os.Remove(memory), os.MkdirAll(empty, 0o755), os.Chmod(empty, 0o711)))
		why := takeBack(t, way, h, a)
		if info, err := os.Stat(empty); err != nil || info.Mode().Perm() != 0o711 {
			t.Errorf("%s made it %v (%v)", way, info.Mode(), err)
		}
		if want := "Makes again, with the old modes: " + memory + "/sub."; !strings.HasSuffix(why, want) {
			t.Errorf("the plan of %s says %q", way, why)
		}
	}
}

// TestADirectoryThatAReceiptCannotHoldIsRefused: its name would come back as
// another one.
func TestADirectoryThatAReceiptCannotHoldIsRefused(t *testing.T) {
	home := newMovingHome(t)
	if err := os.Mkdir(filepath.Join(home, ".claude/projects/k/memory/\xff"), 0o700); err != nil {
		t.Skip("this file system has no such names")
	}
	before := listing(t, home)
	_, a, plan := moving(home)
	_, err := a.Apply(context.Background(), plan, plan.ID, "sync init", discard)
	if err == nil || !strings.Contains(err.Error(), "not UTF-8") || listing(t, home) != before {
		t.Errorf("not refused: %v", err)
	}
}

// TestAMoveThatMovedOnIsNotTakenBack: what was written through the link since
// stays, and so does everything else.
func TestAMoveThatMovedOnIsNotTakenBack(t *testing.T) {
	home := newMovingHome(t)
	h, a, plan := moving(home)
	testenv.Must(a.Apply(context.Background(), plan, plan.ID, "sync init", discard))(t)
	testenv.Write(t, filepath.Join(home, ".claude/projects/k/memory/MEMORY.md"), "newer", 0o600)
	before := listing(t, home)
	if _, _, err := a.UndoPlan(h, ""); err == nil || !strings.Contains(err.Error(), "MEMORY.md") {
		t.Errorf("undo: %v", err)
	}
	if after := listing(t, home); after != before {
		t.Errorf("something changed:\n%s", after)
	}
}

// TestADirectoryWithANewFileStays: a file that came after the plan was made is
// not removed with its directory.
func TestADirectoryWithANewFileStays(t *testing.T) {
	home := newMovingHome(t)
	_, a, plan := moving(home)
	late := filepath.Join(home, ".claude/projects/k/memory/sub/late.md")
	testenv.Write(t, late, "late", 0o600)
	_, err := a.Apply(context.Background(), plan, plan.ID, "sync init", discard)
	if err == nil || !strings.Contains(err.Error(), "late.md") {
		t.Errorf("apply: %v", err)
	}
	if b, _ := os.ReadFile(late); string(b) != "late" {
		t.Errorf("late.md holds %q", b)
	}
}

// TestAFileThatBecameALinkIsStale: and the reverse.
func TestAFileThatBecameALinkIsStale(t *testing.T) {
	home := newMovingHome(t)
	_, a, plan := moving(home)
	path := filepath.Join(home, ".claude/CLAUDE.md")
	testenv.OK(t, errors.Join(os.Remove(path), os.Symlink("be kind", path)))
	before := listing(t, home)
	if _, err := a.Apply(context.Background(), plan, plan.ID, "sync init", discard); err == nil ||
		!strings.Contains(err.Error(), "of another type") {
		t.Errorf("apply: %v", err)
	}
	if after := listing(t, home); after != before {
		t.Errorf("something was written:\n%s", after)
	}
}

func TestKilledWhileMoving(t *testing.T) {
	died := 0
	for at := 1; ; at++ {
		home := newMovingHome(t)
		before := listing(t, home)
		if !killed(t, "STEWARD_TEST_MOVE="+home, at) {
			break // it lived to the end: every stage was tried
		}
		died++
		now := listing(t, home)
		for name, text := range moved {
			if !strings.Contains(now, " "+text+"\n") {
				t.Errorf("killed at %d: the bytes of %s are gone:\n%s", at, name, now)
			}
		}
		if _, err := os.Stat(filepath.Join(home, ".claude/CLAUDE.md")); err != nil {
			t.Errorf("killed at %d: CLAUDE.md: %v", at, err)
		}
		h, a, _ := moving(home)
		receipt, undo, err := a.UndoPlan(h, "")
		if errors.Is(err, engine.ErrNothingToUndo) {
			if now != before {
				t.Errorf("killed at %d, before the receipt: %s", at, now)
			}
			continue
		}
		if err == nil {
			err = a.Undo(context.Background(), receipt, undo, undo.ID, discard)
		}
		if err != nil {
			t.Errorf("killed at %d: undo: %v", at, err)
		}
		if after := listing(t, home); after != before {
			t.Errorf("killed at %d: undo left\n%s\nwant\n%s", at, after, before)
		}
	}
	if died < 25 {
		t.Errorf("only %d stages were tried", died)
	}
}
