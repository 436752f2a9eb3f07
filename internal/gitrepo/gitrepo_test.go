// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package gitrepo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// awkward is a name that every line-based reading gets wrong.
const awkward = "a b \"q\" 'ü'\nworktree \\x $HOME * -"

// place is a throwaway home with git repositories in it.
type place struct {
	t       *testing.T
	home    string
	environ []string
	host    *host.Host
}

func newPlace(t *testing.T, extra ...string) *place {
	t.Helper()
	testenv.Need(t, "git")
	home := testenv.Home(t)
	p := &place{t: t, home: home, environ: testenv.Env(t, home)}
	h, err := host.New(env.System{Env: env.New(append(p.environ, extra...)), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	p.host = h
	return p
}

// machine is a machine whose PATH holds these programs and no others.
func (p *place) machine(programs map[string]string) *host.Host {
	p.t.Helper()
	bin := p.t.TempDir()
	for name, text := range programs {
		p.write(filepath.Join(bin, name), text, 0o755)
	}
	h, err := host.New(env.System{Env: env.New([]string{"HOME=" + p.home, "PATH=" + bin}), Now: time.Now})
	if err != nil {
		p.t.Fatal(err)
	}
	return h
}

func (p *place) path(elems ...string) string {
	return filepath.Join(append([]string{p.home}, elems...)...)
}

func (p *place) git(dir string, args ...string) {
	p.t.Helper()
	testenv.Git(p.t, p.environ, dir, append([]string{"-c", "protocol.file.allow=always"}, args...)...)
}

// repo makes a repository with one commit.
func (p *place) repo(elems ...string) string {
	p.t.Helper()
	dir := p.path(elems...)
	p.mkdir(dir)
	p.git(dir, "init", "-q")
	p.git(dir, "commit", "-q", "--allow-empty", "-m", "first")
	return dir
}

func (p *place) mkdir(dir string) {
	p.t.Helper()
	testenv.Mkdir(p.t, dir)
}

func (p *place) write(path, text string, mode os.FileMode) {
	p.t.Helper()
	p.mkdir(filepath.Dir(path))
	testenv.Write(p.t, path, text, mode)
}

func (p *place) open(dir string) *Repo {
	p.t.Helper()
	r, err := Open(context.Background(), p.host, dir)
	if err != nil {
		p.t.Fatalf("Open(%q): %v", dir, err)
	}
	return r
}

func (r *Repo) facts() Repo {
	c := *r
	c.host = nil
	return c
}

func TestOpenNamesThePlace(t *testing.T) {
	p := newPlace(t)
	plain := p.repo(awkward)
	p.mkdir(filepath.Join(plain, "deep", "er"))
	p.git(plain, "worktree", "add", "-q", "--detach", p.path("linked"+awkward))
	bare := p.path("b.git")
	p.git(p.home, "clone", "-q", "--bare", plain, bare)
	p.git(bare, "worktree", "add", "-q", p.path("of-bare"), "main")
	super := p.repo("super")
	p.git(super, "submodule", "--quiet", "add", plain, "sub")
	p.git(p.path("super", "sub"), "worktree", "add", "-q", p.path("of-sub"))
	p.git(p.home, "init", "-q", "--separate-git-dir", p.path("apart.git"), p.path("apart"))
	testenv.Link(t, plain, p.path("link"))
	dot := filepath.Join(plain, ".git")
	admin := func(common, name string) string { return filepath.Join(common, "worktrees", name) }
	subGit := filepath.Join(super, ".git", "modules", "sub")
	linked := p.open(p.path("linked" + awkward))

	for _, tt := range []struct {
		name, dir string
		want      Repo
	}{
		{"root", plain, Repo{Root: plain, GitDir: dot, CommonDir: dot, Main: plain}},
		{"subdirectory", filepath.Join(plain, "deep", "er"), Repo{Root: plain, GitDir: dot, CommonDir: dot, Main: plain}},
		{"through a link", p.path("link"), Repo{Root: plain, GitDir: dot, CommonDir: dot, Main: plain}},
		{"linked worktree", p.path("linked" + awkward), Repo{Root: p.path("linked" + awkward), GitDir: linked.GitDir,
			CommonDir: dot, Main: plain}},
		{"bare", bare, Repo{GitDir: bare, CommonDir: bare, Bare: true}},
		{"worktree of a bare one", p.path("of-bare"), Repo{Root: p.path("of-bare"), GitDir: admin(bare, "of-bare"),
			CommonDir: bare}},
		{"submodule", p.path("super", "sub"), Repo{Root: p.path("super", "sub"), GitDir: subGit, CommonDir: subGit,
			Main: p.path("super", "sub"), Superproject: super}},
		{"worktree of a submodule", p.path("of-sub"), Repo{Root: p.path("of-sub"), GitDir: admin(subGit, "of-sub"),
			CommonDir: subGit, Main: p.path("super", "sub")}},
		{"separate git dir", p.path("apart"), Repo{Root: p.path("apart"), GitDir: p.path("apart.git"),
			CommonDir: p.path("apart.git"), Main: p.path("apart")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := p.open(tt.dir).facts(); got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
	if filepath.Dir(linked.GitDir) != filepath.Join(dot, "worktrees") || !linked.Linked() {
		t.Errorf("linked worktree: %+v", linked)
	}
}

func TestOpenOutsideARepository(t *testing.T) {
	p := newPlace(t)
	if _, err := Open(context.Background(), p.host, p.home); !errors.Is(err, ErrNone) {
		t.Errorf("got %v, want ErrNone", err)
	}
}

// wantError asserts that err is a *report.Error that says words, and is not
// taken for "no repository".
func wantError(t *testing.T, err error, code int, words ...string) {
	t.Helper()
	var e *report.Error
	if !errors.As(err, &e) || errors.Is(err, ErrNone) {
		t.Fatalf("got %v, want a *report.Error", err)
	}
	if e.Code != code {
		t.Errorf("code %d, want %d", e.Code, code)
	}
	all := strings.Join([]string{e.Error(), e.Why, e.Next}, "\n")
	for _, w := range words {
		if !strings.Contains(all, w) {
			t.Errorf("%q does not mention %q", all, w)
		}
	}
}

func TestOpenSaysWhyItCannot(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t)
	repo := p.repo("repo")
	p.write(p.path("file"), "", 0o644)
	p.write(p.path("moved", ".git"), "gitdir: "+p.path("gone")+"\n", 0o644)
	for _, tt := range []struct {
		name, dir string
		code      int
		words     []string
	}{
		{"no such directory", p.path("nowhere"), report.ExitUsage, []string{"nowhere"}},
		{"a working directory that is gone", "", report.ExitUsage, []string{"the working directory is gone"}},
		{"a file", p.path("file"), report.ExitUsage, []string{"not a directory"}},
		{"broken .git file", p.path("moved"), report.ExitLeft, []string{"git worktree repair"}},
		{"inside .git", filepath.Join(repo, ".git", "info"), report.ExitLeft, []string{"no work tree"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(ctx, p.host, tt.dir)
			wantError(t, err, tt.code, tt.words...)
		})
	}
	t.Run("git missing", func(t *testing.T) {
		_, err := Open(ctx, p.machine(nil), repo)
		wantError(t, err, report.ExitLeft, "git is not installed")
	})
	t.Run("a FIFO that git would wait for", func(t *testing.T) {
		waits := p.repo("waits")
		if err := syscall.Mkfifo(filepath.Join(waits, ".git", "commondir"), 0o644); err != nil {
			t.Fatal(err)
		}
		short, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if _, err := RepoConfig(short, p.host, waits); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
			t.Errorf("its configuration: %v", err)
		}
		_, err := Open(short, p.host, filepath.Join(waits, ".git"))
		wantError(t, err, report.ExitLeft, "commondir", "is not a regular file")
	})
	hangs := p.machine(map[string]string{"git": "#!/bin/sh\nexec /bin/sleep 600\n"})
	t.Run("interrupted while git hangs", func(t *testing.T) {
		cancelled, cancel := context.WithCancel(ctx)
		time.AfterFunc(50*time.Millisecond, cancel)
		_, err := Open(cancelled, hangs, repo)
		wantError(t, err, report.ExitInterrupted, "interrupted")
	})
	t.Run("git does not answer", func(t *testing.T) {
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		_, err := Open(short, hangs, repo)
		wantError(t, err, report.ExitLeft, "did not answer")
	})
}

// A repository whose configuration tries to run things or to lead elsewhere
// does neither.
func TestHostileRepository(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t)
	ran := p.path("ran")
	script := p.path("evil.sh")
	p.write(script, "#!/bin/sh\necho \"$0 $*\" >>"+ran+"\n", 0o755)
	repo := p.repo("repo")
	hooks := filepath.Join(repo, ".git", "hooks")
	for _, hook := range []string{"post-index-change", "reference-transaction", "fsmonitor-watchman"} {
		p.write(filepath.Join(hooks, hook), "#!/bin/sh\necho hook >>"+ran+"\n", 0o755)
	}
	p.write(filepath.Join(repo, ".git", "more"), "[core]\n\tpager = "+script+"\n\taskPass = "+script+
		"\n[pager]\n\trev-parse = true\n", 0o644)
	p.write(filepath.Join(repo, "f"), "", 0o644)
	p.git(repo, "add", "f")
	p.git(repo, "worktree", "add", "-q", p.path("linked"))
	for _, kv := range [][2]string{
		{"include.path", "more"}, {"core.fsmonitor", script}, {"core.pager", script}, {"core.editor", script},
		{"core.sshCommand", script}, {"alias.rev-parse", "!" + script}, {"alias.worktree", "!" + script},
		{"alias.check-ignore", "!" + script}, {"core.hooksPath", hooks}, {"credential.helper", "!" + script},
		{"remote.origin.url", "ext::" + script}, {"remote.origin.promisor", "true"},
		{"extensions.partialClone", "origin"}, {"protocol.ext.allow", "always"},
	} {
		p.git(repo, "config", kv[0], kv[1])
	}
	os.Remove(ran)

	r := p.open(repo)
	if _, err := r.Worktrees(ctx); err != nil {
		t.Error(err)
	}
	if _, err := r.Ignored(ctx, r.Root, "x"); err != nil {
		t.Error(err)
	}
	if tracked, err := r.Tracked(ctx, r.Root, "f"); err != nil || !tracked {
		t.Error(tracked, err)
	}
	if h, err := r.HooksPath(ctx); err != nil || h.Path != hooks {
		t.Error(h, err)
	}
	if b, err := os.ReadFile(ran); err == nil {
		t.Errorf("the repository ran something:\n%s", b)
	}

	t.Run("core.worktree above", func(t *testing.T) {
		p.git(repo, "config", "core.worktree", p.home)
		_, err := Open(ctx, p.host, repo)
		wantError(t, err, report.ExitLeft, "core.worktree")
	})
	t.Run("core.worktree at another repository above", func(t *testing.T) {
		outer := p.repo("outer")
		inner := p.repo("outer", "inner")
		p.git(inner, "config", "core.worktree", outer)
		_, err := Open(ctx, p.host, inner)
		wantError(t, err, report.ExitLeft, "core.worktree")
	})
	t.Run("core.worktree elsewhere", func(t *testing.T) {
		victim := p.repo("victim")
		p.git(repo, "config", "core.worktree", victim)
		_, err := Open(ctx, p.host, repo)
		wantError(t, err, report.ExitLeft, "no work tree")
	})
}

// In a git hook GIT_DIR and its relatives name the repository of the hook.
func TestGitVariablesLeadNowhere(t *testing.T) {
	other := newPlace(t).repo("other")
	p := newPlace(t, "GIT_DIR="+filepath.Join(other, ".git"), "GIT_WORK_TREE="+other,
		"GIT_COMMON_DIR="+filepath.Join(other, ".git"), "GIT_INDEX_FILE=/dev/null", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=core.worktree", "GIT_CONFIG_VALUE_0="+other)
	repo := p.repo("repo")
	if r := p.open(repo); r.Root != repo {
		t.Errorf("led to %q", r.Root)
	}
	p.mkdir(p.path("none"))
	if _, err := Open(context.Background(), p.host, p.path("none")); !errors.Is(err, ErrNone) {
		t.Errorf("got %v, want ErrNone", err)
	}
}

// TestAGitThatIsKilledRefusedNothing: it printed nothing, and has no exit code.
func TestAGitThatIsKilledRefusedNothing(t *testing.T) {
	p := newPlace(t)
	repo := p.repo("repo")
	_, err := Open(context.Background(), p.machine(map[string]string{"git": "#!/bin/sh\nkill -9 $$\n"}), repo)
	wantError(t, err, report.ExitLeft, "git was killed before it answered", "run it yourself: git")
}
