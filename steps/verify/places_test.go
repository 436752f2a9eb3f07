// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a repository with worktrees is looked at place by place,
// and what is half one scope and half the other is not taken for either.

package verify

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// git runs git as the user of the household.
func (h household) git(args ...string) {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = append(testenv.Env(h.t, h.home), "GIT_CONFIG_GLOBAL="+filepath.Join(h.home, ".gitconfig"))
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// worktrees makes ~/p a repository with the linked worktree ~/wt; both name
// their own root.
func (h household) worktrees() host.Reader {
	h.t.Helper()
	r := h.project(nil)
	h.put(".gitconfig", "[user]\n\tname = T\n\temail = t@example.invalid\n", 0o644)
	h.git("-C", filepath.Join(h.home, "p"), "commit", "-q", "--allow-empty", "-m", "x")
	h.git("-C", filepath.Join(h.home, "p"), "worktree", "add", "-q", filepath.Join(h.home, "wt"))
	h.names("p")
	h.names("wt")
	return r
}

// names has a worktree name its own root.
func (h household) names(rel string) {
	h.put(rel+"/.claude/settings.local.json", `{"sandbox":{"filesystem":{"allowRead":["`+filepath.Join(h.home, rel)+
		`"]}}}`, 0o600)
}

func TestProjectRoot(t *testing.T) {
	testenv.AsUser(t)
	const wtFile = "wt/.claude/settings.local.json"
	for _, tt := range []struct {
		name    string
		arrange func(household)
		status  report.Status
		words   []string
	}{
		{"as installed", func(household) {}, report.Pass, []string{"2 of 2 worktrees", wtFile + ":1:40"}},
		{"missing in one", func(h household) { h.remove(wtFile) }, report.Warn,
			[]string{"1 of 2 worktrees have their project root, not wt", wtFile, "allowRead lacks"}},
		{"another one's", func(h household) { h.put(wtFile, `{"sandbox":{"filesystem":{"allowRead":["/x"]}}}`, 0o600) },
			report.Warn, []string{"not wt"}},
		{"the start directory is no name", func(h household) {
			h.put(wtFile, `{"sandbox":{"filesystem":{"allowRead":["."]}}}`,
				0o600)
		}, report.Warn, []string{"not wt"}},
		{"named by the user", func(h household) {
			h.remove(wtFile)
			h.put(usersFile, `{"sandbox":{"filesystem":{"allowRead":["~/wt/"]}}}`, 0o600)
		}, report.Pass, []string{usersFile + ":1:40", "(user scope)"}},
		{"dropped in one, missing in the other", func(h household) {
			h.put(wtFile, "{\n //\n}", 0o600)
			h.remove(localFile)
		}, report.Fail, []string{wtFile + ":2:2", "0 of 2 worktrees", "not p; the runtime ignores the local settings of wt"}},
		{"the main one is writable", func(h household) {
			h.put(localFile, `{"sandbox":{"filesystem":{"allowRead":["`+filepath.Join(h.home, "p")+`"],"allowWrite":["`+
				filepath.Join(h.home, "p")+`"]}}}`, 0o600)
		}, report.Warn, []string{localFile + ":1:", "every linked worktree's session can write",
			"; the main checkout is writable from every worktree"}},
		{"a worktree that is gone", func(h household) {
			h.git("-C", filepath.Join(h.home, "p"), "worktree", "add", "-q", filepath.Join(h.home, "gone"))
			h.remove("gone/.git")
			h.remove("gone")
		}, report.Pass, []string{"2 of 2 worktrees", "gone left out: the directory is gone"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			r := h.worktrees()
			tt.arrange(h)
			wantFinding(t, checkRoots(context.Background(), r, filepath.Join(h.home, "p")), tt.status, tt.words...)
		})
	}
	h := newHousehold(t)
	wantFinding(t, checkRoots(context.Background(), h.reader("PATH=/usr/local/bin:/usr/bin:/bin"), h.home), report.Skip,
		"no git repository here")
}

func TestScope(t *testing.T) {
	testenv.AsUser(t)
	const global = "[core]\n\thooksPath = ~/.claude/git-hooks\n"
	ours := func(h household, rel string) {
		b, err := scripts.GitHook(filepath.Join(h.home, "bin/steward-setup"))
		if err != nil {
			h.t.Fatal(err)
		}
		h.put(rel, string(b), 0o755)
	}
	shared := func(h household) {
		h.put(".gitconfig", global, 0o644)
		b, err := scripts.Dispatcher{Binary: filepath.Join(h.home, "bin/steward-setup")}.Bytes()
		if err != nil {
			h.t.Fatal(err)
		}
		for _, name := range scripts.GitHooks {
			h.put(".claude/git-hooks/"+name, string(b), 0o755)
		}
	}
	ignored := func(h household) { h.put("p/.git/info/exclude", ".claude/settings.local.json\n", 0o644) }
	for _, tt := range []struct {
		name    string
		arrange func(household)
		status  report.Status
		words   []string
	}{
		{"whole-user as it is installed", func(h household) {
			shared(h)
			h.put("p/.git/hooks/pre-commit", "#!/bin/sh\n",
				0o755)
		}, report.Pass, []string{"whole-user"}},
		{"a shared hook is gone", func(h household) { shared(h); h.remove(".claude/git-hooks/pre-push") }, report.Warn,
			[]string{"1 of 27 shared hooks are missing or changed: pre-push", ".claude/git-hooks/pre-push missing"}},
		{"shared hooks were replaced", func(h household) {
			shared(h)
			h.put(".claude/git-hooks/pre-push", "#!/bin/sh\n", 0o755)
			h.put(".claude/git-hooks/commit-msg", "#!/bin/sh\n# steward-setup script: git-hook.sh\n", 0o755)
		}, report.Warn, []string{"2 of 27 shared hooks are missing or changed: commit-msg and more",
			"pre-push not written by steward-setup", "commit-msg edited"}},
		{"a shared hook cannot run", func(h household) {
			shared(h)
			if err := os.Chmod(filepath.Join(h.home, ".claude/git-hooks/update"), 0o644); err != nil {
				h.t.Fatal(err)
			}
		}, report.Warn, []string{"update not executable"}},
		{"the shared directory is gone", func(h household) { h.put(".gitconfig", global, 0o644) }, report.Warn,
			[]string{"points to a missing directory: no repository's hooks run"}},
		{"another core.hooksPath than when they were written", func(h household) {
			shared(h)
			h.put(".gitconfig", "[core]\n\thooksPath = ~/team\n"+global, 0o644)
		}, report.Warn, []string{"the previous core.hooksPath has changed since",
			"start each repository's own hooks; without them git would now run those of", "/team"}},
		{"cloned before", func(h household) { shared(h); ignored(h); h.put(localFile, "{}", 0o600) },
			report.Warn, []string{"is not registered: it was cloned before", localFile}},
		{"moved", func(h household) {
			shared(h)
			ignored(h)
			h.put(localFile, `{"sandbox":{"filesystem":{"allowRead":["/nowhere/p"]}}}`, 0o600)
		}, report.Warn, []string{"this worktree has moved: its settings name its old path", localFile +
			":1:40 allowRead names /nowhere/p, which does not exist"}},
		{"per-project", func(household) {}, report.Pass, []string{"per-project", "core.hooksPath is not set"}},
		{"per-project with our hook", func(h household) { ours(h, "p/.git/hooks/post-checkout") }, report.Pass,
			[]string{"p/.git/hooks/post-checkout the hook of steward-setup"}},
		{"hooks of the user's own", func(h household) { h.put(".gitconfig", "[core]\n\thooksPath = ~/hooks\n", 0o644) },
			report.Pass, []string{"per-project", ".gitconfig core.hooksPath ="}},
		{"whole-user", func(h household) {
			h.put(".gitconfig", global, 0o644)
			ours(h, ".claude/git-hooks/post-checkout")
		}, report.Pass, []string{"whole-user", ".gitconfig"}},
		{"whole-user over a repository's own", func(h household) {
			h.put(".gitconfig", global, 0o644)
			ours(h, ".claude/git-hooks/post-checkout")
			h.put("p/.git/hooks/pre-commit", "#!/bin/sh\n", 0o755)
		}, report.Warn, []string{"this one's own do not run: pre-commit"}},
		{"whole-user without the hook", func(h household) { h.put(".gitconfig", global, 0o644) }, report.Warn,
			[]string{"mixed", ".claude/git-hooks/post-checkout there is no hook"}},
		{"whole-user with a hook that cannot run", func(h household) {
			h.put(".gitconfig", global, 0o644)
			h.put(".claude/git-hooks/post-checkout", "#!/bin/sh\n", 0o644)
		}, report.Warn, []string{"mixed", "not executable"}},
		{"whole-user, but not here", func(h household) {
			h.put(".gitconfig", global, 0o644)
			ours(h, ".claude/git-hooks/post-checkout")
			h.git("-C", filepath.Join(h.home, "p"), "config", "core.hooksPath", ".husky/_")
		}, report.Warn, []string{"mixed: whole-user, but this repository looks for hooks in", ".husky/_ (local)",
			"(global), overridden"}},
		{"here alone", func(h household) {
			ours(h, ".claude/git-hooks/post-checkout")
			h.git("-C", filepath.Join(h.home, "p"), "config", "core.hooksPath", filepath.Join(h.home, ".claude/git-hooks"))
		}, report.Warn, []string{"mixed: only this repository"}},
		{"whole-user, and git could commit the file", func(h household) {
			shared(h)
			h.put(localFile, "{}", 0o600)
		}, report.Warn, []string{"root cannot be written: git could commit the file", "git does not ignore it"}},
		{"another version's shared hooks", func(h household) {
			shared(h)
			for _, name := range scripts.GitHooks {
				b, err := os.ReadFile(filepath.Join(h.home, ".claude/git-hooks", name))
				if err != nil {
					h.t.Fatal(err)
				}
				h.put(".claude/git-hooks/"+name, string(b)+"# as it was\n", 0o755)
			}
		}, report.Warn, []string{"another version of steward-setup wrote the shared hooks"}},
		{"a hook of the user's stays", func(h household) {
			h.put(".claude/git-hooks/post-checkout", "#!/bin/sh\n", 0o755)
		}, report.Pass, []string{"per-project"}},
		{"left behind", func(h household) { ours(h, ".claude/git-hooks/post-checkout") }, report.Warn,
			[]string{"mixed: per-project, but", "git looks in"}},
		{"our hook where git does not look", func(h household) {
			ours(h, "p/.git/hooks/post-checkout")
			h.git("-C", filepath.Join(h.home, "p"), "config", "core.hooksPath", ".husky/_")
		}, report.Warn, []string{"mixed", "p/.git/hooks/post-checkout"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			r := h.worktrees()
			tt.arrange(h)
			wantFinding(t, checkScope(context.Background(), r, filepath.Join(h.home, "p")), tt.status, tt.words...)
		})
	}
}
