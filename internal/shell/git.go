// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git runs what the configuration of a repository names. A
// subcommand is harmless in a repository that a command made only if it was
// seen to run nothing there. Git starts what its arguments and its settings
// name, as far as its manuals say so. The directory is the one in which git
// runs.

package shell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// harmlessGit are the subcommands that run nothing in a repository whose every
// setting names a program, and whose objects are missing (measured with git
// 2.39.5). The value is the words that may follow; nil: any without a path to
// an object.
var harmlessGit = map[string][]string{
	"rev-parse": nil, "symbolic-ref": nil, "config": nil, "var": nil, "version": nil, "--version": nil, "help": nil,
	"--help": nil, "--exec-path": nil,
	"check-ref-format": nil, "check-attr": nil, "count-objects": nil,
	"branch": {"--show-current", "-a", "--all", "-r", "--list"},
	"remote": {"-v", "get-url", "show-url", "origin", "upstream"}, "worktree": {"list", "--porcelain", "-z"},
}

// nestedGit are the subcommands that ask every nested repository that the index
// names for its state: git starts itself there (measured with git 2.39.5). A
// sandboxed command can write the index.
var nestedGit = []string{"status", "diff", "diff-index", "diff-files", "describe", "add", "commit", "submodule"}

// ofObjects is a revision for which git reads objects: it fetches them if they
// are missing, by a program that the configuration names.
var ofObjects = lazy.Regexp(`[\^~:]|@\{-?[0-9]`)

// quietGit are settings with which nothing more is run than without.
var quietGit = lazy.Regexp(`(?i)^(core\.fsmonitor=(false)?|core\.hookspath=/dev/null|core\.(quotepath|abbrev|pager)=(true|false|cat|[0-9]*)|` +
	`(color|advice|user|status|log|column|gc|maintenance)\.[a-z.]+=[a-z0-9@. -]*|(commit|tag)\.gpgsign=false|safe\.directory=.*)$`)

// gitCall is a command line of git taken apart.
type gitCall struct {
	// at are the directories of -C, --git-dir and --work-tree, goes those of -C alone,
	// and set the values of -c.
	at, goes, set []word
	// sub is the subcommand, and args follow it.
	sub  string
	args []word
	// odd is the first word of which nothing can be said, "" if there is none.
	odd string
}

func gitOptions(words []word) (c gitCall) {
	for i := 1; i < len(words); i++ {
		w, text := words[i], words[i].first()
		name, value, joined := strings.Cut(text, "=")
		switch {
		case slices.Contains([]string{"-C", "--git-dir", "--work-tree", "-c", "--namespace"}, name):
			arg := w.only(value)
			if !joined {
				if i++; i >= len(words) {
					c.odd = cmp.Or(c.odd, w.src)
					return c
				}
				arg = words[i]
			}
			switch name {
			case "-c":
				if c.set = append(c.set, arg); !quietGit().MatchString(arg.first()) {
					c.odd = cmp.Or(c.odd, w.src)
				}
			case "-C":
				c.goes, c.at = append(c.goes, arg), append(c.at, arg)
			case "--git-dir", "--work-tree":
				c.at = append(c.at, arg)
			}
		case name == "--config-env", name == "--exec-path" && joined:
			c.odd = cmp.Or(c.odd, w.src)
		case strings.HasPrefix(text, "-") && !slices.Contains([]string{"--version", "--help", "--exec-path"}, text):
		default:
			c.sub, c.args = text, words[i+1:]
			if !w.ok || slices.Contains([]string{"bisect", "filter-branch", "difftool", "mergetool"}, text) {
				c.odd = cmp.Or(c.odd, w.src)
			}
			for _, arg := range c.args {
				if slices.Contains([]string{"--exec", "-x", "foreach"}, arg.first()) {
					c.odd = cmp.Or(c.odd, arg.src)
				}
			}
			return c
		}
	}
	return c
}

// GitCommand is git's command among the words behind its name, with those that follow
// it; nil if there is none.
func GitCommand(texts []string) []string {
	words := []word{{}}
	for _, text := range texts {
		words = append(words, word{texts: []string{text}, ok: true})
	}
	c := gitOptions(words)
	if c.sub == "" {
		return nil
	}
	return texts[len(texts)-len(c.args)-1:]
}

func (r *reader) git(words []word, st *state) {
	c := gitOptions(words)
	r.gitStarts(c, st)
	if c.odd != "" {
		r.gap(line(words), "what git runs with "+c.odd+" is not resolved")
		return
	}
	r.reads(words[1:], st)
	r.patched(c, st)
	if c.sub == "" || c.harmless() {
		return
	}
	for _, dir := range c.at {
		st, _ = cd(r, []word{{}, dir}, st)
	}
	kind := Repository
	if slices.Contains(nestedGit, c.sub) && !c.passesNested() {
		kind = Decides
	}
	if kind == Repository && !st.lost && slices.Equal(st.cwd, []string{r.place.Project}) &&
		slices.Equal(st.vars[commonDir], []Value{Literal(r.place.Project + "/.git")}) {
		return // git does not ask which directory the configuration lies in
	}
	r.repository(kind, words, "git "+c.sub, st)
}

// commonDir names the directory of a repository's configuration. Without it
// git reads the name from .git/commondir, which the runtime removes after each
// command, but not while one writes it in the background (measured with 2.1.329).
const commonDir = "GIT_COMMON_DIR"

func (c gitCall) harmless() bool {
	if c.sub == "clone" {
		return c.clonesAway()
	}
	words, is := harmlessGit[c.sub]
	return is && !slices.ContainsFunc(c.args, func(w word) bool {
		return !w.ok || words == nil && ofObjects().MatchString(w.first()) ||
			words != nil && !slices.Contains(words, w.first())
	})
}

// The options of git-clone(1) that take no word, or a number or a name, and the address of another machine: a
// directory, file://, or ext:: names a repository of this one, and a template or a setting hooks.
var (
	clonesQuietly = lazy.Regexp(`^(--|-[qvn]+|--(quiet|verbose|progress|no-checkout|bare|mirror|sparse|no-tags|tags|` +
		`(no-)?single-branch|recursive|recurse-submodules|(no-)?(remote|shallow)-submodules|` +
		`(depth|filter|branch|origin|jobs|shallow-since)=.*))$`)
	clonesWith  = strings.Fields("-b --branch -o --origin -j --jobs --depth --filter --shallow-since")
	farAwayFrom = lazy.Regexp(`^(https?|ssh|git)://|^[\w.-]+@[\w.-]+:`)
)

// clonesAway says whether another machine's repository is cloned: git reads no configuration of the repository that
// it is started in then (measured with git 2.39.5: every program that a setting names, and url.X.insteadOf).
func (c gitCall) clonesAway() bool {
	for i := 0; i < len(c.args); i++ {
		switch text := c.args[i].first(); {
		case !c.args[i].ok:
			return false
		case slices.Contains(clonesWith, text):
			i++
		case !clonesQuietly().MatchString(text):
			return farAwayFrom().MatchString(text) && len(c.args) <= i+2
		}
	}
	return false
}

// passesNested says whether nested repositories are passed over, by
// git-status(1), git-diff(1) and git-describe(1).
func (c gitCall) passesNested() bool {
	has := func(list ...string) bool {
		return slices.ContainsFunc(c.args, func(w word) bool { return slices.Contains(list, w.first()) })
	}
	switch c.sub {
	case "status":
		return has("--ignore-submodules", "--ignore-submodules=all", "--ignore-submodules=dirty")
	case "diff", "diff-index", "diff-files":
		return has("--ignore-submodules", "--ignore-submodules=all", "--ignore-submodules=dirty", "--cached", "--staged")
	case "describe":
		return !slices.ContainsFunc(c.args, func(w word) bool {
			return strings.HasPrefix(w.first(), "--dirty") || strings.HasPrefix(w.first(), "--broken")
		})
	}
	return false
}

// repository notes that what the repository at the working directory
// configures is run.
func (r *reader) repository(kind Kind, words []word, by string, st *state) {
	use := Use{Kind: kind, By: by, From: words[0].from, To: words[0].to}
	if st.lost {
		use.Kind = Repository
		r.use(use)
		return
	}
	for _, dir := range st.cwd {
		use.Path = dir
		r.use(use)
	}
}

// gh starts git in the working directory; these of its commands make it do more
// than name branches and remotes.
func (r *reader) gh(words []word, st *state) {
	r.reads(words[1:], st)
	r.installs("gh", words, st)
	if slices.ContainsFunc(words[1:], func(w word) bool {
		return listed("checkout co create merge sync develop fork clone", w.first())
	}) {
		r.repository(Repository, words, "gh", st)
	}
	if i := 1 + operand(words[1:]); i < len(words) && i == 1 && !listed(ofGh, words[i].first()) {
		r.unclear(words[i], "gh-"+words[i].first(), st)
	}
}

// ofGh are gh's own commands (gh(1), 2.80); another one is an extension, or an alias of the user's.
const ofGh = "agent-task alias api attestation auth browse cache co codespace completion config copilot ext " +
	"extension extensions gist gpg-key help issue label licenses org pr preview project release repo ruleset run search " +
	"secret skill ssh-key status variable version workflow"

// agent is another session.
func (r *reader) agent(words []word, st *state) {
	r.reads(words[1:], st)
	if len(words) < 2 || !slices.Contains(r.place.Agent.Plain, words[1].first()) {
		r.repository(Repository, words, r.place.Agent.Program, st)
	}
}

// gitPrograms are the settings of git-config(1) whose value is a command, or
// the path of a program; of git-lfs, git-annex and delta as well.
var gitPrograms = lazy.Regexp(`(?s)^(core\.(fsmonitor|pager|editor|sshcommand|askpass|gitproxy|alternaterefscommand)|pager\..+|sequence\.editor|diff\.external|` +
	`diff\..*\.(command|textconv)|merge\..*\.driver|filter\..*\.(clean|smudge|process)|credential\.(.*\.)?helper|alias\..+|gpg\.(.*\.)?(program|defaultkeycommand)|` +
	`interactive\.difffilter|(difftool|mergetool|guitool|man|browser)\..*\.(cmd|path)|sendemail\..*cmd|sendemail\.(.*\.)?smtpserver|uploadpack\.packobjectshook|` +
	`gc\.recentobjectshook|trailer\..*\.(command|cmd)|hook\..*\.command|remote\..*\.(uploadpack|receivepack)|tar\..*\.command|imap\.tunnel|submodule\..*\.update|` +
	`lfs\.(customtransfer|extension)\..*\.(path|clean|smudge)|instaweb\.httpd|annex\..*(command|hook)|remote\..*\.annex-.*(command|hook)|delta\.pager|svn\.authorsprog)$`)

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

// gitStarts notes what the words of a command line of git's start.
func (r *reader) gitStarts(c gitCall, st *state) {
	for _, dir := range c.goes {
		st, _ = cd(&reader{place: r.place}, []word{{}, dir}, st)
	}
	for _, set := range c.set {
		if key, value, is := strings.Cut(set.first(), "="); is && GitStarts(strings.ToLower(key)) {
			r.line(strings.TrimPrefix(value, "!"), st, false)
		}
	}
	sub, args := c.sub, c.args
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
