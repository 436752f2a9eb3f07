// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git is asked about a project once for all machines on which its answer depends on
// the same bytes: the git directory, the user's configuration, the environment. Where it could depend on
// more (the project is a linked worktree, another repository lies above, a file is included, objects lie
// elsewhere), each machine asks.

package checks_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// repository is all that git's answers about the project depend on beside its program and the
// environment, "" where that may be more.
func (m *Machine) repository() string {
	m.t.Helper()
	for _, dir := range []string{m.Project, m.Worktree} {
		real, err := filepath.EvalSymlinks(dir)
		if there := !os.IsNotExist(err); filepath.Dir(dir) != filepath.Dir(m.Project) || there && real != dir {
			return ""
		}
	}
	for name := range m.Env {
		if strings.HasPrefix(name, "GIT_") || name == "HOME" || name == "XDG_CONFIG_HOME" {
			return ""
		}
	}
	for dir := filepath.Dir(m.Project); pathname.Within(dir, m.dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); !os.IsNotExist(err) {
			return ""
		}
	}
	linked := func(path string) bool { return filepath.Base(filepath.Dir(filepath.Dir(path))) == "worktrees" }
	var b strings.Builder
	_, err := os.Stat(m.Worktree)
	fmt.Fprintln(&b, err == nil)
	for _, root := range []string{m.Project + "/.git", m.Worktree + "/.git", m.at("~/.gitconfig"), m.at("~/.config/git")} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil || !info.IsDir() && !info.Mode().IsRegular() ||
				slices.Contains([]string{"modules", "alternates", "commondir", "config.worktree"}, d.Name()) && !linked(path) {
				return fs.ErrInvalid
			}
			fmt.Fprintf(&b, "%s %v ", strings.TrimPrefix(path, m.dir), info.Mode())
			if info.IsDir() {
				return nil
			}
			content, err := os.ReadFile(path)
			if strings.Contains(strings.ToLower(string(content)), "include") && strings.HasSuffix(d.Name(), "config") {
				return fs.ErrInvalid
			}
			fmt.Fprintf(&b, "%q\n", content)
			if d.Name() == "gitdir" && linked(path) && string(content) != m.Worktree+"/.git\n" {
				return fs.ErrInvalid
			}
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			return ""
		}
	}
	return strings.ReplaceAll(b.String(), m.dir, place)
}

// counting counts what its git is asked.
type counting struct {
	host.Reader
	runs *int
}

func (c counting) Run(ctx context.Context, s proc.Spec) proc.Result {
	*c.runs++
	return c.Reader.Run(ctx, s)
}

func TestGitIsAskedOnce(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	usual := build(t, usualSetup)
	usual.Env["ASKED_BY"] = t.Name() // so that no other test has asked
	include := func(m *Machine) {
		m.write("~/.gitconfig", "[include]\n\tpath = ~/more\n", 0o644)
		m.write("~/more", "[steward]\n\tfrom = "+m.Home+"\n", 0o644)
	}
	variable := func(m *Machine) {
		m.Env["GIT_CONFIG_GLOBAL"] = m.at("~/more")
		m.write("~/more", "[steward]\n\tfrom = "+m.Home+"\n", 0o644)
	}
	for _, c := range []struct {
		name   string
		change func(*Machine)
		anew   bool
	}{
		{"the first machine", func(*Machine) {}, true},
		{"the next one", func(*Machine) {}, false},
		{"one with other files beside it", func(m *Machine) { m.write("~/code/tracker/x", "", 0o644) }, false},
		{"one with another commit", func(m *Machine) {
			m.git(m.Project, "-c", "user.name=x", "-c", "user.email=x", "commit", "--allow-empty", "-qm", "x")
		}, true},
		{"one whose linked worktree is another repository", func(m *Machine) {
			testenv.OK(t, os.Remove(m.Worktree+"/.git"))
			m.git(m.Worktree, "init", "-q")
		}, true},
		{"one with a configuration of its own", func(m *Machine) { m.git(m.Project, "config", "steward.x", "y") }, true},
		{"one with a configuration of the user's", func(m *Machine) { m.write("~/.gitconfig", "[steward]\n", 0o644) }, true},
		{"one whose configuration includes a file", include, true},
		{"the same again", include, true},
		{"one without its linked worktree", func(m *Machine) { testenv.OK(t, os.RemoveAll(m.Worktree)) }, true},
		{"one below another repository", func(m *Machine) { m.git(m.Home, "init", "-q") }, true},
		{"one with a variable for git", variable, true},
		{"the same again", variable, true},
	} {
		m, runs := copyOf(t, usual), 0
		c.change(m)
		answers := func(r host.Reader) string {
			_, trees, err := gitrepo.Around(t.Context(), r, m.Project)
			config, errConfig := gitrepo.RepoConfig(t.Context(), r, m.Project)
			return fmt.Sprint(trees, err, config, errConfig)
		}
		said := answers(m.knowing(counting{m.host(), &runs}))
		if real := answers(m.host()); runs > 0 != c.anew || said != real {
			t.Errorf("%s: git was started %d times: %s, it says %s", c.name, runs, said, real)
		}
	}
}
