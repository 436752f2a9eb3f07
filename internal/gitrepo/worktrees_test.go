// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package gitrepo

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

func (p *place) worktrees(dir string) map[string]Worktree {
	p.t.Helper()
	list, err := p.open(dir).Worktrees(context.Background())
	if err != nil {
		p.t.Fatal(err)
	}
	byName := make(map[string]Worktree)
	for _, w := range list {
		if rel, err := filepath.Rel(p.home, w.Path); err == nil {
			byName[rel] = w
		}
	}
	return byName
}

func (p *place) remove(path string) {
	p.t.Helper()
	if err := os.RemoveAll(path); err != nil {
		p.t.Fatal(err)
	}
}

func TestWorktreeStates(t *testing.T) {
	p := newPlace(t)
	repo := p.repo("main tree")
	for _, name := range []string{"linked", "detached", "removed", "locked", "unplugged", "replaced", "emptied",
		"subverted", "main tree/inside"} {
		p.git(repo, "worktree", "add", "-q", "--detach", p.path(name))
	}
	p.git(repo, "worktree", "add", "-q", "-b", "topic/ü", p.path(awkward))
	p.remove(p.path("removed"))
	p.git(repo, "worktree", "lock", p.path("locked"))
	p.git(repo, "worktree", "lock", "--reason", "on a \"stick\"\nof mine", p.path("unplugged"))
	p.remove(p.path("unplugged"))
	p.remove(p.path("replaced"))
	p.repo("replaced")
	p.remove(p.path("emptied"))
	p.mkdir(p.path("emptied"))
	// Here git, asked in the directory, names the main work tree.
	p.remove(p.path("main tree", "inside"))
	p.mkdir(p.path("main tree", "inside"))
	// A record that names a directory of another repository.
	victim := p.repo("victim")
	p.write(filepath.Join(repo, ".git", "worktrees", "subverted", "gitdir"), filepath.Join(victim, ".git")+"\n", 0o644)

	got := p.worktrees(p.path(awkward))
	for name, want := range map[string]State{
		"main tree": Usable, "linked": Usable, "detached": Usable, "locked": Usable, awkward: Usable,
		"removed": Missing, "unplugged": Away, "replaced": Foreign, "emptied": Foreign, "victim": Foreign,
		"main tree/inside": Foreign,
	} {
		w, ok := got[name]
		if !ok {
			t.Errorf("%q is not listed", name)
			continue
		}
		if w.State != want {
			t.Errorf("%q is %s (%s), want %s", name, w.State, w.Why, want)
		}
		if (w.Why == "") != (want == Usable) {
			t.Errorf("%q: reason %q", name, w.Why)
		}
	}
	if w := got[awkward]; w.Branch != "refs/heads/topic/ü" || len(w.Head) != 40 {
		t.Errorf("%+v", w)
	}
	if got["detached"].Branch != "" || !got["locked"].Locked || got["linked"].Locked {
		t.Errorf("%+v", got)
	}
	if w := got["unplugged"]; w.LockReason != "on a \"stick\"\nof mine" {
		t.Errorf("reason %q", w.LockReason)
	}
	if w := got["removed"]; !w.Prunable || w.PruneReason == "" {
		t.Errorf("%+v", w)
	}
}

func TestWorktreesOfABareRepository(t *testing.T) {
	p := newPlace(t)
	p.git(p.home, "clone", "-q", "--bare", p.repo("source"), p.path("x.git"))
	p.git(p.path("x.git"), "worktree", "add", "-q", p.path("wt"), "main")
	for _, from := range []string{p.path("x.git"), p.path("wt")} {
		got := p.worktrees(from)
		if got["x.git"].State != BareEntry || got["wt"].State != Usable || len(got) != 2 {
			t.Errorf("from %s: %+v", from, got)
		}
	}
}

// git 2.39 names the git directory as a submodule's main work tree.
func TestMainWorkTreeOfASubmodule(t *testing.T) {
	p := newPlace(t)
	super := p.repo("super")
	p.git(super, "submodule", "--quiet", "add", p.repo("source"), "sub")
	p.git(p.path("super", "sub"), "worktree", "add", "-q", p.path("wt"))
	for _, from := range []string{p.path("super", "sub"), p.path("wt")} {
		got := p.worktrees(from)
		if got["super/sub"].State != Usable || got["wt"].State != Usable || len(got) != 2 {
			t.Errorf("from %s: %+v", from, got)
		}
	}
}

func TestMainWorkTreeThatGitDoesNotRecord(t *testing.T) {
	p := newPlace(t)
	p.git(p.home, "init", "-q", "--separate-git-dir", p.path("x.git"), p.path("tree"))
	p.git(p.path("tree"), "commit", "-q", "--allow-empty", "-m", "first")
	p.git(p.path("tree"), "worktree", "add", "-q", p.path("wt"))
	list, err := p.open(p.path("wt")).Worktrees(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if list[0].State != Away || !strings.Contains(list[0].Why, "separate-git-dir") || list[1].State != Usable {
		t.Errorf("%+v", list)
	}
}

func TestOldGitIsNamed(t *testing.T) {
	p := newPlace(t)
	repo := p.repo("repo")
	// git before 2.36 answers like this (git-worktree, "unknown switch").
	h := p.machine(map[string]string{"git": `#!/bin/sh
for a; do [ "$a" = worktree ] && { echo "error: unknown switch 'z'" >&2; exit 129; }; done
PATH=/usr/local/bin:/usr/bin:/bin exec git "$@"
`})
	r, err := Open(context.Background(), h, repo)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Worktrees(context.Background())
	wantError(t, err, report.ExitLeft, "2.36")
}

func FuzzParseWorktrees(f *testing.F) {
	f.Add([]byte("worktree /a\x00HEAD 1\x00branch refs/heads/m\x00\x00worktree /b c\nd\x00bare\x00\x00"))
	f.Add([]byte("worktree /a\x00HEAD 1\x00detached\x00locked why\nnot\x00prunable gone\x00\x00"))
	f.Add([]byte("worktree a\x00\x00"))
	f.Add([]byte("\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := parseWorktrees(b)
		if err != nil {
			return
		}
		if len(list) == 0 {
			t.Fatal("no entry and no error")
		}
		// What is understood can be written again and means the same.
		var again strings.Builder
		for _, w := range list {
			if !filepath.IsAbs(w.Path) || strings.ContainsRune(w.Path, 0) {
				t.Fatalf("path %q", w.Path)
			}
			again.WriteString("worktree " + w.Path + "\x00")
			for _, kv := range []struct {
				on          bool
				name, value string
			}{
				{w.Head != "", "HEAD", w.Head}, {w.Branch != "", "branch", w.Branch}, {w.Bare, "bare", ""},
				{w.Locked, "locked", w.LockReason}, {w.Prunable, "prunable", w.PruneReason},
			} {
				if kv.on {
					again.WriteString(strings.TrimSuffix(kv.name+" "+kv.value, " ") + "\x00")
				}
			}
			again.WriteString("\x00")
		}
		second, err := parseWorktrees([]byte(again.String()))
		if err != nil || len(second) != len(list) {
			t.Fatalf("%q: %v", again.String(), err)
		}
	})
}

// counting is a machine that counts the programs it starts.
type counting struct {
	host.Reader
	started int
}

func (c *counting) Run(ctx context.Context, s proc.Spec) proc.Result {
	c.started++
	return c.Reader.Run(ctx, s)
}

func TestGitIsAskedOfTheWorktreeAtHandAlone(t *testing.T) {
	p := newPlace(t)
	repo := p.repo("repo")
	var started []int
	for _, name := range []string{"a", "b", "c", "d"} {
		p.git(repo, "worktree", "add", "-q", "--detach", p.path(name))
		r := p.open(p.path("a"))
		c := &counting{Reader: r.host}
		r.host = c
		got, err := r.Here(context.Background())
		if err != nil || len(got) != 1 || got[0].Path != p.path("a") || got[0].State != Usable {
			t.Fatalf("%+v, %v", got, err)
		}
		started = append(started, c.started)
	}
	if started[0] != started[3] {
		t.Errorf("processes with one more worktree each: %v", started)
	}
	p.write(filepath.Join(repo, ".git", "worktrees", "b", "gitdir"), filepath.Join(p.repo("victim"), ".git")+"\n", 0o644)
	if got, err := p.open(p.path("victim")).Here(context.Background()); err != nil || len(got) != 1 ||
		got[0].State != Usable {
		t.Errorf("%+v, %v", got, err)
	}
}
