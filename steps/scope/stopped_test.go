// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whole-user scope that was stopped or killed anywhere has
// broken no hook, the next run goes on, and the way back is whole.

package scope_test

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

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/scope"
)

// TestAProcessThatIsKilled is the process that TestKilledWholeUserScopeGoesOn
// kills.
func TestAProcessThatIsKilled(t *testing.T) {
	path, at := os.Getenv("STEWARD_TEST_SCOPE"), os.Getenv("STEWARD_TEST_DIE_AT")
	if path == "" {
		return // the other test starts it
	}
	h := home{t, path}
	left, err := strconv.Atoi(at)
	if err != nil {
		t.Fatal(err)
	}
	a := h.applier()
	a.Step = func(string) {
		if left--; left == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			time.Sleep(time.Hour)
		}
	}
	p, err := h.whole(scope.Options{Agent: setup.Settings{}})
	if err != nil {
		t.Fatal(err)
	}
	h.apply(a, p.Plan, scope.WholeUserCommand)
}

func (h home) applier() engine.Applier {
	return engine.Applier{State: h.at(".local/state/steward-setup"), Version: "test", Now: time.Now}
}

// several is a home with worktrees to write to.
func several(t *testing.T) home {
	t.Helper()
	h := newHome(t)
	for _, name := range []string{"code/a", "code/b", "code/c"} {
		h.repo(name)
	}
	return h
}

// sound says what is wrong with a home in which a run was stopped: git is led
// to a directory without all hooks, a file is neither as before nor as planned,
// or one of another name was left.
func (h home) sound(t *testing.T, p report.Plan, stopped string) {
	t.Helper()
	b, _ := os.ReadFile(h.at(".gitconfig"))
	for _, name := range scripts.GitHooks {
		if _, err := os.Stat(h.at(".claude/git-hooks/" + name)); err != nil && strings.Contains(string(b), "git-hooks") {
			t.Errorf("%s: core.hooksPath leads to a directory without %s", stopped, name)
		}
	}
	may := map[string][]string{}
	for _, c := range p.Changes() {
		if c.Before != nil {
			may[c.Target] = append(may[c.Target], string(c.Before))
		}
		may[c.Target] = append(may[c.Target], string(c.After))
	}
	for path, texts := range may {
		b, err := os.ReadFile(path)
		known := errors.Is(err, os.ErrNotExist)
		for _, text := range texts {
			known = known || string(b) == text
		}
		if !known {
			t.Errorf("%s: %s holds %q", stopped, path, b)
		}
	}
}

// goesOn makes the next plan, applies it, and goes back.
func (h home) goesOn(t *testing.T, whole, before, stopped string) {
	t.Helper()
	a := h.applier()
	p, err := h.whole(scope.Options{Agent: setup.Settings{}})
	if err != nil {
		t.Fatalf("%s: %v", stopped, err)
	}
	h.apply(a, p.Plan, scope.WholeUserCommand)
	if got := h.files(); got != whole {
		t.Errorf("%s: the next run has not gone on:\n%s\nwant\n%s", stopped, got, whole)
	}
	h.apply(a, h.back(a), scope.PerProjectCommand)
	if got := h.files(); got != before {
		t.Errorf("%s: back is not as before:\n%s\nwant\n%s", stopped, got, before)
	}
}

// wholeFiles are the files of such a home after a run that nothing stopped.
func wholeFiles(t *testing.T, h home, p report.Plan, before string) string {
	t.Helper()
	a := h.applier()
	receipt := h.apply(a, p, scope.WholeUserCommand)
	whole := h.files()
	r, back, err := a.UndoPlan(h.reader(), receipt)
	if err == nil {
		err = a.Undo(t.Context(), r, back, back.ID, func(engine.Event) {})
	}
	if err != nil || h.files() != before {
		t.Fatal(err, "undo is not exact")
	}
	return whole
}

func TestStoppedWholeUserScopeGoesOn(t *testing.T) {
	testenv.AsUser(t)
	h := several(t)
	before := h.files()
	p, err := h.whole(scope.Options{Agent: setup.Settings{}})
	if err != nil {
		t.Fatal(err)
	}
	whole := wholeFiles(t, h, p.Plan, before)
	for _, after := range []int{0, 1, 5, 12, len(p.Plan.Changes()) - 1} {
		ctx, stop := context.WithCancel(t.Context())
		if after == 0 {
			stop()
		}
		_, err := h.applier().Apply(ctx, p.Plan, p.Plan.ID, scope.WholeUserCommand, func(e engine.Event) {
			if done, ok := e.(engine.ChangeDone); ok && done.Index == after {
				stop()
			}
		})
		stop()
		stopped := "stopped after " + strconv.Itoa(after)
		if err == nil {
			t.Fatalf("%s: no error", stopped)
		}
		if after == 0 && h.files() != before {
			t.Error("something was written")
		}
		h.sound(t, p.Plan, stopped)
		h.goesOn(t, whole, before, stopped)
	}
}

func TestKilledWholeUserScopeGoesOn(t *testing.T) {
	testenv.AsUser(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := several(t)
	before := h.files()
	p, err := h.whole(scope.Options{Agent: setup.Settings{}})
	if err != nil {
		t.Fatal(err)
	}
	whole := wholeFiles(t, h, p.Plan, before)
	for _, at := range []int{1, 6, 14, 40, 110} {
		cmd := exec.Command(exe, "-test.run", "^TestAProcessThatIsKilled$")
		cmd.Env = append(os.Environ(), "STEWARD_TEST_SCOPE="+h.path, "STEWARD_TEST_DIE_AT="+strconv.Itoa(at))
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || !exit.Sys().(syscall.WaitStatus).Signaled() {
			t.Fatalf("at %d: %v\n%s", at, err, out)
		}
		stopped := "killed at " + strconv.Itoa(at)
		h.sound(t, p.Plan, stopped)
		h.goesOn(t, whole, before, stopped)
		if left, _ := filepath.Glob(h.at(".claude/git-hooks/*")); left != nil {
			t.Errorf("%s: left behind: %v", stopped, left)
		}
	}
}
