// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git starts what its arguments and its settings name, as far
// as its manuals say so. The directory is the one in which git runs.

package shell

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// gitPrograms are the settings of git-config(1) whose value is a command, or
// the path of a program; of git-lfs, git-annex and delta as well.
var gitPrograms = lazy.Regexp(`(?s)^(core\.(fsmonitor|pager|editor|sshcommand|askpass|gitproxy|alternaterefscommand)|pager\..+|sequence\.editor|diff\.external|` +
	`diff\..*\.(command|textconv)|merge\..*\.driver|filter\..*\.(clean|smudge|process)|credential\.(.*\.)?helper|alias\..+|gpg\.(.*\.)?(program|defaultkeycommand)|` +
	`interactive\.difffilter|(difftool|mergetool|guitool|man|browser)\..*\.(cmd|path)|sendemail\..*cmd|sendemail\.(.*\.)?smtpserver|uploadpack\.packobjectshook|` +
	`gc\.recentobjectshook|trailer\..*\.(command|cmd)|hook\..*\.command|remote\..*\.(uploadpack|receivepack)|tar\..*\.command|imap\.tunnel|submodule\..*\.update|` +
	`lfs\.(customtransfer|extension)\..*\.(path|clean|smudge)|instaweb\.httpd|annex\..*(command|hook)|remote\..*\.annex-.*(command|hook)|delta\.pager)$`)

// GitStarts says whether the value of a setting of git's is a command or a
// program. key is in small letters, but for a subsection.
func GitStarts(key string) bool { return gitPrograms().MatchString(key) }

// gitStarting are options of git's commands whose value is a command line.
var gitStarting = map[string]string{
	"rebase": "-x --exec", "difftool": "-x --extcmd", "grep": "-O --open-files-in-pager",
	"filter-branch": "--setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter " +
		"--tag-name-filter",
	"fetch": "--upload-pack", "pull": "--upload-pack", "clone": "-u --upload-pack", "ls-remote": "--upload-pack --exec",
	"fetch-pack": "--upload-pack --exec",
	"push":       "--receive-pack --exec", "send-pack": "--receive-pack --exec", "archive": "--exec",
	"send-email": "--to-cmd --cc-cmd --header-cmd --sendmail-cmd --smtp-server", "instaweb": "-d --httpd",
}

// gitStarts notes what the arguments of git start.
func (r *reader) gitStarts(words []word, st *state) {
	i := 1
	for ; i < len(words) && strings.HasPrefix(words[i].first(), "-"); i++ {
		if !slices.Contains([]string{"-C", "--git-dir", "--work-tree", "-c", "--namespace", "--exec-path"},
			words[i].first()) || i+1 >= len(words) {
			continue
		}
		switch arg := words[i+1]; words[i].first() {
		case "-C":
			st, _ = cd(&reader{place: r.place}, []word{{}, arg}, st)
			i++
		case "-c":
			if key, value, is := strings.Cut(arg.first(), "="); is && GitStarts(strings.ToLower(key)) {
				r.line(strings.TrimPrefix(value, "!"), st, false)
			}
			i++
		case "--exec-path": // without a value it prints
		default:
			i++
		}
	}
	if i >= len(words) {
		return
	}
	sub, args := words[i].first(), words[i+1:]
	switch {
	case sub == "bisect" && len(args) > 1 && args[0].first() == "run":
		r.call(args[1:], st)
	case sub == "submodule" && slices.ContainsFunc(args, func(w word) bool { return w.first() == "foreach" }):
		rest := args[slices.IndexFunc(args, func(w word) bool { return w.first() == "foreach" })+1:]
		for len(rest) > 0 && strings.HasPrefix(rest[0].first(), "-") {
			rest = rest[1:]
		}
		if len(rest) == 1 && rest[0].ok {
			r.line(rest[0].first(), st, false)
		} else if len(rest) > 0 {
			r.call(rest, st)
		}
	}
	options := strings.Fields(gitStarting[sub])
	for j, w := range args {
		text := w.first()
		if command, is := strings.CutPrefix(text, "ext::"); is { // git-remote-ext(1)
			r.line(command, st, false)
		}
		for _, option := range options {
			long := strings.HasPrefix(option, "--")
			joined, is := strings.CutPrefix(text, option)
			switch {
			case !is || sub == "grep" && joined == "":
			case joined == "" && j+1 < len(args):
				r.line(args[j+1].first(), st, false)
			case long && strings.HasPrefix(joined, "="):
				r.line(joined[1:], st, false)
			case !long && joined != "":
				r.line(joined, st, false)
			}
		}
	}
}
