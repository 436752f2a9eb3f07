// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program is known for what it runs (known.go), or it is
// unclear: what it takes for code, and from where, nobody can say here.

package shell

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
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
	"timeout":  {"--foreground --preserve-status -v --verbose", "-k --kill-after -s --signal", 1},
	"gtimeout": {"--foreground --preserve-status -v --verbose", "-k --kill-after -s --signal", 1},
	"nice":     {"", "-n --adjustment", 0},
	"nohup":    {"", "", 0},
	"exec":     {"-c -l", "-a", 0},
	"setsid":   {"-c --ctty -f --fork -w --wait", "", 0},
	"stdbuf":   {"", "-i -o -e --input --output --error", 0},
	"ionice":   {"-t --ignore", "-c -n --class --classdata", 0},
	"chrt":     {"-b -f -i -o -r -v", "", 1},
	"taskset":  {"-a -c", "", 1},
	"time":     {"-p -v -l", "-f -o", 0},
	"xargs": {"-0 -r -t -p -x --null --no-run-if-empty --verbose",
		"-n -P -I -L -d -E -s -a --max-args --max-procs --delimiter --arg-file", 0},
	"sudo":        {"-n -E -H -S -b -k", "-u -g -p", 0},
	"doas":        {"-n", "-u", 0},
	"caffeinate":  {"-d -i -m -s -u", "-t -w", 0},
	"unbuffer":    {"-p", "", 0},
	"chronic":     {"-v -e", "", 0},
	"systemd-cat": {"", "-t -p --identifier --priority", 0},
	"busybox":     {"", "", 0},
}

// program reads the arguments of a program.
func (r *reader) program(name string, words []word, st *state) {
	r.options(name, words, st)
	if word := givenOption(name, words); word != "" {
		r.gap(line(words), word+" may be an option that starts a program (put -- before it)")
	}
	r.prints(name, words, st)
	_, copies := copiers[name]
	_, makes := makers[name]
	switch {
	case copies:
		r.copies(name, words, st)
	case makes:
		r.made(name, words, st)
	case downloads[name].writes != "":
		r.fetches(name, words, st)
	case name == "dd":
		for _, w := range words[1:] {
			if to, is := strings.CutPrefix(w.first(), "of="); is {
				r.writes(w.only(to), nil, st)
			}
		}
	case name == "tee", name == "sponge":
		for _, w := range words[1:] {
			if !strings.HasPrefix(w.first(), "-") {
				r.puts(w, st)
			}
		}
	case name == "git" && len(words) > 1 && words[1].first() == "config":
		r.setsGlobal(words, st)
	case name == "git":
		r.gitOutputs(words, st)
	case slices.Contains([]string{"tar", "bsdtar", "gtar"}, name):
		r.archives(name, words, st)
	default:
		r.outputs(name, words, st)
		r.unpacked(name, words, st)
	}
	if off, is := unconfigured[name]; is || slices.Contains(configured, name) {
		given := words[1:]
		if !slices.Contains(configured, name) {
			given = given[:operand(given)]
		}
		if !slices.ContainsFunc(given, func(w word) bool { return listed(off, w.first()) }) {
			r.here(Configures, words[:1], st)
		}
	}
	if sub, is := strings.CutPrefix(name, "git-"); is && listed("lfs crypt", sub) && len(words) > 1 &&
		!listed("clean smudge filter-process diff", words[1].first()) { // but for what git itself starts
		r.git(append([]word{{texts: []string{"git"}, ok: true, src: "git"}, {texts: []string{sub}, ok: true, src: sub}},
			words[1:]...), st)
		return
	}
	if w, is := wrappers[name]; is {
		r.wrapped(w, words, st)
		return
	}
	if read, is := interpreters[name]; is {
		read(r, words, st)
		return
	}
	if name == r.place.Agent.Program {
		r.agent(words, st)
		return
	}
	if python().MatchString(name) {
		r.python(words, st)
		return
	}
	if linker().MatchString(name) {
		r.linked(words, st)
		return
	}
	r.installs(name, words, st)
	switch run, is := runners[name]; {
	case is:
		r.runner(run, words, st)
	case slices.Contains(configured, name):
		r.reads(words[1:], st)
	case slices.Contains(instructed, name):
		if st.in != (input{}) || !told(name, words) {
			r.input(words, st, func(text string) {
				if ordered(name, []word{{texts: []string{text}, ok: true}}) {
					r.gap(line(words), fromInput)
				}
			})
		}
		if ordered(name, words[1:]) {
			r.gap(line(words), "its words may start programs, or read files that do")
		}
		r.arguments(Names, name, words[1:], st)
		if slices.Contains(scripted, name) {
			r.scriptsOf(words, st)
		}
	case name == "pee": // each operand is a line for a shell
		for _, w := range words[1:] {
			if r.line(w.first(), st, false); !w.ok {
				r.gap(line(words), "which commands it runs, only the running shell knows")
			}
		}
	case (givesOn(name) || slices.Contains(data, name)) && !(slices.Contains([]string{"less", "more"}, name) &&
		slices.ContainsFunc(words, func(w word) bool { return strings.HasPrefix(w.first(), "+") })): // +!x: less(1), more(1)
		if word := commanding(name, words); word != "" {
			r.gap(line(words), word+" may have it start a program")
		}
		if slices.Contains(steered, name) && globbed(words) {
			r.here(Decides, []word{words[0], {src: "*"}}, st)
		}
		if option := steeredBy(name, words); option != "" {
			r.gap(line(words), "the option "+option+" may start a program")
		}
		r.reads(words[1:], st)
	default:
		r.unclear(words[0], name, st)
		r.arguments(Names, name, words[1:], st)
	}
}

// scriptsOf reads the words of a program that are no options and no values of them as
// scripts.
func (r *reader) scriptsOf(words []word, st *state) {
	name := filepath.Base(words[0].first())
	for i, w := range words[1:] {
		if w.ok && !strings.HasPrefix(w.first(), "-") && !wantsNext(name, words[i].first()) &&
			words[i].first() != "--eval" {
			r.code(w, whichScript, st)
		}
	}
}

// operand is the index of the first of words that is no option, or of what is
// perhaps the value of one; their number if there is none.
func operand(words []word) int {
	for i, w := range words {
		if !w.ok || !strings.HasPrefix(w.first(), "-") || w.first() == "--" {
			return i
		}
	}
	return len(words)
}

// unclear notes a program of which nothing is known, and where it runs. One that
// is written with its path was made or chosen for this command: it counts as
// what it is, and its arguments as what they name. One of the system is the same
// with its path and by its name.
func (r *reader) unclear(w word, name string, st *state) {
	for _, dir := range st.cwd {
		if ofSystem(w.first()) {
			r.use(Use{Kind: Unclear, Path: dir, By: name})
		}
	}
	if st.in.file != nil {
		r.arguments(Names, name, []word{*st.in.file}, st)
	}
}

// globbed says whether wildcards may become options: a file may be called
// --checkpoint-action=exec=x.
func globbed(words []word) bool {
	for _, w := range words[1:] {
		switch {
		case w.first() == "--":
			return false
		case w.glob && slices.ContainsFunc(w.texts, func(text string) bool {
			return strings.ContainsAny(text[:min(1, len(text))], "*?[-")
		}):
			return true
		}
	}
	return false
}

// runner reads the arguments of one.
func (r *reader) runner(run runner, words []word, st *state) {
	chdir := strings.Fields(run.chdir)
	sub, perhaps := "", ""
	for i := 1; i < len(words); i++ {
		text := words[i].first()
		option, value, joined := strings.Cut(text, "=")
		switch {
		case slices.Contains(chdir, option) && (words[0].first() != "npx" || sub == ""):
			dir := words[i].only(value)
			if !joined {
				if i++; i >= len(words) {
					break
				}
				dir = words[i]
			}
			st, _ = cd(&reader{place: r.place}, []word{{}, dir}, st)
		case sub == "" && (!strings.HasPrefix(text, "-") || listed(run.except, text)):
			if sub = text; sub == "" {
				sub = "?" // not known
			}
			if run.only != "" && !listed(run.only, sub) && i > 1 && valueOfOne(words[i-1]) {
				sub, perhaps = "", cmp.Or(perhaps, sub)
			}
		}
	}
	sub = cmp.Or(sub, perhaps)
	switch {
	case run.only != "" && sub != "?" && !listed(run.only, sub):
		r.reads(words[1:], st)
	case listed(run.except, sub):
	default:
		r.here(Decides, words, st)
		r.reads(words[1:], st)
	}
}

// valueOfOne says whether the word behind this one may be its value: docker --context x
// compose up, docker -H x compose up.
func valueOfOne(before word) bool {
	option := before.first()
	return strings.HasPrefix(option, "--") && !strings.Contains(option, "=") || option == "-H" || option == "-c"
}

func (r *reader) wrapped(w wrapper, words []word, st *state) {
	i, values, known := options(words, w.flags, w.valued)
	if !known {
		r.gap(line(words), unknownBehind)
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
			if _, replaced := values["-I"]; !replaced {
				rest = append(rest, word{src: "$INPUT"}) // the words that it adds
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

// valueOf is the value of an option by either of its names.
func valueOf(values map[string]word, short, long string) (value word, is bool) {
	if value, is = values[long]; !is {
		value, is = values[short]
	}
	return value, is
}

// plain are values of such variables that name no file.
var plain = lazy.Regexp(`^[A-Za-z0-9_]*$|^--max-old-space-size=\d+$`)

// loads notes what an assignment to a variable loads.
func (r *reader) loads(name string, w word, st *state) {
	if name == "PATH" {
		for _, text := range w.texts {
			for dir := range strings.SplitSeq(text, ":") {
				dir, _ = pathname.Expand(dir, r.place.Home) // bash does, however it was quoted (5.2)
				switch {
				case dir == onPATH:
				case strings.HasPrefix(dir, "/"):
					st.path = report.Union(st.path, at("/", dir))
				default:
					for _, cwd := range st.cwd {
						st.path = report.Union(st.path, at(cwd, dir))
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
	load := r.place.Agent.Loads
	if load == nil || !load(name) || w.ok && !slices.ContainsFunc(w.texts, func(text string) bool {
		return !plain().MatchString(text)
	}) {
		return
	}
	gap := func(text string) { r.gap(name+"="+text, "the variable loads code into programs") }
	for _, text := range w.texts {
		for path := range strings.SplitSeq(text, ":") {
			if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " =") {
				gap(text)
				continue
			}
			r.use(Use{Kind: Decides, Path: at("/", path), By: name})
		}
	}
	if !w.ok {
		gap(w.src)
	}
}
