// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// ground is a home with a main checkout, a linked worktree, another project
// and a program in each, made without git.
func ground(t *testing.T) (home string) {
	t.Helper()
	home = testenv.Home(t)
	for name, text := range map[string]string{
		"main/.git/HEAD": "", "main/.git/worktrees/wt/commondir": "../..\n", "main/.git/worktrees/wt/gitdir": home +
			"/wt/.git\n",
		"wt/.git": "gitdir: " + home + "/main/.git/worktrees/wt\n", "wt/sub/x": "", "main/inner/.git/HEAD": "",
		"main/.venv/bin/git": "main", "wt/bin/git": "wt", "bin/git": "own", "other/.git/HEAD": "", "other/bin/git": "other",
		"foreign/.git": "gitdir: " + home + "/other/.git/worktrees/foreign\n", "foreign/bin/git": "foreign",
		"loose/bin/git": "loose",
	} {
		write(t, filepath.Join(home, name), text)
	}
	return home
}

func write(t *testing.T, path, text string) {
	t.Helper()
	testenv.Write(t, path, text, 0o755)
}

// at is the machine for a process in a directory below the home.
func at(t *testing.T, home, cwd, path string) *host.Host {
	t.Helper()
	h := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home, "PATH=" + path}), GOOS: "linux",
		Cwd: filepath.Join(home, cwd), Now: time.Now}))(t)
	return h
}

func TestNoProgramOfTheProjectIsLookedUp(t *testing.T) {
	for _, tt := range []struct {
		name, cwd string
		arrange   func(home string)
		dirs      []string // what is avoided, of those in front on PATH
	}{
		{"in the main checkout", "main", nil, []string{"main/.venv/bin", "wt/bin"}},
		{"in a linked worktree", "wt", nil, []string{"main/.venv/bin", "wt/bin"}},
		{"below it", "wt/sub", nil, []string{"main/.venv/bin", "wt/bin"}},
		{"in a repository within", "main/inner", nil, []string{"main/.venv/bin", "wt/bin"}},
		{"outside any repository", "loose", nil, []string{"loose/bin"}},
		{"at home", ".", nil, nil},
		{"the main checkout no longer knows the worktree", "wt", func(home string) {
			write(t, filepath.Join(home, "main/.git/worktrees/wt/gitdir"), home+"/other/.git\n")
			write(t, filepath.Join(home, "main/.git/worktrees/wt/commondir"), "/nowhere\n")
		}, []string{"main/.venv/bin", "wt/bin"}},
		{"a worktree that is claimed does not point back", "main", func(home string) {
			write(t, filepath.Join(home, "main/.git/worktrees/x/gitdir"), home+"/foreign/.git\n")
		}, []string{"main/.venv/bin", "wt/bin"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home := ground(t)
			if tt.arrange != nil {
				tt.arrange(home)
			}
			for _, dir := range []string{"main/.venv/bin", "wt/bin", "other/bin", "foreign/bin", "loose/bin"} {
				want := filepath.Join(home, dir, "git")
				if slices.Contains(tt.dirs, dir) {
					want = filepath.Join(home, "bin", "git")
				}
				got, err := at(t, home, tt.cwd, filepath.Join(home, dir)+":"+filepath.Join(home, "bin")).Look("git")
				if err != nil || got != want {
					t.Errorf("%s first on PATH: %s is started (%v), want %s", dir, got, err, want)
				}
			}
		})
	}
}

// TestGitOfTheProjectIsNotAsked about the project: not from elsewhere either.
func TestGitOfTheProjectIsNotAsked(t *testing.T) {
	home := ground(t)
	for dir, text := range map[string]string{"main/.venv/bin": "project", "bin": "own"} {
		write(t, filepath.Join(home, dir, "git"), "#!/bin/sh\necho "+text+"\n")
	}
	h := at(t, home, "other", home+"/main/.venv/bin:"+home+"/bin")
	for dir, want := range map[string]string{"main": "own", "wt/sub": "own", "loose": "project"} {
		if got := h.Run(t.Context(), proc.GitTopLevel(filepath.Join(home, dir))).Text(); got != want {
			t.Errorf("asked about %s: %q answers, want %q", dir, got, want)
		}
	}
}

// TestNoLinkLeadsIntoTheProject: neither one on PATH, nor one of a program,
// nor one that leads through the project and out again.
func TestNoLinkLeadsIntoTheProject(t *testing.T) {
	home := ground(t)
	testenv.Mkdir(t, filepath.Join(home, "linked"))
	for link, to := range map[string]string{"venv": "main/.venv", "linked/git": "../main/.venv/bin/git",
		"main/out": "../bin", "through": "main/out",
		"round": "around", "around": "round", "mine": "bin"} {
		testenv.Link(t, to, filepath.Join(home, link))
	}
	for dir, want := range map[string]bool{"venv/bin": true, "linked": true, "through": true,
		"bin/../main/.venv/bin": true, "mine": false, "bin": false} {
		h := at(t, home, "main", home+"/"+dir)
		if got, err := h.Look("git"); (err != nil) != want {
			t.Errorf("%s: %s, %v", dir, got, err)
		}
		if got := h.Through(home+"/"+dir+"/git", host.ProjectDirs(h, filepath.Join(home, "main"))); got != want {
			t.Errorf("%s leads through the project: %v, want %v", dir, got, want)
		}
	}
	h := at(t, home, "main", "")
	if !h.Through(filepath.Join(home, "round"), []string{"/nowhere"}) {
		t.Error("links without an end lead nowhere")
	}
	if h.Through(filepath.Join(home, "mainly/x"), []string{filepath.Join(home, "main")}) {
		t.Error("a name that begins like the project's lies in it")
	}
}

// FuzzProjectDirs: whatever stands in .git, the search ends, and never takes
// the home or what it lies in for the project's.
func FuzzProjectDirs(f *testing.F) {
	f.Add("gitdir: ../x", "../..", "/")
	f.Add("gitdir: /.git/worktrees/x", "", "x")
	f.Add("gitdir: ../.git/worktrees/w", "../../../..", "../../..")
	f.Fuzz(func(t *testing.T, link, common, back string) {
		home := t.TempDir()
		write(t, filepath.Join(home, "p/.git"), link)
		write(t, filepath.Join(home, ".git/worktrees/w/commondir"), common)
		write(t, filepath.Join(home, ".git/worktrees/w/gitdir"), back)
		for _, dir := range host.ProjectDirs(at(t, home, "p", ""), filepath.Join(home, "p")) {
			if strings.HasPrefix(home+"/", strings.TrimSuffix(dir, "/")+"/") || !filepath.IsAbs(dir) {
				t.Fatalf("%q is taken for the project's", dir)
			}
		}
	})
}

func TestReal(t *testing.T) {
	home := testenv.Home(t)
	at := func(p string) string { return filepath.Join(home, p) }
	testenv.Mkdir(t, at("real/deep"))
	for link, to := range map[string]string{"link": "real", "away": at("real/deep"), "gone": at("real/new/er"),
		"real/deep/up": "../new/file", "loop": "loop", "twice": "link/deep/up"} {
		testenv.Link(t, to, at(link))
	}
	r := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home}),
		GOOS: "linux", Cwd: home, Now: time.Now}))(t)
	for path, want := range map[string]string{
		"real": "real", "link": "real", "link/deep": "real/deep",
		"link/new":        "real/new",      // its directory is there
		"link/new/er/x":   "real/new/er/x", // nothing of it is
		"gone":            "real/new/er",   // a symlink to what is not there
		"gone/x":          "real/new/er/x",
		"away/up":         "real/new/file", // below where the directory really lies
		"link/deep/up":    "real/new/file",
		"twice/x":         "real/new/file/x",
		"real/./deep/..":  "real",
		"loop":            "loop",
		"no/such/thing/x": "no/such/thing/x",
	} {
		if got := host.Real(r, at("")+"/"+path); got != at(want) {
			t.Errorf("%s leads to %s, want %s", path, got, at(want))
		}
	}
	if got := host.Real(r, "/"); got != "/" {
		t.Errorf("/ leads to %s", got)
	}
}

func TestStanding(t *testing.T) {
	home := ground(t)
	testenv.Link(t, "gone", filepath.Join(home, "dangling"))
	h := at(t, home, "main", "")
	for path, want := range map[string]string{"wt/sub": "wt/sub", "wt/new/x": "wt", "dangling/x": "dangling"} {
		if got := host.Standing(h, filepath.Join(home, path)); got != filepath.Join(home, want) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestNoRepositoryHasNoLinkedWorktrees(t *testing.T) {
	home := ground(t)
	h := at(t, home, "main", "")
	main := filepath.Join(home, "main")
	if got := host.FindTree(h, main).Linked(h); len(got) != 1 || got[0] != filepath.Join(main, ".git/worktrees/wt") {
		t.Errorf("%q", got)
	}
	t.Chdir(filepath.Join(main, ".git"))
	if got := (host.Tree{}).Linked(h); got != nil {
		t.Errorf("outside of a repository: %q", got)
	}
}
