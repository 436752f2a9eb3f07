// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command writes no settings, and git does it for the command:
// from a commit, or the index, that the command made.

package checks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// without is a policy with the sandbox switched off.
const without = `{"sandbox":{"enabled":false}}`

// settingsPatch is a mail with a patch of the settings.
const settingsPatch = "From: a\nSubject: x\n\n---\ndiff --git a/.claude/settings.json b/.claude/settings.json\n" +
	"--- a/.claude/settings.json\n+++ b/.claude/settings.json\n@@ -1 +1 @@\n-{}\n+{ }\n"

// planted has file in the index, and in a commit at ref, and not in the work tree.
func (m *Machine) planted(ref, file, text string) {
	m.t.Helper()
	dir, name := m.at("~/code/tracker"), "~/code/tracker/"+file
	old, err := os.ReadFile(filepath.Join(dir, file))
	if target, is := strings.CutPrefix(text, "-> "); is {
		m.symlink(target, name)
	} else {
		m.write(name, text, 0o644)
	}
	m.git(dir, "add", "-f", file)
	if ref != "" {
		m.git(dir, "commit", "-q", "--no-verify", "-m", "x")
	}
	if ref != "" && ref != "HEAD" {
		m.git(dir, "update-ref", ref, "HEAD")
		m.git(dir, "reset", "-q", "--soft", "HEAD~1")
	}
	if ref != "" {
		m.git(dir, "reset", "-q")
	}
	m.remove(name)
	if err == nil {
		m.write(name, string(old), 0o644)
	}
}

// madeBy is what a command made: with a reference a commit, otherwise the index.
func madeBy(name, ref, file, text string) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Warn, Where: "~/code/tracker/" + file,
		Break: func(m *Machine) { m.planted(ref, file, text) }}
}

// picks is an operation that was left, and goes on with a commit of another policy.
func picks(what, list, text string) Fault {
	return Fault{Name: what + " that was left picks a policy without a sandbox", Breaks: "policy-invariants",
		Want: report.Warn, Where: projectFile, Break: func(m *Machine) {
			m.planted("refs/planted", ".claude/settings.json", without)
			commit := strings.TrimSpace(m.read("~/code/tracker/.git/refs/planted"))
			m.git(m.at("~/code/tracker"), "update-ref", "-d", "refs/planted")
			m.write("~/code/tracker/.git/"+list, strings.ReplaceAll(text, "COMMIT", commit), 0o644)
		}}
}

// lacking is a commit without the policy.
func lacking(name string, seed func(m *Machine)) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Warn, Where: projectFile, Break: seed}
}

// leftOut is what keeps the policy out of a work tree that git writes.
func leftOut(name, where string, seed func(m *Machine)) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Warn, Where: where, Break: seed}
}

const remoteHead, remoteMain = "refs/remotes/origin/HEAD", "refs/remotes/origin/main"

var gitBaseFaults = []Fault{
	madeBy("origin/HEAD, at which claude -w starts, has no sandbox", remoteHead, ".claude/settings.json", without),
	madeBy("origin/HEAD has a hook that the project has not", remoteHead, ".claude/settings.local.json",
		`{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"id"}]}]}}`),
	madeBy("origin/HEAD allows what the policy does not", remoteHead, ".claude/settings.json",
		`{"sandbox":{"enabled":true},"permissions":{"allow":["Read(~/**)"]}}`),
	madeBy("origin/HEAD runs a command outside the sandbox", remoteHead, ".claude/settings.json",
		`{"sandbox":{"enabled":true,"excludedCommands":["*"]}}`),
	madeBy("origin/HEAD has settings that are no JSON", remoteHead, ".claude/settings.json", "no JSON"),
	madeBy("origin/HEAD has an MCP server that the project has not", remoteHead, ".mcp.json",
		`{"mcpServers":{"x":{"command":"id"}}}`),
	madeBy("origin/HEAD has a symlink in the place of a skill", remoteHead, ".claude/skills/x", "-> ../../tools"),
	madeBy("origin/HEAD has a plugin among the skills", remoteHead, ".claude/skills/x/.claude-plugin/plugin.json",
		`{"name":"x"}`),
	madeBy("origin/main has a hook of a skill, and there is no origin/HEAD", remoteMain, ".claude/skills/x/SKILL.md",
		"---\nname: x\n? hooks\n: Stop: []\n---\n"),
	lacking("origin/HEAD, at which claude -w starts, has no policy yet", func(m *Machine) {
		m.git(m.Project, "update-ref", remoteMain, "HEAD~1")
		m.git(m.Project, "symbolic-ref", remoteHead, remoteMain)
	}),
	lacking("the policy is not committed, and claude -w starts at HEAD", func(m *Machine) {
		m.git(m.Project, "reset", "--quiet", "HEAD~1")
	}),
	madeBy("the commit that is checked out has no sandbox", "HEAD", ".claude/settings.json", without),
	lacking("the commit that is checked out hides less than the policy, and no run found or wrote it", func(m *Machine) {
		less := strings.Replace(m.read(projectFile), `"Read(~/.ssh/**)",`, "", 1)
		m.planted("HEAD", ".claude/settings.json", less)
	}),
	{Name: "the commit that is checked out has no sandbox, and origin/main does", Breaks: "policy-invariants",
		Want: report.Warn, Where: "~/code/tracker/.claude/settings.json", Break: func(m *Machine) {
			m.git(m.at("~/code/tracker"), "update-ref", remoteMain, "HEAD")
			m.planted("HEAD", ".claude/settings.json", without)
		}},
	madeBy("the index has no sandbox", "", ".claude/settings.json", without),
	madeBy("a stash has a policy without a sandbox", "refs/stash", ".claude/settings.json", without),
	madeBy("a stash has a rule more, and the sandbox", "refs/stash", ".claude/settings.json",
		`{"sandbox":{"enabled":true},"permissions":{"allow":["Read(~/**)"]}}`),
	madeBy("a stash that git applies at the next commit has a policy without a sandbox", "MERGE_AUTOSTASH",
		".claude/settings.json", without),
	{Name: "a stash that git applies at the next commit in a linked worktree has a policy without a sandbox",
		Breaks: "policy-invariants", Want: report.Warn, Where: projectFile, Break: func(m *Machine) {
			m.planted("BISECT_START", ".claude/settings.json", without)
			m.write("~/code/tracker/.git/worktrees/tracker-fix/MERGE_AUTOSTASH", m.read("~/code/tracker/.git/BISECT_START"),
				0o644)
			m.remove("~/code/tracker/.git/BISECT_START")
		}},
	madeBy("git bisect reset goes back to a commit with a hook in the settings", "BISECT_START",
		".claude/settings.local.json", `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"id"}]}]}}`),
	{Name: "a stash of a rebase that was left has a policy without a sandbox", Breaks: "policy-invariants",
		Want: report.Warn, Where: projectFile, Break: func(m *Machine) {
			m.planted("BISECT_START", ".claude/settings.json", without)
			m.write("~/code/tracker/.git/rebase-merge/autostash", m.read("~/code/tracker/.git/BISECT_START"), 0o644)
			m.remove("~/code/tracker/.git/BISECT_START")
		}},
	madeBy("a stash that git applies at the next commit has no policy", "MERGE_AUTOSTASH", ".claude/settings.json", "{}"),
	madeBy("the index has no policy", "", ".claude/settings.json", "{}"),
	madeBy("the index has a policy that hides less", "", ".claude/settings.json", `{"sandbox":{"enabled":true}}`),
	madeBy("a stash opens the home", "refs/stash", ".claude/settings.json", `{"sandbox":{"enabled":true}}`),
	lacking("a stash that git applies at the next commit removes the policy", func(m *Machine) {
		m.git(m.Project, "rm", "--quiet", "--cached", ".claude/settings.json")
		m.git(m.Project, "commit", "--quiet", "--no-verify", "--message", "x")
		m.git(m.Project, "update-ref", "MERGE_AUTOSTASH", "HEAD")
		m.git(m.Project, "reset", "--quiet", "HEAD~1")
	}),
	lacking("git am --abort goes back to a commit without the policy", func(m *Machine) {
		m.planted("BISECT_START", ".claude/settings.json", "{}")
		m.write("~/code/tracker/.git/ORIG_HEAD", m.read("~/code/tracker/.git/BISECT_START"), 0o644)
		m.remove("~/code/tracker/.git/BISECT_START")
		m.write("~/code/tracker/.git/rebase-apply/next", "1\n", 0o644)
	}),
	leftOut("git am that was left changes the settings", "~/code/tracker/.git/rebase-apply/0002#diff",
		func(m *Machine) { m.write("~/code/tracker/.git/rebase-apply/0002", settingsPatch, 0o644) }),
	leftOut("git am that was left in a linked worktree changes settings, by their escaped name",
		"~/code/tracker/.git/worktrees/tracker-fix/rebase-apply/patch#rename to", func(m *Machine) {
			m.write("~/code/tracker/.git/worktrees/tracker-fix/rebase-apply/patch",
				"diff --git a/x b/x\nrename from x\nrename to \"\\056claude/settings.json\"\n", 0o644)
		}),
	leftOut("git am that was left has a patch in base64", "~/code/tracker/.git/rebase-apply/0001", func(m *Machine) {
		m.write("~/code/tracker/.git/rebase-apply/0001", "From: a\nContent-Transfer-Encoding: BASE64\n\nZGlmZg==\n", 0o644)
	}),
	leftOut("git am that was left applies elsewhere", "~/code/tracker/.git/rebase-apply/0001", func(m *Machine) {
		m.write("~/code/tracker/.git/rebase-apply/apply-opt", " '--directory=.claude'\n", 0o644)
		m.write("~/code/tracker/.git/rebase-apply/0001", "--- a/settings.json\n+++ b/settings.json\n", 0o644)
	}),
	leftOut("git rebase that was left applies a patch of the settings", "git rebase --continue or --skip of yours applies",
		func(m *Machine) {
			m.write("~/code/tracker/.git/rebase-apply/rebasing", "", 0o644)
			m.write("~/code/tracker/.git/rebase-apply/0002", settingsPatch, 0o644)
		}),
	leftOut("git am that was left renames the settings", "~/code/tracker/.git/rebase-apply/0001#diff",
		func(m *Machine) {
			m.write("~/code/tracker/.git/rebase-apply/0001",
				"diff --git a/.claude/settings.json b/x\nrename from .claude/settings.json\nrename to x\n", 0o644)
		}),
	leftOut("git am that was left has a patch of bytes", "~/code/tracker/.git/rebase-apply/0001#diff",
		func(m *Machine) {
			m.write("~/code/tracker/.git/rebase-apply/0001",
				"diff --git a/.claude/settings.json b/.claude/settings.json\nGIT binary patch\nliteral 2\n", 0o644)
		}),
	leftOut("git am that was left has more patches than are read", "~/code/tracker/.git/rebase-apply/0201",
		func(m *Machine) {
			for i := 1; i < 202; i++ {
				m.write(fmt.Sprintf("~/code/tracker/.git/rebase-apply/%04d", i), "none\n", 0o644)
			}
		}),
	picks("a rebase", "rebase-merge/git-rebase-todo", "noop\nfixup -C COMMIT # x\n"),
	picks("a cherry-pick", "sequencer/todo", "pick COMMIT x\n"),
	picks("a rebase of a hundred commits", "rebase-merge/git-rebase-todo",
		strings.Repeat("pick HEAD x\n", 99)+"pick COMMIT x\n"),
	{Name: "a rebase that was left has more commits than are looked at", Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/code/tracker/.git/rebase-merge/git-rebase-todo", Break: func(m *Machine) {
			m.write("~/code/tracker/.git/rebase-merge/git-rebase-todo", strings.Repeat("pick HEAD x\n", 101), 0o644)
		}},
	picks("a rebase in a linked worktree", "worktrees/tracker-fix/rebase-merge/git-rebase-todo", "pick COMMIT x\n"),
	{Name: "an older stash has a file with a hook, which is not tracked", Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/code/tracker/.claude/settings.local.json", Break: func(m *Machine) {
			local := m.Project + "/.claude/settings.local.json"
			own, err := os.ReadFile(m.at(local))
			testenv.OK(m.t, err)
			m.write(local, `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"id"}]}]}}`, 0o644)
			m.git(m.Project, "stash", "--quiet", "--all")
			m.write(local, string(own), 0o644)
			m.write("~/code/tracker/README.md", "more\n", 0o644)
			m.git(m.Project, "add", "README.md")
			m.git(m.Project, "stash", "--quiet")
		}},
	leftOut("claude -w is told directories, and .claude is none of them", projectFile, func(m *Machine) {
		m.set(projectFile, "worktree.sparsePaths", []string{"src", "docs"})
	}),
	leftOut("a sparse checkout leaves .claude out", "~/code/tracker/.git/info/sparse-checkout:3", func(m *Machine) {
		m.git(m.Project, "config", "core.sparseCheckout", "true")
		m.write("~/code/tracker/.git/info/sparse-checkout", "/*\n!/big/\n!/.claude/\n", 0o644)
	}),
	{Name: "a sparse checkout has left the policy out", Breaks: "policy-invariants", Want: report.Unknown,
		Voids: true, Where: "~/code/tracker/.git/info/sparse-checkout:2", Also: effects{
			"effective-sandbox": {report.Fail, "the policy alone switches the sandbox on"},
			"project-settings":  {report.Fail, "the policy is not there"}}, Break: func(m *Machine) {
			m.git(m.Project, "config", "core.sparseCheckout", "true")
			m.write("~/code/tracker/.git/info/sparse-checkout", "/*\n!/.claude/settings.json\n", 0o644)
			m.remove(projectFile)
		}},
	{Name: "a sparse checkout has left the policy out, and the index has another server", Breaks: "policy-invariants",
		Want: report.Unknown, Voids: true, Where: "~/code/tracker/.mcp.json", Also: effects{
			"effective-sandbox": {report.Fail, "the policy alone switches the sandbox on"},
			"project-settings":  {report.Fail, "the policy is not there"}}, Break: func(m *Machine) {
			m.write("~/code/tracker/.mcp.json", `{"mcpServers":{"x":{"command":"id"}}}`, 0o644)
			m.git(m.Project, "add", ".mcp.json")
			m.remove("~/code/tracker/.mcp.json")
			m.git(m.Project, "config", "core.sparseCheckout", "true")
			m.write("~/code/tracker/.git/info/sparse-checkout", "/*\n!/.claude/settings.json\n", 0o644)
			m.remove(projectFile)
		}},
	leftOut("git writes the policy in another encoding", "~/code/tracker/.git/info/attributes:3", func(m *Machine) {
		m.write("~/code/tracker/.git/info/attributes", "# x\n[attr]wide working-tree-encoding=UTF-32\n"+
			"**/setting[[:lower:]].json wide\n", 0o644)
	}),
	leftOut("the commit at which claude -w starts has the policy written in another encoding", projectFile,
		func(m *Machine) {
			m.planted("HEAD", ".claude/.gitattributes", "*.json working-tree-encoding=UTF-16LE\n")
		}),
	leftOut("git writes the policy through a filter", "~/code/tracker/.gitattributes:1", func(m *Machine) {
		m.write("~/code/tracker/.gitattributes", "\".claude/*\" filter=x\n", 0o644)
	}),
	madeBy("the index has an MCP server that the project has not", "", ".mcp.json",
		`{"mcpServers":{"x":{"command":"id"}}}`),
}

// withoutBase is the one warning of a repository whose default branch lacks the policy.
var withoutBase = map[report.ID]string{"policy-invariants": "claude -w starts there, without a sandbox"}

// Healthy states of a repository, each made after install committed the policy.
var gitStates = []Variant{
	{Name: "origin/HEAD is behind: it has settings, and no policy", Setup: on(func(s *setup) {
		s.before = func(m *Machine) {
			m.write(m.Project+"/.claude/settings.json", `{"model": "opus", "permissions": {"deny": ["Read(x)"]}}`, 0o644)
			m.write(m.Project+"/.claude/skills/x/SKILL.md", "---\nname: x\n---\nOld\n", 0o644)
			m.write(m.Project+"/.claude/skills/x/data.json", "{}", 0o644)
			m.git(m.Project, "add", "--all")
			m.git(m.Project, "commit", "--quiet", "--message", "Settings")
			m.write(m.Project+"/.claude/skills/x/SKILL.md", "---\nname: x\n---\nNew\n", 0o644)
			m.write(m.Project+"/.claude/skills/x/data.json", "[]", 0o644)
			m.git(m.Project, "update-ref", remoteMain, "HEAD")
			m.git(m.Project, "symbolic-ref", remoteHead, remoteMain)
		}
	}), Warns: withoutBase},
	{Name: "remotes that are this work tree and one beside it, and other names of hosts", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.git(m.Project, "remote", "add", "self", ".")
			m.git(m.Project, "remote", "add", "sibling", "../other")
			m.git(m.Project, "config", "url.git@git.example:.insteadOf", "work:")
		}
	})},
	{Name: "a feature branch, and the policy is not committed", Setup: on(func(s *setup) {
		s.worktree = ""
		s.after = func(m *Machine) {
			m.git(m.Project, "update-ref", remoteMain, "HEAD~1")
			m.git(m.Project, "checkout", "--quiet", "-b", "feature")
			m.git(m.Project, "reset", "--quiet", "HEAD~1")
		}
	}), Warns: withoutBase},
	{Name: "directories that claude -w is told, .claude among them, a sparse checkout, and attributes of other files",
		Setup: on(func(s *setup) {
			s.after = func(m *Machine) {
				m.set(projectFile, "worktree.sparsePaths", []string{"src", "./.claude/"})
				m.git(m.Project, "config", "core.sparseCheckout", "true")
				m.write(m.Project+"/.git/info/sparse-checkout", "/*\n!/*/\n/.claude/\n", 0o644)
				m.write(m.Project+"/.gitattributes", "* text=auto eol=lf\n*.ps1 working-tree-encoding=UTF-16\n"+
					"*.json working-tree-encoding=UTF-8\n*.psd filter=lfs diff=lfs merge=lfs -text\n", 0o644)
				m.git(m.Project, "add", "--all")
				m.git(m.Project, "commit", "--quiet", "--message", "More")
			}
		})},
	{Name: "a policy that asks about less, staged, and as a stash that was applied", Setup: on(func(s *setup) {
		s.worktree = ""
		s.after = func(m *Machine) {
			m.drop(projectFile, "permissions.ask", "Bash(git send-email *)")
			m.git(m.Project, "stash", "--quiet")
			m.git(m.Project, "stash", "apply", "--quiet")
			m.git(m.Project, "add", "--all")
			m.approve()
		}
	})},
	{Name: "a stash of a time before the policy, and one with files that are not tracked", Setup: on(func(s *setup) {
		s.worktree = ""
		s.before = func(m *Machine) {
			m.write(m.Project+"/.claude/settings.json", `{"permissions": {"allow": ["Read(~/**)"]}}`, 0o644)
			m.write(m.Project+"/.mcp.json", `{"mcpServers": {}}`, 0o644)
			m.git(m.Project, "add", "--all")
			m.git(m.Project, "commit", "--quiet", "--message", "Settings")
			m.write(m.Project+"/notes.txt", "x\n", 0o644)
			m.git(m.Project, "stash", "--quiet", "--include-untracked")
			m.write(m.Project+"/.claude/settings.json", "{}", 0o644)
			m.git(m.Project, "add", "--all")
			m.git(m.Project, "commit", "--quiet", "--message", "No settings")
		}
	})},
	{Name: "a rebase and a merge that were stopped, each with a stash of its own", Setup: on(func(s *setup) {
		s.worktree = ""
		s.after = func(m *Machine) {
			m.write(m.Project+"/go.mod", "module example.invalid/other\n", 0o644)
			m.git(m.Project, "stash", "--quiet")
			m.git(m.Project, "update-ref", "MERGE_AUTOSTASH", "refs/stash")
			m.write(m.Project+"/.git/rebase-merge/autostash", m.read(m.Project+"/.git/MERGE_AUTOSTASH"), 0o644)
			m.git(m.Project, "update-ref", "BISECT_START", "HEAD")
			m.write(m.Project+"/.git/rebase-merge/orig-head", m.read(m.Project+"/.git/BISECT_START"), 0o644)
			m.write(m.Project+"/.git/rebase-merge/git-rebase-todo", "# none\npick "+m.read(m.Project+
				"/.git/BISECT_START")+"label x\nbreak\nreset [new root]\npick --help\nmerge -C nothing x\n", 0o644)
			m.git(m.Project, "stash", "drop", "--quiet")
			m.write(m.Project+"/.git/rebase-apply/0001", settingsPatch, 0o644) // applied
			m.write(m.Project+"/.git/rebase-apply/next", "2\n", 0o644)
			m.write(m.Project+"/.git/rebase-apply/0002", strings.ReplaceAll(settingsPatch, ".claude/settings.json", "go.mod"),
				0o644)
		}
	})},
	{Name: "a sparse checkout, and the policy is not committed", Setup: on(func(s *setup) {
		s.worktree = ""
		s.after = func(m *Machine) {
			m.git(m.Project, "reset", "--quiet", "HEAD~1")
			m.git(m.Project, "config", "core.sparseCheckout", "true")
			m.write(m.Project+"/.git/info/sparse-checkout", "/*\n!/*/\n/src/\n", 0o644)
		}
	}), Warns: withoutBase},
	{Name: "a policy that a run changed, and the earlier one at HEAD", Setup: on(func(s *setup) {
		s.worktree = ""
		s.before = func(m *Machine) {
			m.write(m.Project+"/.claude/settings.json", `{"sandbox": {"enabled": true}}`, 0o644)
			m.git(m.Project, "add", "--all")
			m.git(m.Project, "commit", "--quiet", "--message", "A policy")
		}
		s.after = func(m *Machine) { m.git(m.Project, "reset", "--quiet", "HEAD~1") }
	})},
	{Name: "a policy beside the user's own, which is not committed yet", Setup: on(func(s *setup) {
		s.worktree, s.answers = "", report.Answers{"floor": {"yes"}}
		s.after = func(m *Machine) { m.git(m.Project, "reset", "--quiet", "--soft", "HEAD~1") }
	})},
	{Name: "a shallow clone with a detached HEAD", Setup: on(func(s *setup) {
		s.worktree = ""
		s.after = func(m *Machine) {
			clone := m.dir + "/clone"
			m.git(m.dir, "clone", "--quiet", "--depth=1", "file://"+m.Project, clone)
			if err := os.RemoveAll(m.at(m.Project + "/.git")); err != nil {
				m.t.Fatal(err)
			}
			if err := os.Rename(clone+"/.git", m.Project+"/.git"); err != nil {
				m.t.Fatal(err)
			}
			m.git(m.Project, "checkout", "--quiet", "--detach")
		}
	})},
}

// TestAProjectWithoutARepositoryHasNoBase: nothing is asked where git answers nothing.
func TestAProjectWithoutARepositoryHasNoBase(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := build(t, on(func(s *setup) { s.worktree = "" }))
	if err := os.RemoveAll(m.at(m.Project + "/.git")); err != nil {
		t.Fatal(err)
	}
	if f := m.judged("policy-invariants"); f.Status != report.Pass {
		t.Errorf("%+v", f)
	}
}
