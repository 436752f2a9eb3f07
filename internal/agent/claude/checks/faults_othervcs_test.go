// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a command writes into a repository that is not git's, at the
// root or below it, is named with its line.

package checks_test

import (
	"github.com/steward-setup/steward-setup/internal/report"
)

// repoLine is a fault by a file of another version control in the project; the line of it
// that holds mark is named.
func repoLine(name, file, mark, text string, more ...func(*Machine)) Fault {
	file = "~/code/tracker/" + file
	where := file
	if mark != "" {
		where += "#" + mark
	}
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Warn, Where: where, Break: func(m *Machine) {
		m.write(file, text, 0o644)
		for _, then := range more {
			then(m)
		}
	}}
}

// sqliteRow is a record of SQLite with these texts.
func sqliteRow(texts ...string) string {
	head, body := "", ""
	for _, text := range texts {
		kind := 13 + 2*len(text)
		if kind > 127 {
			head += string([]byte{byte(kind>>7) | 0x80})
			kind &= 127
		}
		head, body = head+string([]byte{byte(kind)}), body+text
	}
	return "\x40\x01" + string([]byte{byte(len(head) + 1)}) + head + body + "\x00\x00"
}

var otherVCSFaults = []Fault{
	repoLine("Mercurial runs a hook", ".hg/hgrc", "pre-status", "[paths]\ndefault = /srv/x\n[hooks]\npre-status = id\n"),
	repoLine("Mercurial includes a file that commands write", "conf/x", "st = ", "[alias]\nst = !id\n",
		func(m *Machine) { m.write("~/code/tracker/.hg/hgrc", "%include ../conf/x\n", 0o644) }),
	repoLine("Mercurial in a subdirectory has an editor", "packages/x/.hg/hgrc", "editor", "[ui]\neditor = ./x\n"),
	repoLine("a subrepository of Mercurial has a filter", "a/b/c/d/.hg/hgrc", "gz", "[decode]\n*.gz = pipe: id\n",
		func(m *Machine) { m.write("~/code/tracker/.hgsub", "a/b/c/d = a/b/c/d\n", 0o644) }),
	repoLine("Mercurial has the configuration of another directory", ".cache/a/b/c/.hg/hgrc", "ssh", "[ui]\nssh = id\n",
		func(m *Machine) { m.write("~/code/tracker/.hg/sharedpath", "../.cache/a/b/c/.hg\n", 0o644) }),
	repoLine("Mercurial pulls from another repository", ".cache/a/b/c/.hg/hgrc", "x.py", "[extensions]\nx = ./x.py\n",
		func(m *Machine) { m.write("~/code/tracker/.hg/hgrc", "[paths]\ndefault = .cache/a/b/c\n", 0o644) }),
	{Name: "Mercurial logs to a start file", Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/code/tracker/.hg/blackbox.log", Break: func(m *Machine) {
			m.write("~/code/tracker/.hg/hgrc", "[extensions]\nblackbox =\n", 0o644)
			m.symlink("../../../.zshenv", "~/code/tracker/.hg/blackbox.log")
		}},
	repoLine("Sapling in a repository of git has a pager", ".git/sl/config", "pager = ", "[pager]\npager = ./x\n"),
	repoLine("jj fixes files by a program", ".jj/repo/config.toml", "command",
		"user.name = \"x\"\n[fix.tools.x]\ncommand = [\"./x\"]\npatterns = [\"all()\"]\n"),
	repoLine("jj has a repository elsewhere, with a pager", ".cache/a/b/r/config.toml", "pager", "ui.pager = [\"./x\"]\n",
		func(m *Machine) { m.write("~/code/tracker/.jj/repo", "../.cache/a/b/r", 0o644) }),
	repoLine("git of jj has a monitor", ".jj/repo/store/git/config", "fsmonitor", "[core]\n\tfsmonitor = id\n"),
	repoLine("darcs runs a hook", "_darcs/prefs/defaults", "posthook", "ALL verbose\nrecord posthook id\n"),
	repoLine("Subversion commits to a repository with a hook", "r e/hooks/pre-commit", "", "#!", func(m *Machine) {
		m.write("~/code/tracker/r e/hooks/pre-commit", "#!/bin/sh\n", 0o755)
		m.write("~/code/tracker/.svn/wc.db", "file://"+m.at("~/code/tracker/r%20e")+"3fdf00ab-3fbf-4e80-86ec-bd65cab97245\n",
			0o644)
	}),
	repoLine("Fossil has a repository of hooks", "r.fossil", "", sqliteRow("hooks", `[{"cmd":"id"}]`), func(m *Machine) {
		m.write("~/code/tracker/.fslckout", sqliteRow("repository", "./r.fossil"), 0o644)
	}),
}

// otherVCSOfOwn are machines with version control that starts nothing of the project's.
var otherVCSOfOwn = Variant{Name: "repositories of other version control", Setup: on(func(s *setup) {
	s.after = func(m *Machine) {
		for file, text := range map[string]string{
			".hg/hgrc": "[paths]\ndefault = ssh://hg@example.org/x\n[ui]\nusername = x\nmerge = :merge3\n" +
				"[extensions]\nrebase =\nevolve = !\n[alias]\nlg = log -G -l 5\n[auth]\nx.prefix = example.org\n",
			".jj/repo/config.toml": "user.email = \"x@example.org\"\nui.pager = \":builtin\"\nui.color = \"never\"\n" +
				"revset-aliases.\"trunk()\" = \"main@origin\"\ngit.push = \"origin\"\naliases.l = [\"log\", \"-r\", \"::@\"]\n" +
				"template-aliases.editor = '\"x\"'\n",
			".jj/repo/store/git/config": "[core]\n\tbare = true\n[remote \"origin\"]\n\turl = https://example.org/x\n",
			".sl/config":                "[paths]\ndefault = https://example.org/x\n",
			"_darcs/prefs/defaults":     "ALL verbose\nrecord look-for-adds\n",
			".bzr/branch/branch.conf":   "parent_location = bzr+ssh://example.org/x\n",
			".pijul/config":             "default_remote = \"x@example.org:x\"\n",
			".svn/wc.db":                "https://example.org/svn3fdf00ab-3fbf-4e80-86ec-bd65cab97245\n",
			".fslckout":                 sqliteRow("repository", m.at("~/fossils/x.fossil")),
			".fossil-settings/editor":   "./x\n",
		} {
			m.write("~/code/tracker/"+file, text, 0o644)
		}
		m.symlink("machine:4711", "~/code/tracker/.hg/wlock")
		m.write("~/fossils/x.fossil", sqliteRow("editor", "vim"), 0o644)
	}
})}
