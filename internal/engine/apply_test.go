// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: law 3 of ARCHITECTURE, seen from a whole plan: approved and
// applied, stale, killed between any two writes, taken back.

package engine_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestMain(m *testing.M) {
	if home := os.Getenv("STEWARD_TEST_APPLY"); home != "" {
		_, a, plan := world(home)
		applyAndDie(a, plan, os.Getenv("STEWARD_TEST_DIE_AT"))
	}
	if home := os.Getenv("STEWARD_TEST_MOVE"); home != "" {
		_, a, plan := moving(home)
		applyAndDie(a, plan, os.Getenv("STEWARD_TEST_DIE_AT"))
	}
	os.Exit(m.Run())
}

// world is a home with one settings file that exists and two files that do
// not, and the plan that writes all three.
func world(home string) (*host.Host, engine.Applier, report.Plan) {
	h, err := host.New(env.System{Env: env.New([]string{"HOME=" + home}), GOOS: "linux", Now: time.Now})
	if err != nil {
		panic(err)
	}
	at := func(name string) string { return filepath.Join(home, ".claude", name) }
	change := func(name, before, after string) report.Change {
		c := report.Change{ID: report.ID(name), Why: "because", Path: at(name), Target: at(name), After: []byte(after),
			Mode: 0o644, ModeBefore: 0o600}
		if before != "" {
			c.Before = []byte(before)
		}
		return c
	}
	plan := report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{
		change("settings.json", "old", "first"),
		change("scripts/hook.sh", "", "hook"),
		change("settings.json", "first", "second"),
	}}})
	return h, engine.Applier{State: h.Places().State, Version: "test", Now: time.Now}, plan
}

func newHome(t *testing.T) string {
	t.Helper()
	home := testenv.Home(t)
	testenv.OK(t, errors.Join(os.Mkdir(filepath.Join(home, ".claude"), 0o755),
		os.WriteFile(filepath.Join(home, ".claude", "settings.json"), []byte("old"), 0o600)))
	return home
}

func content(home, name string) string {
	b, err := os.ReadFile(filepath.Join(home, ".claude", name))
	if err != nil {
		return "absent"
	}
	return string(b)
}

func discard(engine.Event) {}

func TestAnApprovedPlanIsWrittenAndTakenBackByteForByte(t *testing.T) {
	home := newHome(t)
	h, a, plan := world(home)
	id := testenv.Must(a.Apply(context.Background(), plan, plan.ID, "install", discard))(t)
	if content(home, "settings.json") != "second" || content(home, "scripts/hook.sh") != "hook" {
		t.Fatalf("after apply: %q, %q", content(home, "settings.json"), content(home, "scripts/hook.sh"))
	}
	receipt, undo, err := a.UndoPlan(h, "")
	if err != nil || receipt.ID != id {
		t.Fatalf("undo is for %q, %v; want %q", receipt.ID, err, id)
	}
	testenv.OK(t, a.Undo(context.Background(), receipt, undo, undo.ID, discard))
	info, _ := os.Stat(filepath.Join(home, ".claude", "settings.json"))
	if content(home, "settings.json") != "old" || info.Mode().Perm() != 0o600 {
		t.Errorf("after undo: %q, mode %v", content(home, "settings.json"), info.Mode())
	}
	if _, err := os.Stat(filepath.Join(home, ".claude", "scripts")); !os.IsNotExist(err) {
		t.Errorf("the directory that the run created is still there: %v", err)
	}
	if _, _, err := a.UndoPlan(h, ""); !errors.Is(err, engine.ErrNothingToUndo) {
		t.Errorf("a second undo: %v", err)
	}
	if _, _, err := a.UndoPlan(h, id); err == nil || !strings.Contains(err.Error(), "already undone") {
		t.Errorf("undoing %s twice: %v", id, err)
	}
}

func TestOnlyTheApprovedPlanIsWritten(t *testing.T) {
	home := newHome(t)
	_, a, plan := world(home)
	if _, err := a.Apply(context.Background(), plan, "0000-0000-0000-0000", "install", discard); err == nil {
		t.Error("a plan that nobody approved was applied")
	}
	if content(home, "settings.json") != "old" {
		t.Error("the file was written")
	}
}

func TestAStalePlanWritesNothingAtAll(t *testing.T) {
	home := newHome(t)
	_, a, plan := world(home)
	testenv.Mkdir(t, filepath.Join(home, ".claude", "scripts"))
	// The second of three files is in the way: the first must not be written either.
	testenv.Write(t, filepath.Join(home, ".claude", "scripts", "hook.sh"), "mine", 0o755)
	_, err := a.Apply(context.Background(), plan, plan.ID, "install", discard)
	var e *report.Error
	if !errors.As(err, &e) || e.Code != report.ExitStale || !strings.Contains(e.Where, "hook.sh") {
		t.Errorf("got %v, want a stale plan that names hook.sh", err)
	}
	if content(home, "settings.json") != "old" {
		t.Error("the first file was written")
	}
	if receipts, err := a.History(); err != nil || len(receipts) != 0 {
		t.Errorf("receipts: %v, %v; a run that wrote nothing has none", receipts, err)
	}
}

func TestUndoNamesAFileThatMovedOnAndChangesNothing(t *testing.T) {
	home := newHome(t)
	h, a, plan := world(home)
	testenv.Must(a.Apply(context.Background(), plan, plan.ID, "install", discard))(t)
	testenv.Write(t, filepath.Join(home, ".claude", "settings.json"), "edited since", 0o600)
	_, _, err := a.UndoPlan(h, "")
	var e *report.Error
	if !errors.As(err, &e) || e.Code != report.ExitStale || !strings.HasSuffix(e.Where, "settings.json") {
		t.Errorf("got %v", err)
	}
	if content(home, "scripts/hook.sh") != "hook" || content(home, "settings.json") != "edited since" {
		t.Error("something was restored all the same")
	}
}

func TestTheLockKeepsASecondWriterOut(t *testing.T) {
	home := newHome(t)
	_, a, plan := world(home)
	var inner error
	a.Step = func(string) {
		if inner == nil {
			other := a
			other.Step = nil
			_, inner = other.Apply(context.Background(), plan, plan.ID, "install", discard)
		}
	}
	testenv.Must(a.Apply(context.Background(), plan, plan.ID, "install", discard))(t)
	var e *report.Error
	if !errors.As(inner, &e) || e.Code != report.ExitStale {
		t.Errorf("the second writer got %v", inner)
	}
}

// TestKilledBetweenAnyTwoStages kills a real process at every stage of every
// write. After each death every file is the old one or the new one, no
// temporary file survives the next run, and undo restores the beginning.
func TestKilledBetweenAnyTwoStages(t *testing.T) {
	died, early := 0, 0
	for at := 1; ; at++ {
		home := newHome(t)
		if !killed(t, "STEWARD_TEST_APPLY="+home, at) {
			break // it lived to the end: every stage was tried
		}
		died++
		settings, hook := content(home, "settings.json"), content(home, "scripts/hook.sh")
		if settings != "old" && settings != "first" && settings != "second" {
			t.Errorf("killed at %d: settings.json holds %q", at, settings)
		}
		if hook != "absent" && hook != "hook" {
			t.Errorf("killed at %d: hook.sh holds %q", at, hook)
		}
		h, a, _ := world(home)
		receipt, undo, err := a.UndoPlan(h, "")
		if errors.Is(err, engine.ErrNothingToUndo) {
			early++
			diedBeforeTheReceipt(t, home, at)
			continue
		}
		if err != nil {
			t.Errorf("killed at %d: undo: %v", at, err)
			continue
		}
		if receipt.Finished {
			t.Errorf("killed at %d: the receipt says that the run ended", at)
		}
		if err := a.Undo(context.Background(), receipt, undo, undo.ID, discard); err != nil {
			t.Errorf("killed at %d: undo: %v", at, err)
		}
		if content(home, "settings.json") != "old" || content(home, "scripts/hook.sh") != "absent" {
			t.Errorf("killed at %d: undo left %q, %q", at, content(home, "settings.json"), content(home, "scripts/hook.sh"))
		}
		left, _ := filepath.Glob(filepath.Join(home, ".claude", ".*steward*"))
		if more, _ := filepath.Glob(filepath.Join(home, ".claude", "scripts", ".*steward*")); len(left)+len(more) > 0 {
			t.Errorf("killed at %d: left behind %v %v", at, left, more)
		}
	}
	if died < 15 || early < 3 {
		t.Errorf("only %d stages were tried, %d of them before the receipt; three writes have at least 12 and keep two files",
			died, early)
	}
}

// diedBeforeTheReceipt wants that nothing is written, and that neither the
// list nor the next run is hindered by what is left.
func diedBeforeTheReceipt(t *testing.T, home string, at int) {
	t.Helper()
	if content(home, "settings.json") != "old" || content(home, "scripts/hook.sh") != "absent" {
		t.Errorf("killed at %d: written before there was a receipt: %q, %q", at, content(home, "settings.json"),
			content(home, "scripts/hook.sh"))
	}
	_, a, plan := world(home)
	id, err := a.Apply(context.Background(), plan, plan.ID, "install", discard)
	if err != nil {
		t.Errorf("killed at %d: the next run: %v", at, err)
	}
	if receipts, err := a.History(); err != nil || len(receipts) != 1 || receipts[0].ID != id {
		t.Errorf("killed at %d: history: %v, %v", at, receipts, err)
	}
	if kept, err := os.ReadDir(filepath.Join(a.State, "receipts")); err != nil || len(kept) != 1 {
		t.Errorf("killed at %d: the state holds %v, %v; want the one receipt", at, kept, err)
	}
}

// killed runs the test binary, which kills itself at a stage of its job, and says
// whether it came to that.
func killed(t *testing.T, job string, at int) bool {
	t.Helper()
	cmd := exec.Command(testenv.Must(os.Executable())(t))
	cmd.Env = append(os.Environ(), job, "STEWARD_TEST_DIE_AT="+strconv.Itoa(at))
	var exit *exec.ExitError
	err := cmd.Run()
	if !errors.As(err, &exit) {
		testenv.OK(t, err)
		return false
	}
	if !exit.Sys().(syscall.WaitStatus).Signaled() {
		t.Fatalf("died at %d by %v, not by the signal", at, err)
	}
	return true
}

func applyAndDie(a engine.Applier, plan report.Plan, at string) {
	n, _ := strconv.Atoi(at)
	a.Step = func(string) {
		if n--; n == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			time.Sleep(time.Minute)
		}
	}
	if _, err := a.Apply(context.Background(), plan, plan.ID, "install", discard); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// sandboxed is a machine on which a process has a mount on a file.
type sandboxed struct {
	host.Reader
	file string
}

func (s sandboxed) ReadDir(path string) ([]os.DirEntry, error) {
	if path != "/proc" {
		return s.Reader.ReadDir(path)
	}
	return []os.DirEntry{process("self"), process("70"), process("7")}, nil
}

func (s sandboxed) Readlink(path string) (string, error) {
	if path == "/proc/self/ns/mnt" {
		return "mnt:[1]", nil
	}
	return "mnt:[2]", nil
}

func (s sandboxed) Read(path string) ([]byte, error) {
	if filepath.Base(path) == "mountinfo" {
		return []byte("31 1 0:1 / / rw - ext4 x rw\n32 31 0:1 / " + s.file + " ro - ext4 x rw\n"), nil
	}
	return s.Reader.Read(path)
}

// process is an entry of /proc.
type process string

func (p process) Name() string               { return string(p) }
func (p process) IsDir() bool                { return true }
func (p process) Type() os.FileMode          { return os.ModeDir }
func (p process) Info() (os.FileInfo, error) { return nil, os.ErrNotExist }

func TestACommandThatRunsIsNamedBeforeItsFileIsReplaced(t *testing.T) {
	home := newHome(t)
	h, _, plan := world(home)
	file := filepath.Join(home, ".claude", "settings.json")
	found := engine.Running(sandboxed{h, file}, plan.Sections[0])
	if len(found) != 1 || found[0].Status != report.Warn || !strings.Contains(found[0].Summary, "(process 7)") {
		t.Errorf("says %+v", found)
	}
	if found := engine.Running(sandboxed{h, file + ".other"}, plan.Sections[0]); found != nil {
		t.Errorf("of a file that is not replaced: %+v", found)
	}
}
