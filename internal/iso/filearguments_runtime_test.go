// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a file that an argument names is not one that a command puts
// a symlink to another in the place of.

package iso_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// TestFilesOfArgumentsFollowSymlinks: plainly, the runtime's log goes where a
// symlink of a command leads, also one that is made in the session.
func TestFilesOfArgumentsFollowSymlinks(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	l := newLab(t)
	l.approve()
	l.put("old.txt", "old\n")
	old := filepath.Join(l.home, "old.txt")
	run := func() session {
		program := l.claude(calls(model.Bash("ln -sfn "+old+" debug.log; readlink debug.log"), model.Bash("true")))
		return l.run("p", program, append([]string{"claude", "--debug-file", "debug.log"}, headless...), l.environ())
	}
	if got := sessions.Steady(t, run).text(t, 0); !strings.Contains(got, old) {
		t.Fatalf("the command cannot make a symlink: %s", got)
	}
	if text, err := os.ReadFile(old); err != nil || len(text) < 100 {
		t.Errorf("the attack does not even work plainly: %q, %v", text, err)
	}
}

// TestFilesOfArguments: what commands can replace is refused.
func TestFilesOfArguments(t *testing.T) {
	l := launching(t)
	l.put("p/prompt.md", "")
	l.put("own.md", "")
	for name, to := range map[string]string{"up.md": "own.md", "in.md": "p/prompt.md"} {
		if err := os.Symlink(filepath.Join(l.home, to), filepath.Join(l.project, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args    []string
		refused bool
	}{
		{[]string{"--debug-file", "debug.log"}, true},
		{[]string{"-p", "--debug-file=logs/x"}, true},
		{[]string{"--debug-file", filepath.Join(l.home, "debug.log")}, false},
		{[]string{"--debug-file", "up.md"}, true},
		{[]string{"--append-system-prompt-file", "up.md"}, true},
		{[]string{"--system-prompt-file=up.md"}, true},
		{[]string{"--append-system-prompt-file", "in.md"}, false},
		{[]string{"--append-system-prompt-file", "prompt.md", "-p"}, false},
		{[]string{"--append-system-prompt-file", "../own.md"}, false},
		{[]string{"-p", "--", "--debug-file", "debug.log"}, false},
		{[]string{"--debug-file"}, false},
	} {
		_, err := l.prepare("p", iso.Options{Args: c.args})
		if e := (*report.Error)(nil); errors.As(err, &e) != c.refused || c.refused && (e.Code != report.ExitUsage ||
			e.Next == "") {
			t.Errorf("%q: %v", c.args, err)
		}
		if _, err := l.prepare("p", iso.Options{Args: c.args, Anyway: true}); err != nil {
			t.Errorf("%q with --anyway: %v", c.args, err)
		}
	}
}
