// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a command does to a repository below the root, also to a
// submodule of any depth or one that is not checked out yet, is named.

package checks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// nestedRepo is a fault in what a repository in a subdirectory configures.
func nestedRepo(name, config, key, value string, init ...string) Fault {
	return Fault{Name: "a repository in a subdirectory, " + name, Breaks: "policy-invariants", Want: report.Warn,
		Where: config + "#" + key[strings.LastIndex(key, ".")+1:],
		Break: func(m *Machine) {
			m.git(m.Project, append([]string{"init", "-q"}, init...)...)
			if name, is := strings.CutPrefix(config, "~/code/tracker/.git/modules/"); is {
				m.moveTo("~/code/tracker/x/.git", filepath.Dir(config))
				m.remove("~/code/tracker/x/.git")
				m.write("~/code/tracker/x/.git", "gitdir: ../.git/modules/"+filepath.Dir(name)+"\n", 0o644)
			}
			m.git(m.Project, "config", "--file", m.at(config), key, value)
		}}
}

// submodule is a fault in the git directory of a submodule, which a command may write.
func submodule(name, where string, then func(m *Machine, git string)) Fault {
	return Fault{Name: "a submodule " + name, Breaks: "policy-invariants", Want: report.Warn, Where: where,
		Break: func(m *Machine) {
			git := "~/code/tracker/.git/modules/libs/third/x"
			m.git(m.Project, "init", "-q", "libs/third/party/x")
			m.moveTo("~/code/tracker/libs/third/party/x/.git", git)
			m.remove("~/code/tracker/libs/third/party/x/.git")
			m.write("~/code/tracker/libs/third/party/x/.git", "gitdir: ../../../../.git/modules/libs/third/x\n", 0o644)
			then(m, git)
		}}
}

// indexed is a fault in a repository that a command adds to the index, or to that of one
// which it added.
func indexed(what string, below ...string) Fault {
	last := "~/code/tracker/" + strings.Join(below, "/") + "/.git/config"
	return Fault{Name: "a repository " + what, Breaks: "policy-invariants", Want: report.Warn, Where: last + "#fsmonitor",
		Break: func(m *Machine) {
			dir := m.Project
			for _, rel := range below {
				at := dir + "/" + rel
				m.git(dir, "init", "-q", rel)
				m.git(at, "commit", "-q", "--no-verify", "--allow-empty", "-m", "x")
				m.git(dir, "add", rel)
				dir = at
			}
			configures("core.fsmonitor", "id")(m, dir+"/.git")
		}}
}

// gitLink is a fault by a symlink that a command left in the git directory.
func gitLink(name, to, what string, want report.Status) Fault {
	path := filepath.Join("~/code/tracker/.git", name)
	return Fault{Name: what, Breaks: "policy-invariants", Want: want, Voids: want == report.Fail, Where: path,
		Break: func(m *Machine) {
			if strings.HasPrefix(name, "modules/") {
				m.git(m.Project, "init", "-q", "--bare", ".git/modules/x")
			}
			if strings.HasPrefix(name, "../packages/links/") {
				m.git(m.Project, "init", "-q", "packages/links")
			}
			_ = os.RemoveAll(m.at(path))
			m.symlink(to, path)
		}}
}

// configures is what a command adds to a configuration of git.
func configures(key, value string) func(*Machine, string) {
	return func(m *Machine, git string) { m.git(m.Project, "config", "--file", m.at(git+"/config"), key, value) }
}

const deepConfig = "~/code/tracker/.git/modules/libs/third/x/config"

var nestedGitFaults = []Fault{
	gitLink("COMMIT_EDITMSG", "../../../.zshenv", "git writes the message of a commit to a start file", report.Fail),
	gitLink("MERGE_MSG", "../../../.ssh/id_ed25519", "git takes the message of a commit from a key", report.Fail),
	gitLink("logs/HEAD", "../../../../.bash_login", "git logs to a start file that is not there yet", report.Fail),
	gitLink("logs/refs/heads", "../../../../../.bashrc.d", "git logs to a directory of start files", report.Fail),
	gitLink("ORIG_HEAD", "config", "git writes a commit to its own configuration", report.Fail),
	gitLink("lfs/objects/ab/cd/abcd", "../../../../../../../.ssh/id_ed25519", "git-lfs reads a key", report.Fail),
	gitLink("lfs", "../../../stored", "git-lfs keeps its files elsewhere", report.Warn),
	gitLink("modules/x/COMMIT_EDITMSG", "../../../../../.zshenv", "git writes to a start file from a submodule",
		report.Fail),
	gitLink("../packages/links/.git/COMMIT_EDITMSG", "../../../../../.zshenv",
		"git writes to a start file from a repository in a subdirectory", report.Fail),
	nestedRepo("has a monitor", "~/code/tracker/packages/x/.git/config", "core.fsmonitor", "id", "packages/x"),
	nestedRepo("which is bare, includes a file", "~/code/tracker/x/config", "include.path", "../y", "--bare", "x"),
	nestedRepo("a submodule, has a remote helper", "~/code/tracker/.git/modules/x/config", "remote.origin.url",
		"ext::sh -c id", "x"),
	indexed("in the index has a monitor, at any depth", "a/b/c/d/e"),
	indexed("in the index of one in the index has a monitor", "a/b/c/d/e", "f/g/h/i"),
	submodule("below three directories has a monitor", deepConfig+"#fsmonitor", configures("core.fsmonitor", "id")),
	submodule("writes to the home", deepConfig+"#worktree", configures("core.worktree", "../../../../../../..")),
	submodule("writes to .claude", deepConfig+"#worktree", configures("core.worktree", "../../../../../.claude")),
	submodule("writes to the root", deepConfig+"#worktree", configures("core.worktree", "../../../../..")),
	submodule("has a hook for git status", "~/code/tracker/.git/modules/libs/third/x/hooks/post-index-change",
		func(m *Machine, git string) { m.write(git+"/hooks/post-index-change", "#!/bin/sh\n", 0o755) }),
	submodule("has the configuration of another directory", "~/code/tracker/.cache/g/config#fsmonitor",
		func(m *Machine, git string) {
			m.write("~/code/tracker/.cache/g/config", "[core]\n\tfsmonitor = id\n", 0o644)
			m.write(git+"/commondir", "../../../../../.cache/g\n", 0o644)
		}),
	submodule("that is not checked out has a monitor", "~/code/tracker/.git/modules/later/config#fsmonitor",
		func(m *Machine, _ string) {
			m.git(m.Project, "init", "-q", "--bare", ".git/modules/later")
			configures("core.fsmonitor", "id")(m, "~/code/tracker/.git/modules/later")
		}),
	submodule("of a submodule has a monitor",
		"~/code/tracker/.git/modules/libs/third/x/modules/y/config#fsmonitor", func(m *Machine, git string) {
			m.git(m.Project, "init", "-q", "--bare", ".git/modules/libs/third/x/modules/y")
			configures("core.fsmonitor", "id")(m, git+"/modules/y")
		}),
	submodule("has a monitor in the configuration of its work tree",
		"~/code/tracker/.git/modules/libs/third/x/config.worktree#fsmonitor", func(m *Machine, git string) {
			configures("extensions.worktreeConfig", "true")(m, git)
			m.write(git+"/config.worktree", "[core]\n\tfsmonitor = id\n", 0o644)
		}),
	{Name: "more repositories below the root than are asked", Breaks: "policy-invariants", Want: report.Unknown,
		Where: "~/code/tracker/tools/r99", Break: func(m *Machine) {
			for i := range 101 {
				for _, name := range []string{"HEAD", "config", "objects/x", "refs/x"} {
					m.write(fmt.Sprintf("~/code/tracker/tools/r%d/%s", i, name), "", 0o644)
				}
			}
		}},
}
