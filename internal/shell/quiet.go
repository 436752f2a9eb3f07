// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program is listed as quiet if it prints nothing, or nothing
// that others choose: a number, a message of its own, a report that begins with
// one. Which options make a program so stands beside it.

package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// silentData are programs among data that are quiet whatever their arguments are.
var silentData = strings.Fields("cp mv rm mkdir rmdir touch ln chmod chown chgrp install truncate shred sync " +
	"sleep pkill killall pgrep nproc wc cmp cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum " +
	"b2sum sum pwd realpath id whoami groups hostname uname arch hostid uptime df du free tty stty tput clear " +
	"reset mktemp which notify-send notify-desktop terminal-notifier alerter growlnotify dunstify say afplay " +
	"paplay aplay canberra-gtk-play pw-play play spd-say espeak espeak-ng festival mpg123 mpv ffplay ogg123 " +
	"beep logger wl-copy pbcopy open xdg-open gdbus wmctrl pactl amixer powerprofilesctl shellcheck tsc wget " +
	"dos2unix unix2dos scp rsync sftp ssh-add zip patch")

// linters are quiet, too, and run configuration of the directory as code.
var linters = strings.Fields("eslint eslint_d stylelint xo standard mypy pylint flake8 rubocop commitlint phpcs " +
	"phpstan php-cs-fixer ansible-lint swiftlint golangci-lint pyright basedpyright markdownlint-cli2 psalm " +
	"ktlint detekt svelte-check")

// quietWith are programs that are quiet with one of these options, as they stand
// or among letters behind a dash.
var quietWith = map[string]string{
	"grep": "-q -c --quiet --silent --count", "egrep": "-q -c --quiet --silent --count",
	"fgrep": "-q -c --quiet --silent --count", "rg": "-q -c --quiet --count",
	"ls": "-l", "readlink": "-f", "curl": "-o -O --output --remote-name --remote-name-all",
	"sed": "-i --in-place", "gsed": "-i --in-place", "perl": "-i", "ruby": "-i", "xmllint": "--noout",
	"prettier": "-w -c -l --write --check --list-different", "gofmt": "-w -l -d", "goimports": "-w -l -d",
	"gofumpt": "-w -l -d", "shfmt": "-w -l -d --write --list --diff", "clang-format": "-i -n --dry-run",
	"diff": "-q --brief -u --unified", "xclip": "-i -selection", "xsel": "-i -b --input --clipboard",
}

// printsHeld are the options with which a program that is quiet otherwise prints.
var printsHeld = map[string]string{
	"xclip": "-o -out", "xsel": "-o --output",
}

// toOutput finds a word that is the standard output, or an option whose value is.
var toOutput = lazy.Regexp(`^(--[a-z-]+=|-[A-Za-z]+)?(-|/dev/stdout|/dev/fd/1|/proc/self/fd/1)$`)

// What curl prints beside the files that it writes: what -w asks for, but for numbers
// of its own, and what it fetches from more addresses than it has files for.
var (
	curlOwn    = lazy.Regexp(`%\{(http_code|response_code|exitcode|errormsg|http_version|(time|size|speed|num)_\w+)\}`)
	curlSimple = lazy.Regexp(`^--(silent|fail|location|show-error|compressed|insecure|get|head|include|remote-[a-z-]+|` +
		`create-dirs|no-[a-z-]+|progress-bar|verbose|fail-[a-z-]+|http[0-9.]+|ipv[46]|tlsv[0-9.]+|globoff|parallel|` +
		`retry-all-errors|retry-connrefused|anyauth|basic|netrc|disable|next|proto-redir|location-trusted|.*=.*)$`)
)

// curlKeeps says whether curl writes all that it fetches to files.
func curlKeeps(args []*syntax.Word) bool {
	addresses, files := 0, 0
	for i := 1; i < len(args); i++ {
		text := bare(args[i])
		valued := wantsNext("curl", text)
		if strings.HasPrefix(text, "--") {
			valued = !curlSimple().MatchString(text)
		}
		value := ""
		if valued && i+1 < len(args) {
			value = bare(args[i+1])
			i++
		}
		if isOption("curl", text, "-w --write-out") &&
			strings.ContainsAny(curlOwn().ReplaceAllString(text+value, ""), "%@$`") {
			return false
		}
		switch {
		case text == "--remote-name-all":
			files += len(args)
		case isOption("curl", text, "-o -O --output --remote-name"):
			files++
		case !strings.HasPrefix(text, "-"), text == "--url", strings.HasPrefix(text, "--url="):
			addresses++
		}
	}
	return addresses <= files
}

// quietUnless are programs that are quiet without one of these words.
var quietUnless = map[string]string{
	"black": "- -c --code", "isort": "- --stdout", "ruff": "- --stdin-filename", "biome": "--stdin-file-path",
	"seq": "-f -s --format --separator", "taplo": "-", "rustfmt": "--emit", "swiftformat": "stdin --output",
	"ps":        "h -h --no-headers --no-heading",
	"tmux":      "-p run run-shell show-buffer showb save-buffer saveb",
	"playerctl": "metadata", "tar": "-O --to-stdout --to-command", "dbus-send": "--print-reply",
}

// quietCommands are first words of programs with many commands. Names of branches
// cannot hold a colon, and git quotes names of files with quotes in them.
var quietCommands = map[string]string{
	"git": "add commit status stash fetch push pull checkout switch restore reset rev-parse branch tag worktree remote " +
		"diff log show blame describe merge-base ls-files apply rm mv clean gc init clone submodule check-ignore " +
		"update-index rebase merge",
	"cargo": "fmt clippy check build", "go": "fmt vet build mod", "npm": "root prefix", "terraform": "fmt validate",
	"dotnet": "format", "mix": "format", "zig": "fmt", "dart": "format analyze", "docker": "ps images top stats",
	"podman": "ps images",
}

// choosing are the words, command and options, with which git prints what others
// wrote, as it stands.
var choosing = lazy.Regexp(` (--format|--pretty|-z\b|--word-diff|--output-indicator|--textconv)|^show .*:|^tag .*-n`)

// open are those with which it runs others, or prints a word that nobody knows here.
var open = lazy.Regexp("^submodule .*foreach|^rebase .*(--exec|-x)|^(show|rev-parse) .*[$`]|^rev-parse .*--sq-quote")

// silent says whether a command prints nothing that others choose. One with a path
// is another program, but in the system's directories.
func silent(name string, args []*syntax.Word) bool {
	base := filepath.Base(name)
	if !ofSystem(name) {
		return false
	}
	has := func(list string) bool {
		return slices.ContainsFunc(args[1:], func(w *syntax.Word) bool { return isOption(base, bare(w), list) })
	}
	if (base == "curl" || base == "wget") &&
		slices.ContainsFunc(args[1:], func(w *syntax.Word) bool { return toOutput().MatchString(bare(w)) }) {
		return false
	}
	with, is := quietWith[base]
	unless, isUnless := quietUnless[base]
	commands, isMany := quietCommands[base]
	switch {
	case is:
		return has(with) && !has(printsHeld[base]) && (base != "curl" || curlKeeps(args))
	case isUnless:
		first := "" // its letters may stand without a dash
		if len(args) > 1 {
			first = bare(args[1])
		}
		bundled := base == "tar" && strings.Contains(first, "O") ||
			base == "ps" && (first != "" && first[0] != '-' && strings.Contains(first, "h") ||
				slices.ContainsFunc(args[1:], func(w *syntax.Word) bool { return nameless().MatchString(bare(w)) }))
		return !has(unless) && !bundled
	case isMany:
		words := bares(args[1:])
		if base == "git" {
			words = GitCommand(words)
		}
		for len(words) > 0 && strings.HasPrefix(words[0], "-") {
			words = words[1:]
		}
		line := strings.Join(words, " ") + " "
		return len(words) > 0 && listed(commands, words[0]) && !choosing().MatchString(line) && !open().MatchString(line)
	case base == "osascript":
		text := strings.Join(bares(args[1:]), "\n")
		return (strings.Contains(text, "display ") || strings.Contains(text, "beep") || strings.Contains(text, "say ")) &&
			!strings.Contains(text, "do shell script")
	}
	return Builtin(base) || slices.Contains(silentData, base) || slices.Contains(linters, base)
}

// nameless finds a column of ps without a name above it, that holds more than numbers.
var nameless = lazy.Regexp(`\b(args|comm|command|[a-z]*cmd|ucomm|fname|exe|cgroup|label|unit|user|wchan)=`)

// ofSystem says that a program is called by its name alone, or in one of the system's directories.
func ofSystem(name string) bool {
	return !strings.Contains(name, "/") || slices.Contains(systemDirs, filepath.Dir(name))
}

// systemDirs are the directories of programs that packages install.
var systemDirs = strings.Fields("/bin /usr/bin /usr/local/bin /sbin /usr/sbin /usr/local/sbin /opt/homebrew/bin")

// systemsWords are programs that print a number, or a word of the system's: no command
// of an agent decides it.
var systemsWords = strings.Fields("nproc id whoami groups hostname uname arch hostid tty tput mktemp uuidgen")

// counting says that a quiet program prints numbers, or names that hold no value of
// JSON: a user's, a branch's, which has no colon (git-check-ref-format(1)). Other lists
// of git's have subjects of commits in them, if they are asked to.
func counting(base string, args []*syntax.Word) bool {
	if words := bares(args[1:]); base == "git" && len(GitCommand(words)) > 0 {
		option, is := map[string]string{"rev-parse": "", "symbolic-ref": "", "branch": "--show-current"}[GitCommand(words)[0]]
		return is && (option == "" || slices.Contains(words, option))
	}
	return base == "wc" || slices.Contains(systemsWords, base)
}

// knows says whether a program is one of those that are read here, so that it is
// none of the user's own.
func knows(name string) bool {
	base := filepath.Base(name)
	_, runs := runners[base]
	_, interprets := interpreters[base]
	return ofSystem(name) && base != "steward-setup" && (givesOn(base) || runs || interprets ||
		slices.Contains(data, base) || slices.Contains(configured, base) || slices.Contains(instructed, base) ||
		outputs[base].options != "" || makers[base] > 0 || copiers[base] != "" || fetching(base))
}

// fetching says whether a program starts one that it fetches.
func fetching(name string) bool {
	return slices.Contains([]string{"npx", "bunx", "pnpx", "uvx", "pipx"}, name)
}

// makes finds a filter of jq that makes an answer of its own.
var makes = lazy.Regexp(`\{[^}]*(hookSpecificOutput|permissionDecision|decision|behavior|systemMessage|continue|` +
	`suppressOutput|additionalContext)`)

// program are the words of a command from the program on that it starts: without a
// wrapper, its options and what it counts. fed says that it is given more words.
func program(args []*syntax.Word) (rest []*syntax.Word, fed bool) {
	for len(args) > 0 {
		name := filepath.Base(bare(args[0]))
		w, is := wrappers[name]
		switch {
		case name == "command" && len(args) > 1 && slices.Contains([]string{"-v", "-V"}, bare(args[1])):
			return args[:1], false
		case is:
		case name == "env":
			w = wrapper{valued: "-u --unset -C --chdir"}
		case name == "flock":
			w = wrapper{valued: "-w -E --timeout", skip: 1}
		case name == "command", name == "builtin":
		default:
			return args, fed
		}
		fed = fed || name == "xargs"
		if name == "exec" && len(args) == 1 {
			return nil, false
		}
		i := 1
		for ; i < len(args) && strings.HasPrefix(bare(args[i]), "-"); i++ {
			if listed(w.valued, bare(args[i])) {
				i++
			}
		}
		for i += w.skip; i < len(args) && name == "env" && strings.Contains(bare(args[i]), "="); i++ {
		}
		args = args[min(i, len(args)):]
	}
	return nil, fed
}

// bares are words without what quotes.
func bares(words []*syntax.Word) (texts []string) {
	for _, w := range words {
		texts = append(texts, bare(w))
	}
	return texts
}

// bare is a word without what quotes.
func bare(w *syntax.Word) string {
	return strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(source(w))
}
