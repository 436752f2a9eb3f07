// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: shells, and programs that run a command in their arguments
// in a way of their own, from their manuals.

package shell

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

var interpreters map[string]func(r *reader, words []word, st *state)

func init() { // they read commands in turn
	interpreters = map[string]func(*reader, []word, *state){
		"env": (*reader).env, "find": (*reader).find, "flock": (*reader).flock, "git": (*reader).git, "gh": (*reader).gh,
		"node": (*reader).node, "nodejs": (*reader).node, "perl": (*reader).perl, "ruby": (*reader).perl,
		"awk": (*reader).awk, "gawk": (*reader).awk, "mawk": (*reader).awk, "sed": (*reader).sed, "gsed": (*reader).sed,
		"rg": (*reader).rg, "java": (*reader).java, "fish": (*reader).fish, "ssh": (*reader).ssh,
	}
	for _, name := range Shells {
		interpreters[name] = (*reader).shell
	}
	for _, name := range strings.Fields("nu pwsh elvish lua luajit php Rscript tclsh wish osascript guile racket " +
		"julia groovy scala kotlin swipl escript") {
		interpreters[name] = (*reader).script
	}
	for _, name := range strings.Fields("parallel watch script su runuser chroot unshare nsenter setpriv bwrap " +
		"firejail systemd-run at batch crontab expect entr " +
		"watchexec setarch linux32 linux64 prlimit dbus-run-session xvfb-run fakeroot strace ltrace hyperfine valgrind " +
		"perf choom chpst runcon sg envdir ifne rlwrap socat ncat dtach op aws-vault dotenv doppler") {
		interpreters[name] = (*reader).opaque
	}
	for name := range messages {
		interpreters[name] = (*reader).multiplexer
	}
	for _, name := range []string{"conda", "mamba", "micromamba"} {
		interpreters[name] = (*reader).conda
	}
}

// Why what an interpreter or a wrapper runs is not known.
const (
	fromInput     = "it runs what it reads from standard input"
	whichScript   = "which script it runs, only the running shell knows"
	whichProgram  = "which program this is, only the running shell knows"
	whichCommand  = "which command it runs, only the running shell knows"
	notResolved   = "what it runs is not resolved"
	unknownBehind = unknownOptions + ", so neither is the command behind them"
)

// input reads what an interpreter without operands runs.
func (r *reader) input(words []word, st *state, text func(string)) {
	switch {
	case st.in.isDoc:
		text(st.in.text)
	case st.in.file != nil:
		r.code(word{texts: st.in.file.texts, ok: st.in.file.ok, src: st.in.file.src}, fromInput, st)
	default:
		r.gap(line(words), fromInput)
	}
}

// shellCall is how a shell is started: with a line or a script, which is at operand
// among its words if it is there, behind the files at reads.
type shellCall struct {
	operand int
	line    bool
	reads   []int
	// asks says that it only tells something of itself, unknown is an option that is not known.
	asks    bool
	unknown string
}

// shellOptions reads the words behind the name of a shell (bash(1), OPTIONS).
func shellOptions(texts []string) (c shellCall) {
	for ; c.operand < len(texts); c.operand++ {
		switch text := texts[c.operand]; {
		case text == "-" || text == "--":
			c.operand++
			return c
		case text == "--rcfile" || text == "--init-file":
			c.operand++
			c.reads = append(c.reads, c.operand)
		case slices.Contains([]string{"--login", "--norc", "--noprofile", "--posix", "--restricted", "--verbose"}, text):
		case text == "--version" || text == "--help":
			c.asks = true
		case strings.HasPrefix(text, "--"):
			c.unknown = cmp.Or(c.unknown, text)
		case len(text) > 1 && (text[0] == '-' || text[0] == '+'):
			c.line = c.line || text[0] == '-' && strings.Contains(text, "c")
			c.operand += strings.Count(text, "o") + strings.Count(text, "O")
		default:
			return c
		}
	}
	return c
}

func (r *reader) shell(words []word, st *state) {
	given := words[1:]
	c := shellOptions(firsts(given))
	for _, at := range c.reads {
		if at < len(given) {
			r.shellScript(given[at], "which file is read first, only the running shell knows", st)
		}
	}
	switch {
	case c.unknown != "":
		r.gap(line(words), "the option "+c.unknown+" is not known")
	case c.asks:
	case c.operand >= len(given):
		r.input(words, st, func(text string) { r.line(text, st.clone(), false) })
	case !c.line:
		r.shellScript(given[c.operand], whichScript, st)
		r.reads(given[c.operand+1:], st)
	case !given[c.operand].ok:
		r.gap(line(words), whichCommand)
	default:
		for _, text := range given[c.operand].texts {
			inner := st.clone()
			inner.forget() // those that are not exported are gone
			inner.funcs = map[string]*syntax.Stmt{}
			r.line(text, inner, false)
		}
	}
}

// env sets variables, then runs a command.
func (r *reader) env(words []word, st *state) {
	i, values, known := options(words, "-i - -0 -v --ignore-environment --null --debug",
		"-u --unset -C --chdir -S --split-string")
	if i < len(words) && words[i].first() == "-" {
		i++
	}
	split, isSplit := valueOf(values, "-S", "--split-string")
	if !known || isSplit && (!split.ok || strings.ContainsAny(split.first(), "\\$\"'")) {
		r.gap(line(words), unknownBehind)
		return
	}
	st = st.clone()
	if dir, is := valueOf(values, "-C", "--chdir"); is {
		st, _ = cd(&reader{place: r.place}, []word{{}, dir}, st)
	}
	rest := words[min(i, len(words)):]
	if isSplit {
		var more []word
		for _, text := range strings.Fields(split.first()) {
			more = append(more, split.only(text))
		}
		rest = append(more, rest...)
	}
	for len(rest) > 0 && r.assignment(rest[0], st) {
		rest = rest[1:]
	}
	r.call(rest, st)
}

func (r *reader) flock(words []word, st *state) {
	i, values, known := options(words, "-s -x -e -n -u -o -F --shared --exclusive --nonblock --close",
		"-w -E -c --timeout --command")
	if c, is := values["-c"]; is || !known || i+1 < len(words) && words[i+1].first() == "-c" {
		r.gap(line(words)+c.src, notResolved)
		return
	}
	if i+1 < len(words) {
		r.call(words[i+1:], st)
	}
}

// find runs commands in the directories that it finds.
func (r *reader) find(words []word, st *state) {
	for i, w := range words {
		switch w.first() {
		case "-execdir", "-okdir":
			r.gap(line(words), "it runs a command in every directory that it finds")
		case "-exec", "-ok":
			end := slices.IndexFunc(words[i:], func(w word) bool { return w.first() == ";" || w.first() == "+" })
			if end < 0 {
				end = len(words) - i
			}
			inner := slices.Clone(words[i+1 : i+end])
			for j := range inner {
				if strings.Contains(inner[j].first(), "{}") {
					inner[j] = word{src: inner[j].src}
				}
			}
			r.call(inner, st)
		}
	}
}

// rg may run a program on every file (rg(1), --pre).
func (r *reader) rg(words []word, st *state) {
	for _, w := range words[1:] {
		if strings.HasPrefix(w.first(), "--pre") {
			r.gap(line(words), "it runs a program on every file")
		}
	}
	r.reads(words[1:], st)
}

// fish reads the commands of -c: simple ones are those of other shells.
func (r *reader) fish(words []word, st *state) {
	i, values, known := options(words, "-l --login -N --no-config -P --private -n --no-execute",
		"-c --command -C --init-command")
	command, is := valueOf(values, "-c", "--command")
	_, first := valueOf(values, "-C", "--init-command")
	switch {
	case !known || first || is && !command.ok:
		r.gap(line(words), whichCommand)
	case is:
		for _, text := range command.texts {
			r.line(text, st.clone(), false)
		}
	default:
		r.script(append(words[:1:1], words[min(i, len(words)):]...), st)
	}
}

func (r *reader) opaque(words []word, st *state) {
	switch {
	case len(words) > 1:
		r.gap(line(words), notResolved)
	case words[0].first() == "batch": // at(1)
		r.input(words, st, func(text string) { r.line(text, st.clone(), false) })
	}
}

// conda activates an environment in the shell: it sources the scripts of
// etc/conda/activate.d there. A name without a slash is one of the user's own (conda's
// documentation, "Managing environments"). Its other commands are not resolved.
func (r *reader) conda(words []word, st *state) {
	if len(words) > 2 && words[1].first() == "activate" {
		for _, w := range words[2:] {
			for _, text := range w.texts {
				if w.ok && strings.Contains(text, "/") {
					r.file(Decides, w, text, line(words[:2]), st)
				}
			}
		}
	}
	r.opaque(words, st)
}

// ssh runs a command elsewhere, and here what its options say (options.go). Without
// a host it is part of a line that others end: of git's, for example.
func (r *reader) ssh(words []word, st *state) {
	for i := 1; i < len(words); i++ {
		switch text := words[i].first(); {
		case wantsNext("ssh", text):
			i++
		case !words[i].ok, !strings.HasPrefix(text, "-"):
			r.opaque(words, st)
			return
		}
	}
}
