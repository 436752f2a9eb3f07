// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a sandboxed command made, and where no policy is
// found, is tried with the real runtime, on a plain start first.

package iso_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestWhatACommandMakesIsNoProject: a sandboxed command makes a repository
// below the project; the next start is in it.
func TestWhatACommandMakesIsNoProject(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	l := newLab(t)
	l.approve()
	made := []struct{ what, command string }{
		{"an empty .git", `python3 -c "import os; os.makedirs('X/.git')"`},
		{"a repository", "git init -q X"},
		{"a .git file to an approved one", `mkdir X; python3 -c "open('X/.git','w').write('gitdir: ../.git')"`},
		{"a repository with a weaker policy", `python3 -c "
import os
os.makedirs('X/.git'); os.mkdir('X/.claude')
open('X/.claude/settings.json','w').write('{\"sandbox\":{\"enabled\":true,\"filesystem\":{\"allowRead\":[\"~/\"]}}}')"`},
	}
	dir := func(i int) string { return fmt.Sprintf("sub%d", i) }
	var commands []model.Call
	for i, m := range made {
		commands = append(commands, model.Bash(strings.ReplaceAll(m.command, "X", dir(i))))
	}
	l.hardened("p", iso.Options{}, calls(commands...)...)
	script := calls(openAny(filepath.Join(l.home, "secret.txt"), filepath.Join(l.project, ".env")),
		readTool(filepath.Join(l.project, ".env")), model.Bash("echo sandboxed=$SANDBOX_RUNTIME"))
	for i, m := range made {
		if _, err := os.Lstat(filepath.Join(l.project, dir(i), ".git")); err != nil {
			t.Errorf("%s: the command made nothing: %v", m.what, err)
		}
		if got := l.plain("p/"+dir(i), script[0]).text(t, 0); strings.Count(got, secret) != 2 {
			t.Errorf("%s: the attack does not even work on a plain start: %s", m.what, got)
		}
		s := l.hardened("p/"+dir(i), iso.Options{}, script...)
		for call := range 2 {
			if got := s.text(t, call); strings.Contains(got, secret) {
				t.Errorf("%s: call %d prints the secret", m.what, call)
			}
		}
		if got := s.text(t, 2); got != "sandboxed=1" {
			t.Errorf("%s: an ordinary command got %q", m.what, got)
		}
	}
}

// TestWithoutAPolicyNothingStarts: in a fresh clone, outside a repository, in
// the home.
func TestWithoutAPolicyNothingStarts(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	l := newLab(t)
	l.approve()
	l.put("clone/.git/HEAD", "ref: refs/heads/main\n")
	l.put("d/x", "")
	s := l.plain("clone", calls(open(filepath.Join(l.home, "secret.txt")))...)
	if got := s.text(t, 0); !strings.Contains(got, secret) {
		t.Fatalf("the attack does not even work on a plain start: %s", got)
	}
	for _, dir := range []string{"clone", "d", "."} {
		if _, err := l.prepare(dir, iso.Options{}); err == nil || !strings.Contains(err.Error(), iso.Unsandboxed) {
			t.Errorf("%s: %v", dir, err)
		}
		if _, err := l.prepare(dir, iso.Options{Anyway: true}); err != nil {
			t.Errorf("%s, told to: %v", dir, err)
		}
	}
	l.put(".claude/settings.json", `{"sandbox":{"enabled":true}}`)
	if _, err := l.prepare("clone", iso.Options{}); err != nil {
		t.Errorf("with a policy of the user's: %v", err)
	}
}

// TestTheUsersRulesHoldBelowTheRoot: with the policy in user scope, in a
// subdirectory and in one that was made a repository of its own.
func TestTheUsersRulesHoldBelowTheRoot(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	for _, git := range []bool{false, true} {
		l := newLab(t)
		if err := os.Remove(filepath.Join(l.project, ".claude", "settings.json")); err != nil {
			t.Fatal(err)
		}
		l.put(".claude/settings.json", `{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"]}},"permissions":{"deny":["Read(**/.env)"]}}`)
		if git {
			l.put("p/sub/.git/x", "")
		}
		script := calls(readTool(filepath.Join(l.project, ".env")), open(filepath.Join(l.project, ".env")),
			open(filepath.Join(l.project, "sub", ".env")), readTool(filepath.Join(l.project, "sub", ".env")))
		s := l.plain("p/sub", script...)
		if got := s.text(t, 0); !strings.Contains(got, secret) {
			t.Fatalf("the attack does not even work on a plain start: %s", got)
		}
		s = l.hardened("p/sub", iso.Options{}, script...)
		for i := range script {
			if got := s.text(t, i); strings.Contains(got, secret) {
				t.Errorf("call %d prints the secret (.git: %v): %s", i, git, got)
			}
		}
	}
}
