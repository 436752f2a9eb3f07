// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git runs what a repository configures. Where a command can
// make or choose the repository, that is an escape.

package checks_test

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// stay is the setting that keeps the working directory of hooks in the project.
const stay = "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"

// staying is a machine whose user keeps hooks in the project.
func staying(f Fault) Fault {
	seed := f.Break
	f.Name += ", in a session that stays in the project"
	f.Break = func(m *Machine) {
		m.set(userFile, "env."+stay, "1")
		seed(m)
	}
	return f
}

var gitFaults = slices.Concat(each(startsFault, "git log -1", "git status --short --ignore-submodules",
	"git diff --cached",
	"cd tools && git log", `cd "$(git rev-parse --show-toplevel)" && git log`,
	`git -C "$CLAUDE_PROJECT_DIR" status --short`, "git add -A && git commit -qm wip",
	`git -C "$CLAUDE_PROJECT_DIR/tools" log`, "gh pr create --fill", "claude -p hello",
	"git -c core.fsmonitor=false status", ".claude/hooks/x.sh"),
	each(unresolved, `git -C "$X" log`, `cd "$X" && git log`, "git -c core.pager=x log"),
	[]Fault{
		{Name: "a hook of the user's own that runs git in the project", Breaks: "policy-invariants", Want: report.Warn,
			Where: userFile + "#\"Stop\"#command",
			Break: func(m *Machine) { m.userHook(`git -C "$CLAUDE_PROJECT_DIR" log -1`) }},
		{Name: "a command left a commondir in the git directory of the project", Breaks: "policy-invariants",
			Want: report.Fail, Voids: true, Where: "~/code/tracker/.git/commondir",
			Break: func(m *Machine) {
				m.write("~/code/tracker/.git/commondir", ".\n", 0o644)
			}},
		staying(startsFault("git status")),
		staying(startsFault("cd tools && git log")),
		{Name: "a script of the user's own that a hook calls runs git in the agent's directory", Breaks: "policy-invariants",
			Want: report.Unknown, Where: "~/.claude/scripts/line.sh#git",
			Break: func(m *Machine) {
				m.write("~/.claude/scripts/line.sh", "#!/bin/bash\ndir=$(jq -r .workspace.current_dir)\ncd \"$dir\" || exit\n"+
					"git status --short | wc -l\n", 0o755)
				m.userHook("~/.claude/scripts/line.sh")
			}},
		{Name: "a CwdChanged hook runs git, in a session that stays in the project", Breaks: "policy-invariants",
			Want: report.Fail, Voids: true, Where: userFile + "#CwdChanged#command",
			Break: func(m *Machine) {
				m.set(userFile, "env."+stay, "1")
				m.set(userFile, "hooks.CwdChanged", []any{map[string]any{"hooks": []any{map[string]any{"type": "command",
					"command": "git log -1"}}}})
			}},
	})

// config is a fault in the user's own git configuration.
func config(name, text, where string, want report.Status, voids bool) Fault {
	return Fault{Name: "the user's git configuration: " + name, Breaks: "policy-invariants", Want: want, Voids: voids,
		Where: where,
		Break: func(m *Machine) {
			m.write("~/code/tracker/tools/x", "#!/bin/sh\n", 0o755)
			m.write("~/code/tracker/tools/gitconfig", "[user]\n\tname = x\n", 0o644)
			m.write("~/.gitconfig", strings.ReplaceAll(text, "HOME", m.Home), 0o644)
		}}
}

// rebase is a fault in what is left of a rebase in a git directory.
func rebase(name, dir, line string) Fault {
	path := dir + "/rebase-merge/git-rebase-todo"
	return Fault{Name: "a rebase that is not finished " + name, Breaks: "policy-invariants", Want: report.Warn,
		Where: path,
		Break: func(m *Machine) { m.write(path, "pick 1234567 x\n"+line+"\n", 0o644) }}
}

// strategy is a fault in the merge strategy of what git was stopped in the middle of.
func strategy(name, file, text string) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Warn, Where: file,
		Break: func(m *Machine) { m.write(file, text, 0o644) }}
}

// repoConfig sets a value in the repository's own configuration.
func repoConfig(name, key, value string) Fault {
	return Fault{Name: "the repository's configuration " + name, Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/code/tracker/.git/config#" + key[strings.LastIndex(key, ".")+1:],
		Break: func(m *Machine) { m.git(m.at("~/code/tracker"), "config", key, value) }}
}

// waiting is a FIFO that git's configuration names: git would never answer.
func waiting(name, config, value, fifo string, status report.Status) Fault {
	also := effects{}
	for _, id := range []report.ID{"mcp-servers", "project-root", "project-settings", "runtime-advisories", "scope"} {
		also[id] = Effect{report.Unknown, "git answers nothing"}
	}
	return Fault{Name: name, Breaks: "policy-invariants", Want: status, Also: also,
		Voids: status == report.Fail && config == "~/.gitconfig", Where: config + "#" + value, Break: func(m *Machine) {
			if err := syscall.Mkfifo(m.at(fifo), 0o600); err != nil {
				m.t.Fatal(err)
			}
			m.write(config, m.read(config)+"[include]\n\tpath = "+value+"\n", 0o644)
		}}
}

var gitConfigFaults = []Fault{
	waiting("the repository's configuration includes a FIFO of the project", "~/code/tracker/.git/config", "../fifo",
		"~/code/tracker/fifo", report.Fail),
	waiting("your git configuration includes a FIFO of the project", "~/.gitconfig", "code/tracker/fifo",
		"~/code/tracker/fifo", report.Fail),
	waiting("your git configuration includes a FIFO", "~/.gitconfig", "fifo", "~/fifo", report.Unknown),
	repoConfig("lets an address name a program", "protocol.ext.allow", "always"),
	repoConfig("includes a file of the project", "include.path", "../tools/gitconfig"),
	repoConfig("has a filter of the project", "filter.x.clean", "./tools/clean"),
	repoConfig("has a file system monitor of the project", "core.fsmonitor", "./tools/watch"),
	repoConfig("has a credential helper of the project", "credential.helper", "!./tools/login"),
	repoConfig("has an ssh command of the project", "core.sshCommand", "tools/ssh"),
	repoConfig("has a merge driver of npm's", "merge.x.driver", "npx merge %A"),
	repoConfig("has a directory of hooks in the project", "core.hooksPath", ".husky/_"),
	repoConfig("has a filter by prettier", "filter.x.clean", "prettier --stdin-filepath %f"),
	{Name: "a symlink origin, and no remote of that name", Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/code/tracker/origin", Break: func(m *Machine) { m.symlink("../other", "~/code/tracker/origin") }},
	rebase("runs a command", "~/code/tracker/.git", "exec ./tools/x"),
	rebase("runs a command behind a tab", "~/code/tracker/.git", "\tx\t./tools/x\r"),
	rebase("runs a command, in another worktree", "~/code/tracker/.git/worktrees/other", "x ./tools/x"),
	strategy("a rebase that is not finished has a merge strategy of the project",
		"~/code/tracker/.git/rebase-merge/strategy", "../x\n"),
	strategy("a cherry-pick that is not finished has a merge strategy of the project",
		"~/code/tracker/.git/sequencer/opts", "[options]\n\tedit = true\n\tSTRATEGY = \"../x\"\n"),
	strategy("a cherry-pick that is not finished has a merge strategy, in another worktree",
		"~/code/tracker/.git/worktrees/other/sequencer/opts", "[options] strategy=evil\n"),
	{Name: "what is left of a rebase is a symlink to a credential", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: "~/code/tracker/.git/rebase-merge/git-rebase-todo",
		Break: func(m *Machine) {
			m.write("~/.netrc", "exec word-of-the-netrc\n", 0o600)
			m.write("~/code/tracker/.git/rebase-merge/head-name", "x\n", 0o644)
			m.symlink(m.at("~/.netrc"), "~/code/tracker/.git/rebase-merge/git-rebase-todo")
		}},
	config("includes a file of the project", "[user]\n\tname = x\n[include]\n\tpath = ~/code/tracker/tools/gitconfig\n",
		"~/.gitconfig#path", report.Fail, true),
	config("includes a file that a command could put there", "[include]\n\tpath = code/tracker/new\n", "~/.gitconfig#path",
		report.Fail, true),
	config("includes a file of the project on a condition", "[includeIf \"gitdir:~/code/\"]\n"+
		"\tpath = ~/code/tracker/tools/gitconfig\n", "~/.gitconfig#path", report.Fail, true),
	config("a filter in the project", "[filter \"x\"]\n\tsmudge = cat\n\tclean = HOME/code/tracker/tools/x --clean %f\n",
		"~/.gitconfig#clean", report.Fail, true),
	config("a filter by a relative path", "[filter \"x\"]\n\tprocess = tools/x\n", "~/.gitconfig#process", report.Fail,
		true),
	config("a filter of npm's", "[filter \"x\"]\n\tclean = npx fmt\n", "~/.gitconfig#clean", report.Fail, true),
	config("a filter by prettier", "[filter \"x\"]\n\tclean = prettier --stdin-filepath %f\n", "~/.gitconfig#clean",
		report.Warn, false),
	config("a filter by a program that nobody knows", "[filter \"x\"]\n\tclean = scrub\n", "~/.gitconfig#clean",
		report.Warn, false),
	config("a filter with a file's name in quotes", "[filter \"x\"]\n\tclean = \"sh -c 'cat %f'\"\n", "~/.gitconfig#clean",
		report.Fail, true),
	config("a filter that evaluates a file's name", "[filter \"x\"]\n\tclean = eval cat %f\n", "~/.gitconfig#clean",
		report.Fail, true),
	config("a merge driver with a file's name in quotes", "[merge \"x\"]\n\tdriver = \"cp %B %A; echo \\\"%P\\\"\"\n",
		"~/.gitconfig#driver", report.Fail, false),
	config("a merge driver of npm's", "[merge \"x\"]\n\tdriver = npx merge %O %A %B\n", "~/.gitconfig#driver",
		report.Fail, false),
	config("a merge driver that is not resolved", "[merge \"x\"]\n\tdriver = \"$DRIVER %A\"\n", "~/.gitconfig#driver",
		report.Unknown, false),
	config("a text conversion of npm's", "[diff \"x\"]\n\ttextconv = npm run -s text --\n", "~/.gitconfig#textconv",
		report.Fail, false),
	config("a text conversion that reads ansible.cfg", "[diff \"x\"]\n\ttextconv = ansible-vault view\n",
		"~/.gitconfig#textconv", report.Fail, false),
	config("a text conversion by eslint", "[diff \"x\"]\n\ttextconv = eslint --format unix\n", "~/.gitconfig#textconv",
		report.Warn, false),
	config("a diff program below node_modules", "[diff]\n\texternal = node_modules/.bin/difft\n",
		"~/.gitconfig#external", report.Fail, false),
	config("core.fsmonitor of npm's", "[core]\n\tfsmonitor = npx watch\n", "~/.gitconfig#fsmonitor", report.Fail, false),
	config("a pager of npm's", "[core]\n\tpager = npx -y page\n", "~/.gitconfig#pager", report.Fail, false),
	config("an ssh command with a file of the directory", "[core]\n\tsshCommand = ssh -F conf\n",
		"~/.gitconfig#sshCommand", report.Fail, false),
	config("a filter that is not resolved", "[filter \"x\"]\n\tclean = \"$FILTER\"\n", "~/.gitconfig#clean",
		report.Unknown, false),
	config("a credential helper in the project", "[credential]\n\thelper = HOME/code/tracker/tools/x\n",
		"~/.gitconfig#helper", report.Fail, false),
	config("an alias that runs a script of the project", "[alias]\n\tx = !tools/x\n", "~/.gitconfig#x", report.Fail,
		false),
	config("a program for git-svn in the project", "[svn]\n\tauthorsProg = tools/x\n", "~/.gitconfig#authorsProg",
		report.Fail, false),
	config("core.fsmonitor in the project", "[core]\n\tfsmonitor = ~/code/tracker/tools/x\n", "~/.gitconfig#fsmonitor",
		report.Fail, false),
	config("hooks in the project", "[core]\n\thooksPath = ~/code/tracker/hooks\n", "~/.gitconfig#hooksPath", report.Fail,
		false),
	config("hooks by a relative path", "[core]\n\thooksPath = .githooks\n", "~/.gitconfig#hooksPath", report.Warn, false),
	{Name: "the user's git configuration: a symlink into the project", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: "~/.gitconfig",
		Break: func(m *Machine) {
			m.write("~/code/tracker/dotfiles/gitconfig", "[user]\n\tname = x\n", 0o644)
			if err := os.Remove(m.at("~/.gitconfig")); err != nil {
				m.t.Fatal(err)
			}
			m.symlink(m.at("~/code/tracker/dotfiles/gitconfig"), "~/.gitconfig")
		}},
	{Name: "the user's git configuration: ~/.config/git is a symlink into the project", Breaks: "policy-invariants",
		Want: report.Fail, Voids: true, Where: "~/.config/git/config",
		Break: func(m *Machine) {
			m.write("~/code/tracker/dotfiles/config", "[user]\n\tname = x\n", 0o644)
			m.symlink(m.at("~/code/tracker/dotfiles"), "~/.config/git")
		}},
	{Name: "the user's git configuration: a file that it includes leads to a filter in the project",
		Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: "~/.gitconfig.work#clean",
		Break: func(m *Machine) {
			m.write("~/.gitconfig", "[includeIf \"gitdir:~/elsewhere/\"]\n\tpath = .gitconfig.work\n", 0o644)
			m.write("~/.gitconfig.work", "[filter \"x\"]\n\tclean = ~/code/tracker/tools/x\n", 0o644)
		}},
}

// ordinaryGit is a configuration whose programs lie where no command can write.
var ordinaryGit = on(func(s *setup) {
	s.after = func(m *Machine) {
		m.symlink(m.at("~/.githooks/pre-push"), "~/.githooks/pre-commit")
		m.git(m.Project, "init", "--quiet", "vendored/x")
		m.git(m.at("~/code/tracker/vendored/x"), "config", "filter.lfs.process", "git-lfs filter-process")
		m.git(m.at("~/code/tracker/vendored/x"), "config", "core.sshCommand", "ssh -i ~/.ssh/work")
		m.write("~/.githooks/pre-push", "#!/bin/sh\ngit lfs pre-push \"$@\"\n"+
			"git ls-files | xargs -I{} sh -c 'grep -q WIP \"$1\"' _ {}\n. \"$(dirname \"$0\")/lib.sh\"\n", 0o755)
		m.write("~/.githooks/lib.sh", "check() { git diff --cached --check; }\n", 0o644)
		m.write("~/.githooks/commit-msg", "#!/usr/bin/env python3\nimport subprocess, sys\n# runs ./x, not overcommit\n"+
			"subprocess.run(['git', 'diff', '--cached', '--name-only'])\nprint(open('./VERSION').read())\n", 0o755)
		m.write("~/code/tracker/.git/hooks/pre-commit", "#!/bin/sh\n./tools/left-over\n", 0o755)
		m.write("~/.gitconfig.work", "[user]\n\temail = x@y.invalid\n", 0o644)
		m.write("~/.gitconfig", `[user]
	name = x
[includeIf "gitdir:~/work/"]
	path = ~/.gitconfig.work
[include]
	path = ~/.gitconfig.none
[core]
	pager = less -FRX
	editor = vim
	excludesFile = ~/.gitignore
	hooksPath = ~/.githooks
	fsmonitor = true
[filter "lfs"]
	clean = git-lfs clean -- %f
	smudge = git-lfs smudge -- %f
	process = git-lfs filter-process
	required = true
[credential]
	helper = cache --timeout=3600
[credential "https://github.com"]
	helper = !/usr/bin/gh auth git-credential
[alias]
	st = status --short
	lg = log --graph --oneline
	ri = rebase -i --autosquash
	rt = rebase -x 'make test'
	each = submodule foreach git pull
	wip = "!git add -A && git commit -m wip"
	root = "!f() { cd \"$1\" && ./x; }; f"
[filter "named"]
	clean = "sh -c 'cat \"$1\"' -- %f"
	smudge = "n=\"$(basename %f)`+"`dirname %f`"+`\"; sed 's/%%f/x/'"
[merge "ours"]
	driver = true
[diff "pdf"]
	textconv = pdftotext -layout
[gpg]
	program = gpg2
`, 0o644)
	}
})

// TestClaudeIsoKeepsHooksInTheProject: where a hook runs concerns the plain
// launch alone; what repositories of the project it looks into, both, as does a
// session whose settings send hooks elsewhere.
func TestClaudeIsoKeepsHooksInTheProject(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for _, c := range []struct {
		hook, stays string
		iso         report.Status
	}{
		{"git diff --cached", "", report.Warn},
		{"claude -p hello", "", report.Pass},
		{".claude/hooks/x.sh", "", report.Pass},
		{"git log -1", "0", report.Fail},
		{"git status", "", report.Fail},
	} {
		t.Run(c.hook+c.stays, func(t *testing.T) {
			m := copyOf(t, healthy)
			m.userHook(c.hook)
			if c.stays != "" {
				m.set(userFile, "env."+stay, c.stays)
			}
			m.approve()
			finding := m.judged("policy-invariants")
			iso := finding.Status
			for _, l := range finding.Launches {
				if l.Launch == report.Iso {
					iso = l.Status
				}
			}
			if finding.Status != report.Fail || iso != c.iso {
				t.Errorf("plain is judged %s, claude-iso %s, want %s: %+v", finding.Status, iso, c.iso, finding.Evidence)
			}
		})
	}
}

// TestRepositoriesThatOpenNothing: what sparse checkouts, aliases, directories of
// hooks that commands cannot write and installed programs leave in a repository's configuration is no opening,
// and a git directory in the project under another name is one.
func TestRepositoriesThatOpenNothing(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, c := range map[string]struct {
		seed func(m *Machine, git func(args ...string))
		want report.Status
	}{
		"usual settings": {func(m *Machine, git func(args ...string)) {
			git("config", "extensions.worktreeConfig", "true")
			git("config", "--worktree", "core.sparseCheckout", "true")
			git("config", "alias.x", "!./tools/x")
			git("config", "core.hooksPath", ".husky")
			m.add(projectFile, "sandbox.filesystem.denyWrite", "./.husky")
			m.git(m.Project, "commit", "--quiet", "--all", "--message", "Keep hooks")
			git("config", "core.pager", "cat")
			git("config", "remote.origin.url", "../origin.git")
			m.write("~/code/tracker/origin/README", "", 0o644)
		}, report.Pass},
		"a hook of git-lfs, seen from a linked worktree": {func(m *Machine, _ func(args ...string)) {
			m.write("~/code/tracker/.git/hooks/pre-push", "#!/bin/sh\ngit lfs pre-push \"$@\"\n", 0o755)
			m.Project = m.Worktree
		}, report.Pass},
		"a git directory by another name": {func(m *Machine, _ func(args ...string)) {
			m.git(m.at("~/code/tracker"), "init", "-q", "--separate-git-dir", m.at("~/code/tracker/dot.git"))
		}, report.Warn},
		"a git directory of a submodule, which an entry opens": {func(m *Machine, _ func(args ...string)) {
			m.write("~/up/.git/modules/x", "", 0o644)
			m.git(m.at("~/code/tracker"), "init", "-q", "--separate-git-dir", m.at("~/up/.git/modules/tracker"))
			for _, key := range []string{allowRead, allowWrite} {
				m.add(projectFile, key, "~/up/.git/modules/tracker")
			}
		}, report.Warn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			c.seed(m, func(args ...string) { m.git(m.at("~/code/tracker"), args...) })
			if f := m.judged("policy-invariants"); f.Status != c.want {
				t.Error(told(m, []report.Finding{f}, nil))
			}
		})
	}
}

// TestAHookInTheGitDirectoryThatAWorktreeShares: commands of a session in a linked
// worktree write the git directory of the main checkout, but for its hooks and
// configuration (the runtime says so in explain's test of agreement).
func TestAHookInTheGitDirectoryThatAWorktreeShares(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for script, open := range map[string]bool{"tools/x": true, "hooks/x": false} {
		m := copyOf(t, healthy)
		hooked(userFile, "PreToolUse", "", m.at("~/code/tracker/.git/"+script))(m)
		m.write("~/code/tracker/.git/"+script, "#!/bin/sh\nexit 0\n", 0o755)
		m.Project = m.Worktree
		f := m.judged("policy-invariants")
		names := strings.Contains(told(m, []report.Finding{f}, nil), "the git directory that this worktree shares")
		if (f.Status == report.Fail) != open || names != open {
			t.Error(script, told(m, []report.Finding{f}, nil))
		}
	}
}
