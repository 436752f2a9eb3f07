// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of which programs it is known what they run, one row each,
// from their manuals. Arguments of any other program may be code.

package shell

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// wrapper is a program that runs the command in its arguments.
type wrapper struct {
	// flags are its options, valued those with a value, both separated by
	// spaces; an option of another name is a gap.
	flags, valued string
	// skip counts its own operands before the command.
	skip int
}

var wrappers = map[string]wrapper{
	"timeout":     {"--foreground --preserve-status -v --verbose", "-k --kill-after -s --signal", 1},
	"gtimeout":    {"--foreground --preserve-status -v --verbose", "-k --kill-after -s --signal", 1},
	"nice":        {"", "-n --adjustment", 0},
	"nohup":       {"", "", 0},
	"setsid":      {"-c --ctty -f --fork -w --wait", "", 0},
	"stdbuf":      {"", "-i -o -e --input --output --error", 0},
	"ionice":      {"-t --ignore", "-c -n --class --classdata", 0},
	"chrt":        {"-b -f -i -o -r -v", "", 1},
	"taskset":     {"-a -c", "", 1},
	"time":        {"-p -v -l", "-f -o", 0},
	"xargs":       {"-0 -r -t -p -x --null --no-run-if-empty --verbose", "-n -P -I -L -d -E -s -a --max-args --max-procs --delimiter --arg-file", 0},
	"sudo":        {"-n -E -H -S -b -k", "-u -g -p", 0},
	"doas":        {"-n", "-u", 0},
	"caffeinate":  {"-d -i -m -s -u", "-t -w", 0},
	"unbuffer":    {"-p", "", 0},
	"chronic":     {"-v -e", "", 0},
	"systemd-cat": {"", "-t -p --identifier --priority", 0},
	"busybox":     {"", "", 0},
}

// runner is a program that runs what files of its directory say.
type runner struct {
	// only are the subcommands that do, except those that do not; both ""
	// means always.
	only, except string
	// chdir are options with the directory that counts instead.
	chdir string
}

const npmReads = "root prefix config view info ping whoami search -v --version help"

var runners = map[string]runner{
	"npm": {"", npmReads, "--prefix -C"}, "pnpm": {"", npmReads, "-C --dir"}, "yarn": {"", "config info -v --version help", "--cwd"},
	"npx": {"", "-v --version", ""}, "pnpx": {}, "bunx": {},
	"make": {"", "-v --version", "-C --directory"}, "gmake": {"", "-v --version", "-C --directory"}, "ninja": {"", "--version", "-C"},
	"just": {}, "task": {}, "rake": {}, "cargo": {"", "-V --version", ""}, "bundle": {}, "bundler": {}, "composer": {}, "mix": {}, "sbt": {}, "lein": {},
	"mvn": {}, "gradle": {}, "bazel": {}, "bazelisk": {}, "cmake": {}, "meson": {}, "scons": {}, "dune": {}, "stack": {}, "cabal": {}, "swift": {}, "zig": {},
	"go": {"run test generate tool", "", "-C"}, "dotnet": {}, "flutter": {}, "dart": {"run test", "", ""},
	"uv": {"run sync build pip add lock", "", ""}, "poetry": {"", "--version", ""}, "pipenv": {"", "--version", ""}, "pdm": {}, "hatch": {}, "rye": {},
	"pytest": {}, "py.test": {}, "tox": {}, "nox": {}, "invoke": {}, "fab": {}, "jest": {}, "vitest": {}, "mocha": {}, "ava": {}, "playwright": {}, "cypress": {},
	"pre-commit": {}, "lefthook": {}, "husky": {}, "lint-staged": {}, "turbo": {}, "nx": {}, "lerna": {}, "rush": {}, "gulp": {}, "grunt": {},
	"webpack": {}, "rollup": {}, "vite": {}, "next": {}, "nuxt": {}, "astro": {}, "tsx": {}, "ts-node": {}, "bun": {"", "-v --version", "--cwd"}, "deno": {"", "-V --version", ""},
	"docker": {"compose build buildx", "", ""}, "docker-compose": {}, "podman-compose": {}, "podman": {"compose build", "", ""}, "vagrant": {},
	"terraform": {"", "version", ""}, "tofu": {"", "version", ""}, "ansible-playbook": {}, "mise": {"", "activate completion version", ""}, "direnv": {"", "hook stdlib version", ""}, "asdf": {}, "nix": {}, "nix-shell": {}, "devbox": {}, "pip": {"install", "", ""}, "pip3": {"install", "", ""},
	"hg": {"", "--version", ""}, "jj": {"", "--version", ""},
	"rails": {}, "artisan": {}, "sphinx-build": {}, "mkdocs": {},
}

// configured are programs that run configuration of the directory as code, if
// there is any.
var configured = strings.Fields("prettier eslint eslint_d stylelint xo standard mypy pylint flake8 rubocop rustfmt rustc babel svelte-check commitlint " +
	"phpcs phpstan php-cs-fixer ansible-lint semgrep swiftlint vim nvim")

// unconfigured are options that keep such a program from it.
var unconfigured = map[string]string{"prettier": "--no-config"}

// data are programs that run nothing of their arguments.
var data = strings.Fields("cat tac grep egrep fgrep jq yq head tail wc sort uniq cut tr nl fold column comm paste rev cp mv rm mkdir rmdir touch ls stat date tee diff cmp " +
	"basename dirname realpath readlink sleep notify-send terminal-notifier say afplay paplay aplay canberra-gtk-play pw-play spd-say curl wget gofmt goimports black ruff isort " +
	"shfmt shellcheck clang-format taplo logger tput clear id whoami hostname uname pgrep ps mktemp md5sum sha1sum sha256sum shasum base64 xxd od seq tty stty wl-copy wl-paste xclip xsel " +
	"less more most bat batcat file strings hexdump du df tree uptime " +
	"pbcopy pbpaste chmod ln which true false uvx pipx powerprofilesctl play tsc biome steward-setup xmllint zenity kdialog")

// program reads the arguments of a program.
func (r *reader) program(name string, words []word, st *state) {
	if w, is := wrappers[name]; is {
		r.wrapped(w, words, st)
		return
	}
	if read, is := interpreters[name]; is {
		read(r, words, st)
		return
	}
	if python().MatchString(name) {
		r.python(words, st)
		return
	}
	switch run, is := runners[name]; {
	case is:
		r.runner(run, words, st)
	case slices.Contains(configured, name):
		if off := unconfigured[name]; off == "" || !slices.ContainsFunc(words, func(w word) bool { return w.first() == off }) {
			r.here(Configures, words[:1], st)
		}
		r.reads(words[1:], st)
	case slices.Contains(data, name) && !commanded(name, words):
		r.reads(words[1:], st)
	default:
		r.arguments(Names, name, words[1:], st)
	}
}

// commanded says whether a pager is given a command of its own at its start,
// as in "less +!x" (less(1), more(1)).
func commanded(name string, words []word) bool {
	return (name == "less" || name == "more") && slices.ContainsFunc(words, func(w word) bool { return strings.HasPrefix(w.first(), "+") })
}

// runner reads the arguments of one.
func (r *reader) runner(run runner, words []word, st *state) {
	chdir := strings.Fields(run.chdir)
	sub := ""
	for i := 1; i < len(words); i++ {
		text := words[i].first()
		option, value, joined := strings.Cut(text, "=")
		switch {
		case slices.Contains(chdir, option):
			dir := words[i].only(value)
			if !joined {
				if i++; i >= len(words) {
					break
				}
				dir = words[i]
			}
			st, _ = cd(&reader{place: r.place}, []word{{}, dir}, st)
		case sub == "" && (!strings.HasPrefix(text, "-") || slices.Contains(strings.Fields(run.except), text)):
			if sub = text; sub == "" {
				sub = "?" // not known
			}
		}
	}
	switch {
	case run.only != "" && sub != "?" && !slices.Contains(strings.Fields(run.only), sub):
		r.reads(words[1:], st)
	case slices.Contains(strings.Fields(run.except), sub):
	default:
		r.here(Decides, words, st)
		r.reads(words[1:], st)
	}
}

// wrapped reads the command behind a wrapper.
func (r *reader) wrapped(w wrapper, words []word, st *state) {
	i, values, known := options(words, w.flags, w.valued)
	if !known {
		r.gap(line(words), "its options are not known, so neither is the command behind them")
		return
	}
	if i += w.skip; i < len(words) {
		rest := slices.Clone(words[i:])
		if filepath.Base(words[0].first()) == "xargs" { // it gives them other words, and another input
			st = st.clone()
			st.in = input{}
			for j := range rest {
				if mark := values["-I"].first(); mark != "" && strings.Contains(rest[j].first(), mark) {
					rest[j] = word{src: rest[j].src}
				}
			}
		}
		r.call(rest, st)
	}
}

// options skips the options of a program, and returns the index of what
// follows, and the values of those that have one. known is false at an option
// of another name.
func options(words []word, flags, valued string) (i int, values map[string]word, known bool) {
	flag, value := strings.Fields(flags), strings.Fields(valued)
	values = map[string]word{}
	for i = 1; i < len(words); i++ {
		text := words[i].first()
		if !words[i].ok || !strings.HasPrefix(text, "-") || text == "-" {
			return i, values, true
		}
		if text == "--" {
			return i + 1, values, true
		}
		name, joined, is := strings.Cut(text, "=")
		switch {
		case slices.Contains(flag, text):
		case slices.Contains(value, text):
			if i++; i >= len(words) {
				return i, values, true
			}
			values[text] = words[i]
		case is && slices.Contains(value, name):
			values[name] = words[i].only(joined)
		case !strings.HasPrefix(text, "--") && len(text) > 2 && slices.Contains(value, text[:2]):
			values[text[:2]] = words[i].only(text[2:])
		case !strings.HasPrefix(text, "--") && len(text) > 2:
			for _, letter := range text[1:] {
				if !slices.Contains(flag, "-"+string(letter)) {
					return i, values, false
				}
			}
		default:
			return i, values, false
		}
	}
	return i, values, true
}

// loaders are variables that load code into programs, or name programs.
var loaders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(LD_.*|DYLD_.*|NODE_OPTIONS|NODE_PATH|BUN_.*|PYTHON.*|PERL5.*|RUBY(LIB|OPT)|BASH_ENV|ENV|BASH_FUNC.*|SHELLOPTS|PS4|PROMPT_COMMAND|JAVA_TOOL_OPTIONS|CLASSPATH|GIT_.*|` +
		`EDITOR|VISUAL|PAGER|MANPAGER|LESSOPEN|LESSCLOSE|OPENSSL_.*|GCONV_PATH|XDG_CONFIG_.*|CDPATH|ZDOTDIR|RIPGREP_CONFIG_PATH|GOFLAGS|RUSTC.*|CARGO.*)$`)
})

// plain are values of such variables that name no file.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_]*$|^--max-old-space-size=\d+$`) })

// loads notes what an assignment to a variable loads.
func (r *reader) loads(name string, w word, st *state) {
	if name == "PATH" {
		for _, text := range w.texts {
			for dir := range strings.SplitSeq(text, ":") {
				switch {
				case dir == onPATH:
				case strings.HasPrefix(dir, "/"):
					st.path = union(st.path, []string{at("/", dir)})
				default:
					for _, cwd := range st.cwd {
						st.path = union(st.path, []string{at(cwd, dir)})
					}
				}
			}
		}
		if !w.ok {
			r.gap("PATH="+w.src, "which programs follow, only the running shell knows")
		}
		return
	}
	if name == commonDir && w.first() == r.place.Project+"/.git" {
		return
	}
	if !loaders().MatchString(name) || w.ok && !slices.ContainsFunc(w.texts, func(text string) bool { return !plain().MatchString(text) }) {
		return
	}
	for _, text := range w.texts {
		for path := range strings.SplitSeq(text, ":") {
			if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " =") {
				r.gap(name+"="+text, "the variable loads code into programs")
				continue
			}
			r.use(Use{Kind: Decides, Path: at("/", path), By: name})
		}
	}
	if !w.ok {
		r.gap(name+"="+w.src, "the variable loads code into programs")
	}
}
