// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git in the user's own sync repository, asked what it holds.
// What the repository holds came from other machines: its hooks and its
// fsmonitor are off. A call that reaches its remote does so as the user, by the
// user's ssh agent and credential helper, and never prompts.

package proc

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// syncTimeout bounds a call that waits for a server: a timer must end. A framework
// is a few megabytes.
const syncTimeout = 60 * time.Second

// GitSyncStatus asks for branch, upstream, distance and every changed or new
// file (git-status(1), porcelain format 2, NUL-separated).
func GitSyncStatus(dir string) Spec {
	return git(dir, "--no-optional-locks", "status", "--porcelain=v2", "-z", "--branch", "--no-renames",
		"--untracked-files=all", "--ignore-submodules=all")
}

// GitCommits counts the commits of the branch that is checked out.
func GitCommits(dir string) Spec { return git(dir, "rev-list", "--count", "HEAD", "--") }

// GitLocalPrograms lists the settings that name programs which git starts, each
// with its scope, as "scope", "key\nvalue", NUL after each; exit code 1 means
// none (git-config(1), "VARIABLES").
func GitLocalPrograms(dir string) Spec {
	return git(dir, "config", "--show-scope", "--includes", "-z", "--get-regexp",
		`^(filter\..*\.(clean|smudge|process)|diff\..*\.(command|textconv)|diff\.external|merge\..*\.driver|`+
			`core\.(sshcommand|gitproxy|askpass|editor|pager|alternaterefscommand)|credential\..*helper|`+
			`remote\..*\.(uploadpack|receivepack|vcs)|sequence\.editor|gpg\.program|gpg\..*\.(program|defaultkeycommand)|uploadpack\.packobjectshook)$`)
}

// asUser is git that reaches a remote as the user: by the user's ssh agent, by the
// proxy of the environment and by ssh, the command that the user's own configuration
// sets ("" for none). It prompts nowhere (ssh(1), SSH_ASKPASS_REQUIRE; OpenSSH 8.4 or
// newer).
func asUser(s Spec, ssh string) Spec {
	s.timeout, s.network, s.agent = syncTimeout, true, true
	if s = s.with(transports, ownSSH); ssh == "" {
		return s
	}
	return s.with("GIT_SSH_COMMAND="+batch(ssh), "SSH_ASKPASS=/bin/false", "SSH_ASKPASS_REQUIRE=force")
}

// transports are those of a call that reaches a remote, ownSSH is its ssh if the
// user has set none.
const (
	transports = "GIT_ALLOW_PROTOCOL=https:ssh:file"
	ownSSH     = "GIT_SSH_COMMAND=ssh -oBatchMode=yes"
)

// GitSSHCommand lists core.sshCommand as "scope", "value", NUL after each; exit
// code 1 means none.
func GitSSHCommand(dir string) Spec {
	return git(dir, "config", "--show-scope", "--includes", "-z", "--get-all", "core.sshCommand")
}

// batch is the ssh command of the user's with the option that keeps OpenSSH from
// prompting, where git takes the command for OpenSSH by its name (git-config(1),
// ssh.variant). Another program may not know the option.
func batch(command string) string {
	words := strings.Fields(command)
	if len(words) == 0 {
		return command
	}
	if name := strings.ToLower(filepath.Base(words[0])); name != "ssh" && name != "ssh.exe" {
		return command
	}
	return command + " -oBatchMode=yes"
}

// GitSyncHeads asks a remote, as the user, for its branches and which of them is the
// default one: "ref: refs/heads/NAME\tHEAD" and "COMMIT\tHEAD", where that branch has
// a commit, and "COMMIT\trefs/heads/NAME" of each, a line each; nothing of a
// repository without commits.
func GitSyncHeads(address, ssh string) Spec {
	return asUser(ours("/", "ls-remote", "--symref", "--upload-pack", "git-upload-pack", "--", address, "HEAD",
		"refs/heads/*"), ssh)
}

// FetchAsUser is Fetch of a branch as the user; FetchPack is that in one pack.
func (b Bare) FetchAsUser(address, ssh, branch string) Spec {
	return asUser(b.Fetch(address, "refs/heads/"+branch), ssh)
}

// FetchPack is described with FetchAsUser.
func (b Bare) FetchPack(address, ssh, branch string) Spec {
	s := b.FetchAsUser(address, ssh, branch)
	s.args = slices.Insert(s.args, 2, "-c", "fetch.unpackLimit=1")
	return s
}
