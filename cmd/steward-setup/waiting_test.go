// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever command it is, who waits for it sees how long.

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// slowly runs the program where each look at the clock takes so long, and
// returns what standard error gets. A tick comes as soon as ticks are asked for.
func slowly(t *testing.T, each time.Duration, terminal bool, args ...string) (out, errw string) {
	t.Helper()
	testenv.Need(t, "git")
	home, now := testenv.Home(t), time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	sys := env.System{Env: env.New(testenv.Env(t, home)), GOOS: "linux", UID: 1000, Cwd: home, StderrTTY: terminal,
		Now:   func() time.Time { now = now.Add(each); return now },
		Every: func(_ time.Duration, f func()) func() { f(); return func() {} }}
	var stdout, stderr bytes.Buffer
	run(context.Background(), sys, strings.NewReader(""), &stdout, &stderr, args)
	return stdout.String(), stderr.String()
}

// watched are commands that have nothing to say of their own while they work.
var watched = [][]string{{"history"}, {"undo", "--plan"}, {"uninstall", "--plan"}, {"project-root", "--dry-run"},
	{"scope", "show"},
	{"sync", "status"}, {"update", "--since-upgrade"}, {"iso", "--explain"}, {"doctor", "--explain", "apply-seccomp"}}

func TestNoCommandIsSilentForLong(t *testing.T) {
	t.Parallel()
	testenv.AsUser(t)
	for _, args := range watched {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			if _, errw := slowly(t, time.Second, true, args...); !strings.HasPrefix(errw, "\r1.0 s  working …\x1b[K\r") ||
				!strings.Contains(errw, "\r\x1b[K") {
				t.Errorf("on a terminal: %q", errw)
			}
			if out, errw := slowly(t, 6*time.Second, false, args...); !strings.HasPrefix(errw,
				"steward-setup: still working after 6 s\n") || strings.Contains(out, "working") {
				t.Errorf("elsewhere: %q", errw)
			}
		})
	}
}

func TestProgramsThatNobodyWaitsForSayNoTime(t *testing.T) {
	t.Parallel()
	testenv.AsUser(t)
	for _, args := range [][]string{{"completion", "bash"}, {"__complete", "doctor", ""}, {"help", "install"},
		{"hook", "status-line"}} {
		if _, errw := slowly(t, time.Minute, true, args...); strings.Contains(errw, "working") {
			t.Errorf("%v: %q", args, errw)
		}
	}
	if _, errw := slowly(t, time.Minute, false, "history", "--json"); strings.Contains(errw, "working") {
		t.Errorf("with --json: %q", errw)
	}
}

// TestAReaderThatLeavesEndsTheWork: once, at the first line that nobody reads.
func TestAReaderThatLeavesEndsTheWork(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	left := 0
	out, printed := watchOutput(w, func() { left++ })
	if _, err := out.Write([]byte("read\n")); err != nil || left != 0 || printed.unread() {
		t.Fatalf("with a reader: %v, left %d times", err, left)
	}
	r.Close()
	for range 2 {
		if _, err := out.Write([]byte("unread\n")); err == nil {
			t.Fatal("a line that nobody reads was written")
		}
	}
	if left != 1 || !printed.unread() {
		t.Errorf("left %d times, unread: %v", left, printed.unread())
	}
}

// TestAnAnswerThatNobodyReadsCounts: of a command that completed, grep -q in a pipe
// with pipefail gets the answer.
func TestAnAnswerThatNobodyReadsCounts(t *testing.T) {
	t.Parallel()
	home := testenv.Home(t)
	sys := env.System{Env: env.New(testenv.Env(t, home)), GOOS: "linux", UID: os.Getuid(), Cwd: home, Now: time.Now}
	for line, want := range map[string]int{"history": report.ExitOK, "verify --live=never": report.ExitUnprotected,
		"history --json": report.ExitOK, "verify --live=never --json": report.ExitUnprotected,
		"verify --what": report.ExitUsage} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if got := run(t.Context(), sys, strings.NewReader(""), w, io.Discard, strings.Fields(line)); got != want {
			t.Errorf("%s: exit code %d, want %d", line, got, want)
		}
		w.Close()
	}
}
