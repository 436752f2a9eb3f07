// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: repositories are found however they are laid out, and a
// repository cannot make the plan write anything but its own local settings.

package scope_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/scope"
)

// home is a user's home, with the system's git.
type home struct {
	t    testing.TB
	path string
}

func newHome(t testing.TB) home {
	t.Helper()
	testenv.Need(t, "git")
	path, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := home{t, path}
	h.put(".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.invalid\n[init]\n\tdefaultBranch = main\n")
	h.put(".local/bin/steward-setup", "the program")
	return h
}

func (h home) at(rel string) string { return filepath.Join(h.path, rel) }

func (h home) put(rel, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.at(rel)), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(h.at(rel), []byte(text), 0o755); err != nil { // hooks among them
		h.t.Fatal(err)
	}
}

func (h home) link(to, rel string) {
	h.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(h.at(rel)), 0o755), os.Symlink(to, h.at(rel))); err != nil {
		h.t.Fatal(err)
	}
}

func (h home) git(dir string, args ...string) {
	h.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", h.at(dir)}, args...)...)
	cmd.Env = []string{"HOME=" + h.path, "PATH=/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// repo makes a repository that the agent is used in, and whose local settings
// git ignores.
func (h home) repo(dir string) {
	h.t.Helper()
	h.put(dir+"/.gitignore", ".claude/settings.local.json\n")
	h.put(dir+"/.claude/settings.json", "{}\n")
	h.git(dir, "init", "-q")
	h.git(dir, "add", "-A")
	h.git(dir, "commit", "-q", "-m", "first")
}

func (h home) reader() *host.Host { return h.readerOf(".local/bin/steward-setup") }

// readerOf is the reader of the program at rel.
func (h home) readerOf(rel string) *host.Host {
	h.t.Helper()
	r, err := host.New(env.System{Env: env.New([]string{"HOME=" + h.path, "PATH=/usr/local/bin:/usr/bin:/bin"}),
		Cwd:        h.path,
		Executable: h.at(rel), GOOS: "linux", UID: os.Getuid()})
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func (h home) whole(o scope.Options) (scope.Proposal, error) {
	h.t.Helper()
	o.Roots, o.Depth = []string{h.at("code")}, scope.DefaultDepth
	return scope.WholeUser(h.t.Context(), h.reader(), o)
}

// states are the worktrees that were found, "path kind: state".
func states(p scope.Proposal, below string) []string {
	var list []string
	for _, repo := range p.Repositories {
		for _, wt := range repo.Worktrees {
			list = append(list, strings.TrimPrefix(wt.Path, below+"/")+" "+wt.Kind+": "+string(wt.State))
		}
	}
	slices.Sort(list)
	return list
}

func TestEveryLayoutIsFound(t *testing.T) {
	testenv.AsUser(t)
	h := newHome(t)
	h.repo("code/plain")
	h.repo("code/plain/inner/own")
	h.repo("code/node_modules/copied")
	h.repo("code/a/b/c/d/e")
	h.repo("code/a/b/c/d/e/too/deep")
	h.repo("away/linked-from")
	h.git("code/plain", "worktree", "add", "-q", h.at("away/linked"))
	h.git("away/linked-from", "worktree", "add", "-q", h.at("code/back"))
	h.git("code", "clone", "-q", "--bare", h.at("code/plain"), "bare.git")
	h.git("code/bare.git", "worktree", "add", "-q", h.at("code/of-bare"))
	h.git("code", "clone", "-q", "--separate-git-dir", h.at("away/apart.git"), h.at("code/plain"), "apart")
	h.git("code/a/b", "init", "-q", "super")
	h.git("code/a/b/super", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", h.at("code/plain"), "part")
	h.link(h.at("away"), "code/link")
	p, err := h.whole(scope.Options{Agent: setup.Settings{}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"away/linked linked: to be written", "away/linked-from main: to be written",
		"code/a/b/c/d/e main: to be written",
		"code/a/b/super main: no .claude", "code/a/b/super/part submodule: to be written", "code/apart main: to be written",
		"code/back linked: to be written",
		"code/bare.git bare: no .claude", "code/of-bare linked: to be written", "code/plain main: to be written",
		"code/plain/inner/own main: to be written"}
	if got := states(p, h.path); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestAHostileRepositoryLeadsNowhere: whatever a clone brings, the plan writes
// below the worktrees nothing but their own local settings, and git runs
// nothing of theirs.
func TestAHostileRepositoryLeadsNowhere(t *testing.T) {
	testenv.AsUser(t)
	h := newHome(t)
	h.put("victim/settings.local.json", "{}\n")
	ran := h.at("ran")
	script := "touch " + ran
	for name, spoil := range map[string]func(dir string){
		"claude-links-away": func(dir string) {
			_ = os.RemoveAll(h.at(dir + "/.claude"))
			h.link(h.at("victim"), dir+
				"/.claude")
		},
		"claude-links-near": func(dir string) {
			_ = os.RemoveAll(h.at(dir + "/.claude"))
			h.put(dir+"/d/x", "")
			h.link("d", dir+"/.claude")
		},
		"local-links-away": func(dir string) {
			h.link(h.at("victim/settings.local.json"), dir+
				"/.claude/settings.local.json")
		},
		"local-links-near": func(dir string) { h.link("settings.json", dir+"/.claude/settings.local.json") },
		"local-hard-linked": func(dir string) {
			_ = os.Link(h.at("victim/settings.local.json"), h.at(dir+"/.claude/settings.local.json"))
		},
		"local-is-a-pipe": func(dir string) { _ = syscall.Mkfifo(h.at(dir+"/.claude/settings.local.json"), 0o600) },
		"local-is-committed": func(dir string) {
			h.put(dir+"/.claude/settings.local.json", "{}\n")
			h.git(dir, "add", "-f",
				"-A")
		},
		"local-is-broken":     func(dir string) { h.put(dir+"/.claude/settings.local.json", "{ // no\n}\n") },
		"claude-is-a-file":    func(dir string) { _ = os.RemoveAll(h.at(dir + "/.claude")); h.put(dir+"/.claude", "") },
		"work-tree-elsewhere": func(dir string) { h.git(dir, "config", "core.worktree", h.at("victim")) },
		"un-ignored-again": func(dir string) {
			h.put(dir+"/.gitignore", ".claude/settings.local.json\n!.claude/settings.local.json\n")
		},
		"star[name]": func(string) {},
	} {
		h.repo("code/" + name)
		spoil("code/" + name)
	}
	h.repo("code/runs-programs")
	for key, value := range map[string]string{"core.fsmonitor": script, "alias.check-ignore": "!" + script,
		"core.pager": script, "diff.external": script,
		"filter.x.clean": script, "filter.x.smudge": script, "include.path": h.at("victim/config"),
		"core.sshCommand": script} {
		h.git("code/runs-programs", "config", key, value)
	}
	h.put("victim/config", "[core]\n\tfsmonitor = "+script+"\n")
	h.put("code/runs-programs/.gitattributes", "* filter=x\n")
	p, err := h.whole(scope.Options{Agent: setup.Settings{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Plan.Changes() {
		if rel := strings.TrimPrefix(c.Target, h.at("code")+"/"); rel != c.Target &&
			rel != "runs-programs/.claude/settings.local.json" {
			t.Errorf("writes %s", c.Target)
		}
		if strings.HasPrefix(c.Target, h.at("victim")) {
			t.Errorf("writes %s", c.Target)
		}
	}
	for _, s := range states(p, h.at("code")) {
		if !strings.HasSuffix(s, ": refused") && !strings.HasPrefix(s, "runs-programs ") {
			t.Error(s)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository ran")
	}
}

func TestAWalkIsCancelled(t *testing.T) {
	h := newHome(t)
	h.repo("code/plain")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := scope.Options{Agent: setup.Settings{}, Roots: []string{h.at("code")}, Depth: 5}
	if _, err := scope.WholeUser(ctx, h.reader(), o); err == nil {
		t.Error("no error")
	}
}

func TestDirectoriesThatCannotBeReadAreNamed(t *testing.T) {
	testenv.AsUser(t)
	if os.Getuid() == 0 {
		t.Skip("root reads every directory")
	}
	h := newHome(t)
	h.repo("code/plain")
	h.repo("code/closed/inner")
	if err := os.Chmod(h.at("code/closed"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(h.at("code/closed"), 0o755) }) // as it was
	p, err := h.whole(scope.Options{Agent: setup.Settings{}})
	if err != nil || !slices.Equal(p.Walk.Unreadable, []string{h.at("code/closed")}) {
		t.Errorf("%v, %q", err, p.Walk.Unreadable)
	}
}

// TestThereAndBack: with the configuration as users have it, what whole-user
// writes is taken out to the byte, by the way back and by undo.
func TestThereAndBack(t *testing.T) {
	for name, arrange := range map[string]func(h home){
		"no configuration": func(h home) { _ = os.Remove(h.at(".gitconfig")) },
		"a directory before": func(h home) {
			h.git(".", "config", "--global", "core.hooksPath", "~/team")
			h.put("team/pre-commit", "#!/bin/sh\n")
		},
		"a linked file": func(h home) {
			h.put("dotfiles/gitconfig", "[user]\n\tname = A")
			_ = os.Remove(h.at(".gitconfig"))
			h.link("dotfiles/gitconfig", ".gitconfig")
		},
		"the other file": func(h home) {
			_ = os.Remove(h.at(".gitconfig"))
			h.put(".config/git/config",
				"[user]\n\tname = A\n")
		},
		"settings of the user": func(h home) { h.put(".claude/settings.json", "{\n\t\"model\": \"x\"\n}") },
		"approvals of the user": func(h home) {
			h.put(".local/state/steward-setup/approvals.json", "{\n  \"schema_version\": 1,\n  \"project_roots\": [\n"+
				"    \"/x\"\n  ]\n}\n")
		},
	} {
		for _, way := range []string{"per-project", "undo"} {
			t.Run(name+"/"+way, func(t *testing.T) {
				h := newHome(t)
				h.repo("code/plain")
				arrange(h)
				before := h.files()
				now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
				a := engine.Applier{State: h.at(".local/state/steward-setup"), Version: "test",
					Now: func() time.Time { now = now.Add(time.Second); return now }}
				p, err := h.whole(scope.Options{Agent: setup.Settings{}})
				if err != nil {
					t.Fatal(err)
				}
				receipt := h.apply(a, p.Plan, scope.WholeUserCommand)
				if h.files() == before {
					t.Fatal("nothing was written")
				}
				if way == "undo" {
					r, back, err := a.UndoPlan(h.reader(), receipt)
					if err == nil {
						err = a.Undo(t.Context(), r, back, back.ID, func(engine.Event) {})
					}
					if err != nil {
						t.Fatal(err)
					}
				} else {
					h.apply(a, h.back(a), scope.PerProjectCommand)
				}
				if after := h.files(); after != before {
					t.Errorf("before\n%s\nafter\n%s", before, after)
				}
			})
		}
	}
}

// TestASharedHookIsExecutable: for the user, and for who may read it; a mode with which git
// starts it stays.
func TestASharedHookIsExecutable(t *testing.T) {
	testenv.AsUser(t)
	h := newHome(t)
	h.repo("code/plain")
	for was, want := range map[os.FileMode]os.FileMode{0o755: 0, 0o700: 0, 0o600: 0o700, 0o644: 0o755} {
		p, err := h.whole(scope.Options{Agent: setup.Settings{}})
		if err != nil {
			t.Fatal(err)
		}
		h.apply(h.applier(), p.Plan, scope.WholeUserCommand)
		if err := os.Chmod(filepath.Join(githooks.SharedDir(h.reader().Places()), "pre-commit"), was); err != nil {
			t.Fatal(err)
		}
		if p, err = h.whole(scope.Options{Agent: setup.Settings{}}); err != nil {
			t.Fatal(err)
		}
		got := os.FileMode(0)
		for _, c := range p.Plan.Changes() {
			got = c.Mode
		}
		if got != want || len(p.Plan.Changes()) > 1 {
			t.Errorf("%o becomes %o, want %o", was, got, want)
		}
	}
}

func (h home) apply(a engine.Applier, p report.Plan, command string) (receipt string) {
	h.t.Helper()
	receipt, err := a.Apply(h.t.Context(), p, p.ID, command, func(engine.Event) {})
	if err != nil {
		h.t.Fatal(err)
	}
	return receipt
}

// files is every file of the home but receipts, with its bytes, and every
// directory.
func (h home) files() string {
	var all strings.Builder
	err := filepath.WalkDir(h.path, func(path string, e os.DirEntry, err error) error {
		if err != nil || strings.HasPrefix(path, h.at(".local/state/steward-setup/")) && e.Name() != "approvals.json" ||
			strings.HasPrefix(path, h.at(".local/state")) && e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		all.WriteString(strings.TrimPrefix(path, h.path) + " " + info.Mode().String() + "\n")
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all.Write(b)
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return all.String()
}
