// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a sandboxed command made, and where no policy is
// found, is tried with the real runtime, on a plain start first.

package iso_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/model"
)

// TestWhatACommandMakesIsNoProject: a sandboxed command makes a repository
// below the project; the next start is in it.
func TestWhatACommandMakesIsNoProject(t *testing.T) {
	for name, command := range map[string]string{
		"an empty .git":                  `python3 -c "import os; os.mkdir('sub/.git')"`,
		"a repository":                   "git init -q sub",
		"a .git file to an approved one": `python3 -c "open('sub/.git','w').write('gitdir: ../.git')"`,
		"a repository with a weaker policy": `python3 -c "
import os
os.mkdir('sub/.git'); os.mkdir('sub/.claude')
open('sub/.claude/settings.json','w').write('{\"sandbox\":{\"enabled\":true,\"filesystem\":{\"allowRead\":[\"~/\"]}}}')"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.approve()
			l.hardened("p", iso.Options{}, calls(model.Bash(command))...)
			if _, err := os.Lstat(filepath.Join(l.project, "sub", ".git")); err != nil {
				t.Fatalf("the command made nothing: %v", err)
			}
			script := calls(open(filepath.Join(l.home, "secret.txt")), open(filepath.Join(l.project, ".env")), readTool(filepath.Join(l.project, ".env")), model.Bash("echo sandboxed=$SANDBOX_RUNTIME"))
			s := l.plain("p/sub", script...)
			if got := s.text(t, 0); !strings.Contains(got, secret) {
				t.Fatalf("the attack does not even work on a plain start: %s", got)
			}
			s = l.hardened("p/sub", iso.Options{}, script...)
			for i := range 3 {
				if got := s.text(t, i); strings.Contains(got, secret) {
					t.Errorf("call %d prints the secret", i)
				}
			}
			if got := s.text(t, 3); got != "sandboxed=1" {
				t.Errorf("an ordinary command got %q", got)
			}
		})
	}
}

// TestWithoutAPolicyNothingStarts: in a fresh clone, outside a repository, in
// the home.
func TestWithoutAPolicyNothingStarts(t *testing.T) {
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
	for _, git := range []bool{false, true} {
		l := newLab(t)
		if err := os.Remove(filepath.Join(l.project, ".claude", "settings.json")); err != nil {
			t.Fatal(err)
		}
		l.put(".claude/settings.json", `{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"]}},"permissions":{"deny":["Read(**/.env)"]}}`)
		if git {
			l.put("p/sub/.git/x", "")
		}
		script := calls(readTool(filepath.Join(l.project, ".env")), open(filepath.Join(l.project, ".env")), open(filepath.Join(l.project, "sub", ".env")), readTool(filepath.Join(l.project, "sub", ".env")))
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
