// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: on a terminal each file is a question, and no is an answer.

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/sync"
)

// twoMachines is a bare remote with a clone in a home, and one elsewhere.
func twoMachines(t *testing.T) (n *newcomer, repo, away, remote string) {
	t.Helper()
	testenv.Need(t, "git")
	home := testenv.Home(t)
	n = &newcomer{t: t, home: home, project: home, environ: testenv.Env(t, home, "PATH=/usr/bin:/bin", "TERM=xterm")}
	n.write(filepath.Join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.invalid\n", 0o644)
	top := t.TempDir()
	remote, away, repo = filepath.Join(top, "remote.git"), filepath.Join(top, "away"),
		filepath.Join(home, ".claude-config")
	gitIn(t, top, "init", "-q", "--bare", "-b", "main", remote)
	gitIn(t, top, "clone", "-q", remote, away)
	n.write(filepath.Join(away, "CLAUDE.md"), "be kind\n", 0o644)
	pushAll(t, away, "one")
	gitIn(t, top, "clone", "-q", remote, repo)
	return n, repo, away, remote
}

// pushAll commits everything in dir and pushes it.
func pushAll(t *testing.T, dir, message string) {
	t.Helper()
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-qm", message)
	gitIn(t, dir, "push", "-q", "origin", "HEAD:main")
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Bob", "-c", "user.email=bob@example.invalid"},
		args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestSyncPushAsksForEachFile(t *testing.T) {
	n, repo, away, remote := twoMachines(t)
	n.write(filepath.Join(away, "scripts", "hook.sh"), "echo theirs\n", 0o644)
	pushAll(t, away, "a hook")
	n.write(filepath.Join(repo, "CLAUDE.md"), "be kinder\n", 0o644)
	n.write(filepath.Join(repo, "memory", "p", "note.md"), "note\n", 0o644)

	term := n.start("sync", "push", "--plain")
	term.Answer("Take what arrives?", "n\r")
	term.Ends(1)
	if _, err := os.Stat(filepath.Join(repo, "scripts")); err == nil {
		t.Error("the hook was taken without a yes")
	}

	term = n.start("sync", "push", "--plain")
	term.Answer("Take what arrives?", "y\r")
	term.Answer("Commit ~/.claude-config/CLAUDE.md?", "y\r")
	term.Answer("Commit ~/.claude-config/memory/p/note.md?", "n\r")
	term.Sees("Message: Update CLAUDE.md")
	term.Answer("Commit 1 file and push?", "y\r")
	term.Sees("Pushed.")
	term.Ends(0)
	if got := gitIn(t, remote, "log", "--format=%an %s", "main"); got != "Ada Update CLAUDE.md\nBob a hook\nBob one\n" {
		t.Errorf("the remote has %q", got)
	}
	if got := gitIn(t, repo, "status", "--porcelain"); got != "?? .sync.lock\n?? memory/\n" {
		t.Errorf("git says %q", got)
	}
}

func TestSyncPullShowsWhatRuns(t *testing.T) {
	testenv.AsUser(t)
	n, repo, away, _ := twoMachines(t)
	n.write(filepath.Join(away, "commands", "deploy.md"), "!`curl evil`\n", 0o644)
	pushAll(t, away, "a command")
	for _, answer := range []string{"n", "y"} {
		term := n.start("sync", "pull", "--plain")
		term.Sees("curl evil")
		term.Answer("Take these files? [y/N]", answer+"\r")
		code := term.Exit()
		_, err := os.Stat(filepath.Join(repo, "commands", "deploy.md"))
		if taken := err == nil; taken != (answer == "y") || (code == 0) != taken {
			t.Errorf("%s: taken: %v, exit code %d", answer, taken, code)
		}
	}
}

// TestSyncOnAScreen: the page of a pull takes no for an answer; that of a push
// pushes what it showed, by the message that was typed there.
func TestSyncOnAScreen(t *testing.T) {
	testenv.AsUser(t)
	n, repo, away, remote := twoMachines(t)
	n.write(filepath.Join(away, "commands", "deploy.md"), "deploy\n", 0o644)
	pushAll(t, away, "a command")
	term := n.start("sync", "pull")
	term.Answer("commands/deploy.md", "q")
	term.Sees("Nothing was written.")
	term.Ends(1)
	if _, err := os.Stat(filepath.Join(repo, "commands")); err == nil {
		t.Error("the command was taken without a yes")
	}
	n.write(filepath.Join(repo, "memory", "p", "a.md"), "a\n", 0o644)
	n.write(filepath.Join(repo, "CLAUDE.md"), "be kinder\n", 0o644)
	term = n.start("sync", "push")
	term.Answer("Which files are committed?", "\x1b[B\x1b[B\x1b[B\x1b[B\x1b[B\x1b[B\r") // the message
	term.Answer("It is pushed with the commit.", "\x15mine\r")
	term.Answer("your answer", "\x1b")
	term.Answer("enter push", "\r")
	term.Sees("Pushed.")
	term.Ends(0)
	if got := gitIn(t, remote, "log", "--format=%an %s", "main"); got != "Ada mine\nBob a command\nBob one\n" {
		t.Errorf("the remote has %q", got)
	}
}

func TestAPlanIsWrittenUnderTheLock(t *testing.T) {
	home := testenv.Home(t)
	repo := filepath.Join(home, ".claude-config")
	testenv.OK(t, os.Mkdir(repo, 0o700))
	sys := env.System{Env: env.New([]string{"HOME=" + home, "PATH=/nowhere"}), GOOS: "linux", Cwd: home, Now: time.Now}
	h := testenv.Must(host.New(sys))(t)
	path := filepath.Join(repo, "new")
	plan := report.NewPlan([]report.Section{{ID: "x",
		Items: []report.Item{report.Change{ID: "x/new", Path: path, Target: path,
			After: []byte("x\n"), Mode: 0o600}}}})
	a := &app{sys: sys, out: &bytes.Buffer{}, errw: &bytes.Buffer{}}
	write := func() error {
		return a.change(h, planFlags{}, sync.LinkCommand, "").writeLocked(context.Background(), plan, func(engine.Event) {})
	}
	unlock := testenv.Must(sync.Lock(h))(t)
	if err := write(); err == nil || !strings.Contains(err.Error(), "another sync is running") {
		t.Errorf("written beside another sync: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is there")
	}
	unlock()
	if err := write(); err != nil {
		t.Error(err)
	}
}
