// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package sample makes the throwaway home that `try` works in: a user with
// settings of their own, a repository, and two linked worktrees.
//
// Contract: everything lies in one scratch directory, which the caller
// removes. Nothing outside it is read or written.
package sample

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Agent is what the home holds of an agent: the user's settings, and the path of
// the settings in a project that git ignores there.
type Agent struct{ Settings, Ignored string }

// files are the home's files below it. The credentials are what the setup is
// there to hide; they are obviously fake.
var files = []struct {
	name, content string
	secret        bool
}{
	{".bashrc", "# sample\nexport EDITOR=vim\n", false},
	{".gitconfig", "[user]\n\tname = Sample\n\temail = sample@example.invalid\n", false},
	{".local/state/.keep", "", false},
	{".cache/.keep", "", false},
	{".aws/credentials", "[default]\naws_access_key_id = SAMPLE\naws_secret_access_key = not-a-secret\n", true},
	{".ssh/id_ed25519", "not a key\n", true},
	{"code/tracker/README.md", "# tracker\n\nA sample project.\n", false},
	{"code/tracker/go.mod", "module example.invalid/tracker\n", false},
}

// Home is a throwaway home.
type Home struct {
	// Dir is the home, Project the repository's main worktree.
	Dir, Project string
	// Remove removes everything.
	Remove func() error
}

// New makes a throwaway home with git from sys's PATH.
func New(ctx context.Context, sys env.System, own Agent) (Home, error) {
	scratch, remove, err := fs.Scratch()
	if err != nil {
		return Home{}, fmt.Errorf("no scratch directory could be made: %w", err)
	}
	h := Home{Dir: filepath.Join(scratch, "home"), Project: filepath.Join(scratch, "home", "code", "tracker"),
		Remove: remove}
	if err := h.fill(ctx, sys, own); err != nil {
		_ = remove()
		return Home{}, err
	}
	return h, nil
}

func (h Home) fill(ctx context.Context, sys env.System, own Agent) error {
	places, err := h.System(sys).Places()
	if err != nil {
		return err
	}
	for _, f := range files {
		mode := iofs.FileMode(0o644)
		if f.secret {
			mode = 0o600
		}
		if err := fs.Put(filepath.Join(h.Dir, f.name), f.content, mode); err != nil {
			return err
		}
	}
	if err := errors.Join(fs.Put(places.UserSettings(), own.Settings, 0o600),
		fs.Put(filepath.Join(h.Project, ".gitignore"), "/bin/\n"+own.Ignored+"\n", 0o644)); err != nil {
		return err
	}
	runner := proc.Runner{Env: h.System(sys).Env}
	for _, spec := range []proc.Spec{
		proc.SampleInit(h.Project), proc.SampleAdd(h.Project), proc.SampleCommit(h.Project),
		proc.SampleWorktree(h.Project, filepath.Join(h.Dir, "code", "tracker-fix"), "fix"),
		proc.SampleWorktree(h.Project, filepath.Join(h.Dir, "code", "tracker release"), "release"),
	} {
		res := runner.Run(ctx, spec)
		if res.Missing() {
			return &report.Error{Code: report.ExitLeft, What: "git is not on PATH",
				Why: "the throwaway home has a git repository to set up", Next: gitrepo.InstallGit}
		}
		if !res.OK() {
			next := "fix what git reports, then run it again"
			if strings.Contains(strings.ToLower(res.Text()), "no space left") {
				next = "free space in " + filepath.Dir(filepath.Dir(h.Dir)) + ", or name another directory in TMPDIR"
			}
			return &report.Error{Code: report.ExitLeft, Where: res.Line, What: "the sample repository could not be made: " +
				res.Text(), Next: next}
		}
	}
	return nil
}

// System is sys as it would be for a user whose home this is: none of the real
// user's variables but those that a terminal program needs.
func (h Home) System(sys env.System) env.System {
	vars := []string{"HOME=" + h.Dir, "SHELL=/bin/bash"}
	for _, name := range []string{"PATH", "TERM", "COLORTERM", "LANG", "LC_ALL", "NO_COLOR", "USER", "LOGNAME", "TZ"} {
		if v, ok := sys.Lookup(name); ok {
			vars = append(vars, name+"="+v)
		}
	}
	sys.Env, sys.Cwd = env.New(vars), h.Project
	return sys
}
