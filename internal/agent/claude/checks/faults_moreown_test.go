// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the user's own git and other programs start of a
// project by less usual settings is named in a whole run.

package checks_test

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/report"
)

// alias is a fault in an alias of the user's that is a command of git's.
func alias(text string) Fault {
	return config("the alias "+text, "[alias]\n\tt = "+text+"\n", "~/.gitconfig#t =", report.Fail, false)
}

// opensCode is an entry that opens what runs outside.
func opensCode(path string) Fault {
	return openedBy("allowWrite of "+path, userFile, allowWrite, path, report.Fail, true)
}

var moreOwnFaults = slices.Concat(
	each(opensCode, "~/.pnpm-store", "~/.cpan", "~/.Rprofile", "~/.cache/black", "~/.local/share/systemd/user",
		"~/.quicklisp", "~/.nimble", "~/.spack", "~/.cache/turbo", "~/.zcompdump", "~/.config/nix", "~/Android/Sdk"),
	each(alias, "rebase -x ./x", "rebase --exec=tools/x main", "difftool -y --extcmd=./x", "bisect run ./x", "grep -O./x",
		"submodule foreach ./x",
		"filter-branch --tree-filter ./x", "!git -c core.pager=./x log", "fetch ext::./x"),
	each(opensSecrets, "~/.cache/huggingface", "~/.huggingface", "~/.config/stripe", "~/.local/share/atuin",
		"~/.config/io.datasette.llm", "~/.subversion", "~/.vscode-server"),
	[]Fault{
		config("an alias of an alias", "[alias]\n\trx = rebase -x\n\tt = rx tools/x\n", "~/.gitconfig#t =", report.Fail,
			false),
		config("an address that is a command", "[protocol \"ext\"]\n\tallow = always\n"+
			"[url \"ext::HOME/code/tracker/tools/x \"]\n\tinsteadOf = work:\n", "~/.gitconfig#insteadOf", report.Fail, false),
		config("pushes go to a repository in the project", "[url \"HOME/code/tracker/\"]\n\tpushInsteadOf = https://h/\n",
			"~/.gitconfig#pushInsteadOf", report.Warn, false),
		config("a remote is a file of the project", "[remote \"m\"]\n\tpushurl = file://HOME/code/tracker/mirror.git\n",
			"~/.gitconfig#pushurl", report.Warn, false),
		repoConfig("has a remote in the project", "remote.mirror.url", "./mirror.git"),
		{Name: "the repository's configuration has a remote in the project, with an empty .git", Breaks: "policy-invariants",
			Want: report.Warn, Where: "~/code/tracker/.git/config#url", Break: func(m *Machine) {
				m.git(m.Project, "config", "remote.mirror.url", "./mirror.git")
				m.write("~/code/tracker/mirror.git/.git/x", "", 0o644)
			}},
		config("a browser for help", "[help]\n\tbrowser = own\n[browser \"own\"]\n\tcmd = ./x\n", "~/.gitconfig#cmd",
			report.Fail, false),
		config("a server for instaweb", "[instaweb]\n\thttpd = tools/lighttpd -f\n", "~/.gitconfig#httpd", report.Fail,
			false),
	})
