// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a repository with worktrees is looked at place by place,
// and what is half one scope and half the other is not taken for either.

package checks

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
	says := held(t, "project-root")
	const wtFile = "wt/.claude/settings.local.json"
	for _, tt := range []struct {
		name    string
		arrange func(household)
		status  report.Status
	}{
		{"as installed", func(household) {}, report.Pass},
		{"missing in one", func(h household) { h.remove(wtFile) }, report.Warn},
		{"another one's", func(h household) { h.put(wtFile, `{"sandbox":{"filesystem":{"allowRead":["/x"]}}}`, 0o600) },
			report.Warn},
		{"the start directory is no name", func(h household) {
			h.put(wtFile, `{"sandbox":{"filesystem":{"allowRead":["."]}}}`,
				0o600)
		}, report.Warn},
		{"named by the user", func(h household) {
			h.remove(wtFile)
			h.put(usersFile, `{"sandbox":{"filesystem":{"allowRead":["~/wt/"]}}}`, 0o600)
		}, report.Pass},
		{"dropped in one, missing in the other", func(h household) {
			h.put(wtFile, "{\n //\n}", 0o600)
			h.remove(localFile)
		}, report.Fail},
		{"the main one is writable", func(h household) {
			h.put(localFile, `{"sandbox":{"filesystem":{"allowRead":["`+filepath.Join(h.home, "p")+"\"],\n"+`"allowWrite":["`+
				filepath.Join(h.home, "p")+`"]}}}`, 0o600)
		}, report.Warn},
		{"a worktree that is gone", func(h household) {
			h.git("-C", filepath.Join(h.home, "p"), "worktree", "add", "-q", filepath.Join(h.home, "gone"))
			h.remove("gone/.git")
			h.remove("gone")
		}, report.Pass},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			r := h.worktrees()
			tt.arrange(h)
			f := checkRoots(context.Background(), r, filepath.Join(h.home, "p"))
			wantFinding(t, f, tt.status)
			says(h, tt.name, f)
		})
	}
	h := newHousehold(t)
	wantFinding(t, checkRoots(context.Background(), h.reader("PATH=/usr/local/bin:/usr/bin:/bin"), h.home), report.Skip,
		"no git repository here")
}

func TestScope(t *testing.T) {
	testenv.AsUser(t)
	says := held(t, "scope")
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
	}{
		{"whole-user as it is installed", func(h household) {
			shared(h)
			h.put("p/.git/hooks/pre-commit", "#!/bin/sh\n",
				0o755)
		}, report.Pass},
		{"a shared hook is gone", func(h household) { shared(h); h.remove(".claude/git-hooks/pre-push") }, report.Warn},
		{"shared hooks were replaced", func(h household) {
			shared(h)
			h.put(".claude/git-hooks/pre-push", "#!/bin/sh\n", 0o755)
			h.put(".claude/git-hooks/commit-msg", "#!/bin/sh\n# steward-setup script: git-hook.sh\n", 0o755)
		}, report.Warn},
		{"a shared hook cannot run", func(h household) {
			shared(h)
			if err := os.Chmod(filepath.Join(h.home, ".claude/git-hooks/update"), 0o644); err != nil {
				h.t.Fatal(err)
			}
		}, report.Warn},
		{"the shared directory is gone", func(h household) { h.put(".gitconfig", global, 0o644) }, report.Warn},
		{"another core.hooksPath than when they were written", func(h household) {
			shared(h)
			h.put(".gitconfig", "[core]\n\thooksPath = ~/team\n"+global, 0o644)
		}, report.Warn},
		{"cloned before", func(h household) { shared(h); ignored(h); h.put(localFile, "{}", 0o600) },
			report.Warn},
		{"moved", func(h household) {
			shared(h)
			ignored(h)
			h.put(localFile, `{"sandbox":{"filesystem":{"allowRead":["/nowhere/p"]}}}`, 0o600)
		}, report.Warn},
		{"per-project", func(household) {}, report.Pass},
		{"per-project with our hook", func(h household) { ours(h, "p/.git/hooks/post-checkout") }, report.Pass},
		{"hooks of the user's own", func(h household) { h.put(".gitconfig", "[core]\n\thooksPath = ~/hooks\n", 0o644) },
			report.Pass},
		{"whole-user", func(h household) {
			h.put(".gitconfig", global, 0o644)
			ours(h, ".claude/git-hooks/post-checkout")
		}, report.Pass},
		{"whole-user over a repository's own", func(h household) {
			h.put(".gitconfig", global, 0o644)
			ours(h, ".claude/git-hooks/post-checkout")
			h.put("p/.git/hooks/pre-commit", "#!/bin/sh\n", 0o755)
		}, report.Warn},
		{"whole-user without the hook", func(h household) { h.put(".gitconfig", global, 0o644) }, report.Warn},
		{"whole-user with a hook that cannot run", func(h household) {
			h.put(".gitconfig", global, 0o644)
			h.put(".claude/git-hooks/post-checkout", "#!/bin/sh\n", 0o644)
		}, report.Warn},
		{"whole-user, but not here", func(h household) {
			h.put(".gitconfig", global, 0o644)
			ours(h, ".claude/git-hooks/post-checkout")
			h.git("-C", filepath.Join(h.home, "p"), "config", "core.hooksPath", ".husky/_")
		}, report.Warn},
		{"here alone", func(h household) {
			ours(h, ".claude/git-hooks/post-checkout")
			h.git("-C", filepath.Join(h.home, "p"), "config", "core.hooksPath", filepath.Join(h.home, ".claude/git-hooks"))
		}, report.Warn},
		{"whole-user, and git could commit the file", func(h household) {
			shared(h)
			h.put(localFile, "{}", 0o600)
		}, report.Warn},
		{"another version's shared hooks", func(h household) {
			shared(h)
			for _, name := range scripts.GitHooks {
				b, err := os.ReadFile(filepath.Join(h.home, ".claude/git-hooks", name))
				if err != nil {
					h.t.Fatal(err)
				}
				h.put(".claude/git-hooks/"+name, string(b)+"# as it was\n", 0o755)
			}
		}, report.Warn},
		{"a hook of the user's stays", func(h household) {
			h.put(".claude/git-hooks/post-checkout", "#!/bin/sh\n", 0o755)
		}, report.Pass},
		{"left behind", func(h household) { ours(h, ".claude/git-hooks/post-checkout") }, report.Warn},
		{"our hook where git does not look", func(h household) {
			ours(h, "p/.git/hooks/post-checkout")
			h.git("-C", filepath.Join(h.home, "p"), "config", "core.hooksPath", ".husky/_")
		}, report.Warn},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			r := h.worktrees()
			tt.arrange(h)
			f := checkScope(context.Background(), r, filepath.Join(h.home, "p"))
			wantFinding(t, f, tt.status)
			says(h, tt.name, f)
		})
	}
}
