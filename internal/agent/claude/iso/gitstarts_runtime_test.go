// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what docs/protection.md says of git that somebody starts outside of a
// session, and of the commit at which a worktree begins, is what happens.

package iso_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestGitRunsWhatACommandInstalls: a text conversion of the user's own that npx
// starts is the file in node_modules that a sandboxed command made, when the user
// types "git diff".
func TestGitRunsWhatACommandInstalls(t *testing.T) {
	testenv.Need(t, "npx")
	inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
		l.put(".gitconfig", "[diff \"x\"]\n\ttextconv = npx totext\n")
		plant := "mkdir -p node_modules/.bin && printf '#!/bin/sh\\ntouch " + l.marks + "/totext\\ncat \"$1\"\\n' > " +
			"node_modules/.bin/totext && chmod +x node_modules/.bin/totext && echo '*.md diff=x' > .gitattributes && " +
			"echo more >> README.md && echo planted"
		if said := start(calls(model.Bash(plant), nothing)...).text(t, 0); !strings.Contains(said, "planted") {
			t.Fatalf("not planted: %q", said)
		}
		if l.marked("totext") {
			t.Fatal("it ran before")
		}
		cmd := exec.Command("git", "diff")
		cmd.Dir, cmd.Env = l.project, testenv.Env(t, l.home, "npm_config_offline=true",
			"GIT_CONFIG_GLOBAL="+l.home+"/.gitconfig")
		if out, err := cmd.CombinedOutput(); !l.marked("totext") {
			t.Errorf("it did not run: %v %s", err, out)
		}
	})
}

// TestAWorktreeWithoutThePolicy: "claude -w" begins at origin/main. Where the policy
// is not there yet, a command of the session reads the home; claude-iso has the
// policy of the checkout.
func TestAWorktreeWithoutThePolicy(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	for _, c := range []struct {
		name            string
		hardened, reads bool
	}{
		{"plain", false, true},
		{"claude-iso", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.git("rm", "-q", "-r", "--cached", ".claude")
			l.git("commit", "-q", "-m", "y")
			l.git("update-ref", "refs/remotes/origin/main", "HEAD")
			l.git("reset", "-q", "HEAD~1")
			l.approve()
			script := calls(open(l.home+"/secret.txt"), nothing)
			start := func() session { return l.plainWith("p", []string{"-w", "x"}, script...) }
			if c.hardened {
				start = func() session { return l.hardened("p", iso.Options{Args: []string{"-w", "x"}}, script...) }
			}
			if said := start().text(t, 0); strings.Contains(said, secret) != c.reads {
				t.Errorf("reads the home, want %v: %q", c.reads, said)
			}
		})
	}
}
