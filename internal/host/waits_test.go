// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"errors"
	"fmt"
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
		".gitconfig": "main", ".config/git/config": "loose", ".config/git/ignore": "main", ".config/git/attributes": "wt",
	} {
		path := filepath.Join(home, name)
		testenv.Mkdir(t, filepath.Dir(path))
		testenv.OK(t, syscall.Mkfifo(path, 0o600))
		for _, kind := range []string{"a FIFO", "a symlink to one"} {
			err := ask(dir)
			if waits, is := errors.AsType[*host.Waits](err); !is || waits.Path != path {
				t.Errorf("%s as %s: %v", name, kind, err)
			}
			pipe := filepath.Join(home, "pipe")
			if kind == "a FIFO" {
				testenv.OK(t, errors.Join(os.Rename(path, pipe), os.Symlink(pipe, path)))
			} else if err := errors.Join(os.Remove(path), os.Remove(pipe)); err != nil {
				t.Fatal(err)
			}
		}
		if _, is := errors.AsType[*host.Waits](ask(dir)); is {
			t.Errorf("%s: refused without a cause", name)
		}
	}
}

// TestGitDoesNotWaitForWhatIsAlwaysEmpty: a symlink to /dev/null is how a configuration is
// switched off.
func TestGitDoesNotWaitForWhatIsAlwaysEmpty(t *testing.T) {
	testenv.Need(t, "git")
	home := ground(t)
	for _, name := range []string{".gitconfig", ".config/git/ignore", "main/.gitmodules"} {
		testenv.Mkdir(t, filepath.Dir(filepath.Join(home, name)))
		testenv.Link(t, os.DevNull, filepath.Join(home, name))
	}
	h := at(t, home, "main", "/usr/bin:/bin")
	if waits := host.WaitsFor(h, filepath.Join(home, "main")); waits != nil {
		t.Error(waits)
	}
	testenv.OK(t, os.Remove(filepath.Join(home, ".gitconfig")))
	testenv.Link(t, "/dev/zero", filepath.Join(home, ".gitconfig"))
	if host.WaitsFor(h, "") == nil {
		t.Error("git would read a device without end")
	}
}

// TestGitReadsNoGigabytes: a file of one line that a command made large, of the work tree
// or of another one of its repository.
func TestGitReadsNoGigabytes(t *testing.T) {
	testenv.Need(t, "git")
	home := ground(t)
	h := at(t, home, "main", "/usr/bin:/bin")
	for _, name := range []string{"HEAD", "refs/stash", "worktrees/wt/gitdir", "worktrees/wt/HEAD"} {
		path := filepath.Join(home, "main/.git", name)
		before, there := os.ReadFile(path)
		write(t, path, "")
		testenv.OK(t, os.Truncate(path, 3<<30))
		for _, dir := range []string{"main", "wt"} {
			err := h.Run(t.Context(), proc.GitFiles(filepath.Join(home, dir))).Err
			if waits, is := errors.AsType[*host.Waits](err); !is || *waits != (host.Waits{Path: path, Huge: true}) {
				t.Errorf("%s, asked in %s: %v", name, dir, err)
			}
		}
		testenv.OK(t, os.Remove(path))
		if there == nil {
			write(t, path, string(before))
		}
	}
}

// TestGitDoesNotWaitForAnInclude: whoever names the FIFO is named, and git is not
// started where it would read that.
func TestGitDoesNotWaitForAnInclude(t *testing.T) {
	testenv.Need(t, "git")
	home := ground(t)
	write(t, filepath.Join(home, "main/.git/HEAD"), "ref: refs/heads/x\n")
	pipe := filepath.Join(home, "main/fifo")
	testenv.OK(t, syscall.Mkfifo(pipe, 0o600))
	write(t, filepath.Join(home, "main/more"), "[include]\n\tpath = fifo\n")
	h := at(t, home, "loose", "/usr/bin:/bin")
	ask := func(s proc.Spec) *host.Waits {
		short, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		waits, _ := errors.AsType[*host.Waits](h.Run(short, s).Err)
		return waits
	}
	files, user := proc.GitFiles(filepath.Join(home, "main")), proc.GitUserConfig()
	for _, c := range []struct {
		in, text   string
		line       int
		repo, user bool
	}{
		{"main/.git/config", "[core]\n\tbare = false\n[include]\n\tpath = ../fifo # x\n", 4, true, false},
		{"main/.git/config", "[include] path = \"" + pipe + "\"\n", 1, true, false},
		{"main/.git/config", "[core]\n\texcludesFile = ~/main/fifo\n", 2, true, false},
		{".gitconfig", "[includeIf \"gitdir:~/x\"]\nPath=main/fifo\n", 2, true, true},
		{".config/git/config", "[include]\r\n\tpath = ~/main/fifo\r\n", 2, true, true},
		{".gitconfig", "[include]\n\tpath = main/more\n", 0, true, true},
		{".gitconfig", "[include]\n\tpath = missing\n[alias]\n\tx = !cat fifo\n", 0, false, false},
		{".gitconfig", "[core]\n\texcludesFile = /dev/null\n\tattributesFile = /dev/null\n", 0, false, false},
		{"main/.git/config", "[submodule \"fifo\"]\n\tpath = sub\n[diff]\n\tpath = .\n", 0, false, false},
	} {
		write(t, filepath.Join(home, c.in), c.text)
		from := fmt.Sprintf("%s:%d", filepath.Join(home, c.in), c.line)
		if c.line == 0 {
			from = filepath.Join(home, "main/more") + ":2"
		}
		for spec, want := range map[*proc.Spec]bool{&files: c.repo, &user: c.user} {
			got := ask(*spec)
			if got != nil != want || got != nil && *got != (host.Waits{Path: pipe, From: from}) {
				t.Errorf("%s: %q: %s: %+v", c.in, c.text, spec, got)
			}
		}
		testenv.OK(t, os.Remove(filepath.Join(home, c.in)))
	}
}

// TestGitIsWaitedForOnce: in one round, a program called git that never answers is
// started once for each directory.
func TestGitIsWaitedForOnce(t *testing.T) {
	home := ground(t)
	write(t, filepath.Join(home, "bin/git"), "#!/bin/sh\necho >> \"$HOME/started\"\nexec sleep 600\n")
	round := host.Still(at(t, home, "loose", filepath.Join(home, "bin")+":/usr/bin:/bin"))
	for range 3 {
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		if res := round.Run(short, proc.GitFiles(filepath.Join(home, "main"))); res.Err == nil {
			t.Errorf("it answered: %+v", res)
		}
		cancel()
	}
	if b, err := os.ReadFile(filepath.Join(home, "started")); err != nil || string(b) != "\n" {
		t.Errorf("it was started as often as there are lines: %q, %v", b, err)
	}
}

// TestASlowRemoteIsNotOurGit: that a remote did not answer in time says nothing of
// other questions that are about no project.
func TestASlowRemoteIsNotOurGit(t *testing.T) {
	home := ground(t)
	write(t, filepath.Join(home, "bin/git"), "#!/bin/sh\ncase \" $* \" in *' fetch '*) exec sleep 600 ;; esac\n")
	round := host.Still(at(t, home, "loose", filepath.Join(home, "bin")+":/usr/bin:/bin"))
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if res := round.Run(short, proc.Bare{Dir: home}.Fetch("https://slow.invalid/x.git", "main")); res.Err == nil {
		t.Errorf("it answered: %+v", res)
	}
	if res := round.Run(t.Context(), proc.Bare{Dir: home}.Fetched()); !res.OK() {
		t.Errorf("git was not asked again: %+v", res)
	}
}
