// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: approving is done by a person at a terminal, as here.

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestApproving walks the way from an unknown policy to a start, and on to one
// that somebody has changed.
func TestApproving(t *testing.T) {
	testenv.Need(t, "bwrap", "socat")
	n := newNewcomer(t)
	bin := t.TempDir()
	n.write(filepath.Join(bin, "claude"), "#!/bin/sh\nprintf 'STARTED %s\\n' \"$@\"\n", 0o755)
	n.environ = testenv.Env(t, n.home, "SHELL=/bin/bash", "PATH="+bin+":/usr/bin:/bin")
	settings := filepath.Join(n.project, ".claude", "settings.json")
	n.write(settings, `{"sandbox":{"enabled":true},"permissions":{"deny":["Bash(curl *)"],"allow":["Bash(make *)"]},
		"hooks":{"Stop":[{"hooks":[{"type":"command","command":"./tell.sh"}]}]}}`, 0o644)

	n.write(filepath.Join(n.project, "tell.sh"), "#!/bin/sh\n", 0o755)

	term := n.start("iso", "--approve")
	term.Answer("Load this hook of the project?", "n\r")
	term.Answer("Load this allow rule of the project?", "yes\r")
	term.Sees("Approve this?")
	if screen := term.Raw(); !strings.Contains(screen, `"Bash(curl *)"`) || !strings.Contains(screen, "./tell.sh") {
		t.Errorf("what is approved was not shown:\n%s", screen)
	}
	term.Type("\r")
	if code := term.Exit(); code != 1 || n.has(".local/state/steward-setup/approvals.json") {
		t.Fatalf("an empty answer approved it, exit code %d:\n%s", code, term.Screen())
	}

	term = n.start("iso", "--approve")
	term.Answer("Load this hook", "n\r")
	term.Answer("Load this allow rule", "yes\r")
	term.Answer("Approve this?", "yes\r")
	if code := term.Exit(); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, term.Screen())
	}

	run := func(below ...string) (code int, out string) {
		t.Helper()
		exe := testenv.Must(os.Executable())(t)
		cmd := exec.Command(exe, "iso", "hello")
		cmd.Args[0], cmd.Env, cmd.Dir = "steward-setup", n.environ, filepath.Join(n.project, filepath.Join(below...))
		b, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), string(b)
	}
	code, out := run()
	for _, want := range []string{"STARTED hello", "Bash(make *)", "not loaded: 1 hook", "is in force, as approved"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, no %q in:\n%s", code, want, out)
		}
	}
	if strings.Contains(out, "tell.sh") {
		t.Errorf("the hook that was not approved is handed over:\n%s", out)
	}
	// What a command can make below the project does not make it another one.
	n.write(filepath.Join(n.project, "sub", ".git", "x"), "", 0o644)
	if code, out := run("sub"); code != 0 || !strings.Contains(out, "Bash(curl *)") ||
		!strings.Contains(out, "~/code/tracker/sub is a repository that you have not approved: it counts as part of "+
			"~/code/tracker") {
		t.Errorf("below the project, exit code %d:\n%s", code, out)
	}
	if _, out := run(); strings.Contains(out, "not loaded") {
		t.Errorf("the same notice a second time:\n%s", out)
	}

	n.write(settings, `{"sandbox":{"enabled":false},"permissions":{"deny":["Bash(curl *)"]}}`, 0o644)
	code, out = run()
	for _, want := range []string{"has changed since you approved it", `-    "enabled": true`, `+    "enabled": false`,
		"iso --approve"} {
		if code != 1 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, no %q in:\n%s", code, want, out)
		}
	}
	if strings.Contains(out, "STARTED") {
		t.Error("the agent was started all the same")
	}

	// A linked worktree has the same policy, and needs no approval of its own.
	n.write(settings, `{"sandbox":{"enabled":true},"permissions":{"deny":["Bash(curl *)"]}}`, 0o644)
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-qm", "policy"}, {"worktree", "add", "-q", "../feature"}} {
		cmd := exec.Command("git", append([]string{"-C", n.project}, args...)...)
		cmd.Env = n.environ
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	n.project = filepath.Join(filepath.Dir(n.project), "feature")
	if code, out := run(); code != 0 || !strings.Contains(out, "STARTED hello") {
		t.Errorf("in a worktree: exit code %d:\n%s", code, out)
	}
}

// TestTheBannerOffersWhatCanBeApproved: a setting that is never loaded leads to no approval.
func TestTheBannerOffersWhatCanBeApproved(t *testing.T) {
	items := []iso.Item{{Kind: iso.Other, Name: "the setting env"}, {Kind: iso.Hook, Name: "Stop", Allowed: true},
		{Kind: iso.Server, Name: "db", Refused: "it is a symlink"}}
	open, never := isoMissed(iso.Launch{Items: items})
	if got := strings.Join(never, ", "); len(open) > 0 || got != "the setting env, the MCP server db" {
		t.Errorf("to approve: %q, never loaded: %q", open, got)
	}
	open, _ = isoMissed(iso.Launch{Items: append(items, iso.Item{Kind: iso.Hook})})
	if strings.Join(open, ", ") != "1 hook" {
		t.Errorf("to approve: %q", open)
	}
}

// TestTheBannerBreaksBetweenWords: what follows begins below the first word, and a line to paste stays whole.
func TestTheBannerBreaksBetweenWords(t *testing.T) {
	var out bytes.Buffer
	a := &app{sys: env.System{StdoutTTY: true, Columns: 40, Env: env.New([]string{"NO_COLOR=1"})}, errw: &out}
	a.dim("%s", "the project has no policy; your user policy is in force")
	a.dim("to review and load them:  /opt/a/very/long/place/steward-setup iso --approve")
	if want := `claude-iso  the project has no policy;
            your user policy is in force
claude-iso  to review and load them:
            /opt/a/very/long/place/steward-setup iso --approve
`; out.String() != want {
		t.Errorf("got\n%s", &out)
	}
}
