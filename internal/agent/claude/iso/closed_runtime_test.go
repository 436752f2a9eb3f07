// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a command in the background does to the directory that the
// policy lies in decides nothing about the next start.

package iso_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestACommandCannotCloseTheDirectoryOfThePolicy: it takes the directory's rights
// away for as long as it runs, and a plain start meanwhile has no policy. The runtime
// puts the mode back when the session ends, unless it is killed. Run with 2.1.324 and
// 2.1.330.
func TestACommandCannotCloseTheDirectoryOfThePolicy(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	const entry = `,"denyWrite":["` + claude.KeepsDir + `"]`
	for _, c := range []struct {
		name, entry      string
		hardened, closed bool
	}{{"plain, no entry", "", false, true}, {"plain", entry, false, false}, {"claude-iso, no entry", "", true, false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.settings(`{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"],"allowRead":["."]` + c.entry + `}}}`)
			l.approve()
			loop := model.Bash("timeout 60 sh -c 'while :; do chmod 0 .claude; sleep 0.02; done' 2>/dev/null")
			loop.Input["run_in_background"] = true
			end := l.begun(c.hardened, calls(loop, model.Bash("sleep 1")))
			said := l.plain("p", calls(open(filepath.Join(l.home, "secret.txt")))...).text(t, 0)
			want := c.closed && os.Getuid() != 0 // a mode keeps nothing from root
			if open := strings.Contains(said, secret); open != want {
				t.Errorf("a start beside it reads the home %v, want %v: %q", open, want, said)
			}
			end()
			dir := filepath.Join(l.project, claude.Dir)
			info, err := os.Stat(dir)
			if err != nil {
				t.Fatal(err)
			}
			if closed := info.Mode().Perm() == 0; closed != c.closed {
				t.Errorf("the directory has mode %v, want closed %v", info.Mode().Perm(), c.closed)
			}
			for again := true; again; { // the command ends a moment after the session
				testenv.OK(t, os.Chmod(dir, 0o755))
				time.Sleep(500 * time.Millisecond)
				info, err := os.Stat(dir)
				again = err == nil && info.Mode().Perm() == 0
			}
		})
	}
}

// begun plays a session of which a command goes on; end kills it.
func (l *lab) begun(hardened bool, script []model.Turn) (end func()) {
	l.t.Helper()
	path, argv, environ := l.claude(script), append([]string{"claude"}, headless...), l.environ()
	if hardened {
		launch, err := l.prepare("p", iso.Options{Args: headless})
		if err != nil {
			l.t.Fatal(err)
		}
		path, argv, environ = launch.Runtime.Path, launch.Argv, launch.Environ
	}
	cmd := exec.Command(path)
	cmd.Args, cmd.Env, cmd.Dir = argv, environ, l.project
	testenv.OK(l.t, cmd.Start())
	select {
	case <-l.server.Played(): // whether the second command works is up to the first
	case <-time.After(testenv.Patience):
		l.t.Error("the session did not make its calls")
	}
	return func() {
		testenv.OK(l.t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	}
}

// TestASessionWorksInAWorktreeBelowTheClosedDirectory: one that the launch or the
// runtime makes. Run with 2.1.324 and 2.1.330.
func TestASessionWorksInAWorktreeBelowTheClosedDirectory(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	for _, hardened := range []bool{false, true} {
		l := newLab(t)
		l.settings(`{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"],"allowRead":["."],"denyWrite":["` +
			claude.KeepsDir + `"]}}}`)
		l.git("commit", "-qam", "entry")
		l.approve()
		script := calls(model.Bash("pwd && touch new.txt && echo made"), model.Bash("git add new.txt"),
			model.Bash("git -c user.name=x -c user.email=x@y.invalid commit -qm new && echo committed"))
		args := []string{"-w", "below"}
		start := func() session { return l.plainWith("p", args, script...) }
		if hardened {
			start = func() session { return l.hardened("p", iso.Options{Args: args}, script...) }
		}
		s := start()
		if said := s.text(t, 0); !strings.Contains(said, "/.claude/worktrees/below") || !strings.Contains(said, "made") {
			t.Errorf("hardened %v: %q", hardened, said)
		}
		if said := s.text(t, 2); !strings.Contains(said, "committed") {
			t.Errorf("hardened %v: %q", hardened, said)
		}
	}
}
