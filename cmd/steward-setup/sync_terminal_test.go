// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: on a terminal each file is a question, and no is an answer.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
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
	gitIn(t, away, "add", "-A")
	gitIn(t, away, "commit", "-qm", "one")
	gitIn(t, away, "push", "-q", "origin", "HEAD:main")
	gitIn(t, top, "clone", "-q", remote, repo)
	return n, repo, away, remote
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
	gitIn(t, away, "add", "-A")
	gitIn(t, away, "commit", "-qm", "a hook")
	gitIn(t, away, "push", "-q", "origin", "HEAD:main")
	n.write(filepath.Join(repo, "CLAUDE.md"), "be kinder\n", 0o644)
	n.write(filepath.Join(repo, "memory", "p", "note.md"), "note\n", 0o644)

	term := n.start("sync", "push", "--plain")
	term.Sees("Take what arrives?")
	term.Type("n\r")
	if code := term.Exit(); code != 1 {
		t.Errorf("no, and exit code %d", code)
	}
	if _, err := os.Stat(filepath.Join(repo, "scripts")); err == nil {
		t.Error("the hook was taken without a yes")
	}

	term = n.start("sync", "push", "--plain")
	term.Sees("Take what arrives?")
	term.Type("y\r")
	term.Sees("Commit ~/.claude-config/CLAUDE.md?")
	term.Type("y\r")
	term.Sees("Commit ~/.claude-config/memory/p/note.md?")
	term.Type("n\r")
	term.Sees("Message: Update CLAUDE.md")
	term.Sees("Commit 1 file and push?")
	term.Type("y\r")
	term.Sees("Pushed.")
	if code := term.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got := gitIn(t, remote, "log", "--format=%an %s", "main"); got != "Ada Update CLAUDE.md\nBob a hook\nBob one\n" {
		t.Errorf("the remote has %q", got)
	}
	if got := gitIn(t, repo, "status", "--porcelain"); got != "?? .sync.lock\n?? memory/\n" {
		t.Errorf("git says %q", got)
	}
}

func TestSyncPullShowsWhatRuns(t *testing.T) {
	n, repo, away, _ := twoMachines(t)
	n.write(filepath.Join(away, "commands", "deploy.md"), "!`curl evil`\n", 0o644)
	gitIn(t, away, "add", "-A")
	gitIn(t, away, "commit", "-qm", "a command")
	gitIn(t, away, "push", "-q", "origin", "HEAD:main")
	for _, answer := range []string{"n", "y"} {
		term := n.start("sync", "pull", "--plain")
		term.Sees("curl evil")
		term.Sees("Take these files? [y/N]")
		term.Type(answer + "\r")
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
	n, repo, away, remote := twoMachines(t)
	n.write(filepath.Join(away, "commands", "deploy.md"), "deploy\n", 0o644)
	gitIn(t, away, "add", "-A")
	gitIn(t, away, "commit", "-qm", "a command")
	gitIn(t, away, "push", "-q", "origin", "HEAD:main")
	term := n.start("sync", "pull")
	term.Sees("commands/deploy.md")
	term.Type("q")
	term.Sees("Nothing was written.")
	if code := term.Exit(); code != 1 {
		t.Errorf("quit, and exit code %d", code)
	}
	if _, err := os.Stat(filepath.Join(repo, "commands")); err == nil {
		t.Error("the command was taken without a yes")
	}
	n.write(filepath.Join(repo, "memory", "p", "a.md"), "a\n", 0o644)
	n.write(filepath.Join(repo, "CLAUDE.md"), "be kinder\n", 0o644)
	term = n.start("sync", "push")
	term.Sees("Which files are committed?")
	term.Type("\x1b[B\x1b[B\x1b[B\x1b[B\x1b[B\x1b[B\r") // the message
	term.Sees("It is pushed with the commit.")
	term.Type("\x15mine\r")
	term.Sees("your answer")
	term.Type("\x1b")
	term.Sees("enter push")
	term.Type("\r")
	term.Sees("Pushed.")
	if code := term.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got := gitIn(t, remote, "log", "--format=%an %s", "main"); got != "Ada mine\nBob a command\nBob one\n" {
		t.Errorf("the remote has %q", got)
	}
}
