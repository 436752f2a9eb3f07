// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestGitDoesNotWaitForAFIFO: also behind a symlink and in a linked worktree. The
// path is named.
func TestGitDoesNotWaitForAFIFO(t *testing.T) {
	testenv.Need(t, "git")
	home := ground(t)
	write(t, filepath.Join(home, "main/.git/HEAD"), "ref: refs/heads/x\n")
	h := at(t, home, "loose", "/usr/bin:/bin")
	ask := func(dir string) error {
		short, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		return h.Run(short, proc.GitFiles(filepath.Join(home, dir))).Err
	}
	for name, dir := range map[string]string{
		"main/.git/commondir": "main", "main/.git/config": "main", "main/.git/index": "main/.venv", "main/.gitignore": "main",
		"wt/sub/.gitattributes": "wt/sub", "main/.git/info/exclude": "wt", "main/.git/worktrees/wt/index": "wt",
		"loose/.git": "loose", "main/.git/refs/heads/x": "main",
	} {
		path := filepath.Join(home, name)
		testenv.Mkdir(t, filepath.Dir(path))
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{"a FIFO", "a symlink to one"} {
			err := ask(dir)
			if waits, is := errors.AsType[*host.Waits](err); !is || waits.Path != path {
				t.Errorf("%s as %s: %v", name, kind, err)
			}
			pipe := filepath.Join(home, "pipe")
			if kind == "a FIFO" {
				if err := errors.Join(os.Rename(path, pipe), os.Symlink(pipe, path)); err != nil {
					t.Fatal(err)
				}
			} else if err := errors.Join(os.Remove(path), os.Remove(pipe)); err != nil {
				t.Fatal(err)
			}
		}
		if _, is := errors.AsType[*host.Waits](ask(dir)); is {
			t.Errorf("%s: refused without a cause", name)
		}
	}
}
