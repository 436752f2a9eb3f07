// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a project once approved stays one, and its approval is
// nobody else's, whatever .git and .claude are put below or beside it.

package iso

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/host"
)

const (
	restricting = `{"sandbox":{"enabled":true},"permissions":{"deny":["Read(**/.env)"]}}`
	weaker      = `{"sandbox":{"enabled":true}}`
)

// approveIn approves the policy that is there now, as iso --approve does.
func approveIn(t *testing.T, h host.Reader, set approval.Set, dir string) approval.Set {
	t.Helper()
	l, err := Survey(h, dir)
	if err != nil || l.Policy.Empty() {
		t.Fatalf("nothing to approve in %s: %v", dir, err)
	}
	return l.ApprovedIn(set)
}

func TestLocate(t *testing.T) {
	h, home := machine(t, map[string]string{
		"p/.git/HEAD": "", "p/.claude/settings.json": restricting, "p/a/b/x": "",
		// What a command in p can make: repositories, files that lead to one,
		// settings.
		"p/empty/.git/x": "", "p/empty/deep/x": "", "p/file/.git": "gitdir: ../.git\n", "p/abs/.git": "gitdir: HOME/p/.git\n",
		"p/weak/.git/HEAD": "", "p/weak/.claude/settings.json": weaker, "p/weak/.claude/settings.local.json": "{}",
		// A repository of its own that is approved, in p.
		"p/lib/.git": "gitdir: ../.git/modules/lib\n", "p/.git/modules/lib/HEAD": "",
		"p/lib/.claude/settings.json": restricting, "p/lib/in/x": "",
		// A linked worktree of p, in p and beside it.
		"p/.git/worktrees/w/gitdir": "HOME/w/.git\n", "p/.git/worktrees/w/commondir": "../..\n",
		"w/.git": "gitdir: HOME/p/.git/worktrees/w\n", "w/sub/.git/x": "", "w/.claude/settings.json": restricting,
		"p/.git/worktrees/n/gitdir": "HOME/p/trees/n/.git\n", "p/.git/worktrees/n/commondir": "../..\n",
		"p/trees/n/.git": "gitdir: HOME/p/.git/worktrees/n\n",
		// What only pretends to be of p.
		"q/.git": "gitdir: HOME/p/.git\n", "q/.claude/settings.json": restricting,
		"r/.git": "gitdir: HOME/p/.git/worktrees/w\n", "r/.claude/settings.json": restricting,
		// A policy below a root that has none, and one without a repository.
		"u/.git/HEAD": "", "u/n/.claude/settings.json": restricting, "u/n/m/.git/x": "",
		"d/.claude/settings.json": restricting, "d/sub/.git/x": "",
		"x/y": "",
	}, "")
	replaceHome(t, home)
	set := approval.Set{SchemaVersion: 1}
	for _, dir := range []string{"p", "p/lib", "u/n", "d"} {
		set = approveIn(t, h, set, filepath.Join(home, dir))
	}
	set, err := approval.Parse("", set.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ start, root, project, main, inner string }{
		{"p", "p", "p", "p", ""}, {"p/a/b", "p", "p", "p", ""},
		{"p/empty", "p", "p", "p", "p/empty"}, {"p/empty/deep", "p", "p", "p", "p/empty"},
		{"p/file", "p", "p", "p", "p/file"},
		{"p/abs", "p", "p", "p", "p/abs"}, {"p/weak", "p", "p", "p", "p/weak"},
		{"p/lib/in", "p/lib", "p/lib", "", ""}, {"w", "w", "w", "p", ""}, {"w/sub", "w", "w", "p", "w/sub"},
		{"p/trees/n", "p/trees/n", "p/trees/n", "p", ""},
		{"u/n", "u", "u/n", "u", ""}, {"u/n/m", "u", "u/n", "u", "u/n/m"}, {"d", "d", "d", "", ""},
		{"d/sub", "d", "d", "", "d/sub"},
	} {
		p := locate(h, set, filepath.Join(home, c.start))
		for what, pair := range map[string][2]string{"root": {p.Root, c.root}, "project": {p.Project, c.project},
			"main": {p.Main, c.main}, "inner": {p.Inner, c.inner}, "start": {p.Start, c.start}} {
			if want := pair[1]; pair[0] != want && pair[0] != filepath.Join(home, want) {
				t.Errorf("%s: %s is %q, want %q", c.start, what, pair[0], want)
			}
		}
		if !set.Of(p.ID).Approved() {
			t.Errorf("%s: %s is not approved", c.start, p.ID)
		}
	}
	for _, start := range []string{"q", "r", "x", ".", "..", "u"} {
		if p := locate(h, set, filepath.Join(home, start)); set.Of(p.ID).Approved() {
			t.Errorf("%s borrows the approval of %s", start, p.ID)
		}
	}
}

// replaceHome puts the home into the files that lead elsewhere by a whole path.
func replaceHome(t *testing.T, home string) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(strings.ReplaceAll(string(b), "HOME", home)), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAnApprovedProjectStaysOne: without its .git, with another in its place,
// and found through a link. One that was moved is approved anew.
func TestAnApprovedProjectStaysOne(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(p string) error
		start    string
		approved bool
	}{
		"no .git": {func(p string) error { return os.RemoveAll(filepath.Join(p, ".git")) }, "p/sub", true},
		"a renamed .git": {func(p string) error { return os.Rename(filepath.Join(p, ".git"), filepath.Join(p, "x")) }, "p",
			true},
		"a .git file": {func(p string) error {
			if err := os.RemoveAll(filepath.Join(p, ".git")); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(p, ".git"), []byte("gitdir: /elsewhere\n"), 0o644)
		}, "p/sub", true},
		"a link to it": {func(p string) error { return os.Symlink(p, filepath.Join(filepath.Dir(p), "link")) }, "link/sub",
			true},
		"moved": {func(p string) error { return os.Rename(p, p+"2") }, "p2/sub", false},
		"copied into another": {func(p string) error {
			if err := os.MkdirAll(filepath.Join(p+"2", ".git"), 0o755); err != nil {
				return err
			}
			return os.Rename(filepath.Join(p, ".claude"), filepath.Join(p+"2", ".claude"))
		}, "p2", false},
	} {
		t.Run(name, func(t *testing.T) {
			h, home := machine(t, map[string]string{"p/.git/HEAD": "", "p/.claude/settings.json": restricting, "p/sub/x": ""},
				"")
			set := approveIn(t, h, approval.Set{}, filepath.Join(home, "p"))
			if err := c.change(filepath.Join(home, "p")); err != nil {
				t.Fatal(err)
			}
			p := locate(h, set, filepath.Join(home, c.start))
			policy, err := policyOf(h, p)
			if err != nil {
				t.Fatal(err)
			}
			if got := set.Of(p.ID).Policy(policy.Digest()); got != c.approved {
				t.Errorf("approved %v, want %v: %+v", got, c.approved, p)
			}
		})
	}
}
