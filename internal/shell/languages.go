// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what an interpreter takes for code, from its manual. Where
// it looks for modules counts too.

package shell

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

var python = lazy.Regexp(`^(python|pypy)[0-9.]*$`)

// coding is the language of an interpreter, if it is one whose texts are read, and which
// of its options have code behind them, which a module that is read first, and which
// another value.
type coding struct{ language, code, loads, valued string }

// codings are from the manuals: python(1), node(1), perlrun(1), ruby(1), php(1), lua(1),
// those of bun, deno and uv from their documentation.
var codings = map[string]coding{
	"python": {"python", "-c", "", "-W -X"},
	"uv":     {"python", "", "", "--with --python -p --directory --project"},
	"node": {"node", "-e --eval -p --print -pe", "-r --require --import --loader --experimental-loader",
		"-C --conditions --env-file --env-file-if-exists"},
	"bun":  {"node", "-e --eval -p --print", "-r --preload", ""},
	"deno": {"node", "eval", "", "--config -c"},
	"perl": {"perl", "-e -E", "", "-I"}, "ruby": {"ruby", "-e", "-r", "-I -E"},
	"php": {"", "-r -B -R -E", "", "-c -d -z"}, "lua": {"", "-e", "-l", ""}, "luajit": {"", "-e", "-l", ""},
}

// spoken is the name of the interpreter whose options a program has; a version may stand
// behind that of the program.
func spoken(name string) string {
	switch name = strings.TrimRight(name, "0123456789."); name {
	case "pypy":
		return "python"
	case "nodejs", "tsx", "ts-node":
		return "node"
	}
	return name
}

// LanguageOf is the language of an interpreter: python, node, ruby or perl; "" for another.
func LanguageOf(name string) string { return codings[spoken(name)].language }

// TakesCode says whether the word behind an option of an interpreter is code.
func TakesCode(name, option string) bool {
	name = spoken(name)
	_, letter, value := valuedIn(name, option)
	return listed(codings[name].code, option) || value == "" && listed(codings[name].code, letter)
}

// listed says whether a word is one of a list.
func listed(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// Why what code of another language starts is not known.
const (
	itsOptions     = "what its options make it run is not resolved"
	otherLanguage  = "code of another language, which may start programs"
	whichCode      = "which code it runs, only the running shell knows"
	unknownOptions = "its options are not known"
)

// scriptAt notes a script, and the operands behind it.
func (r *reader) scriptAt(words []word, st *state) {
	r.code(words[0], whichScript, st)
	r.reads(words[1:], st)
}

// script is any interpreter whose first operand is a script.
func (r *reader) script(words []word, st *state) {
	switch {
	case len(words) == 1:
		r.input(words, st, func(text string) { r.inline(words, text, starts()) })
	case words[1].first() == "--vanilla": // Rscript's
		r.script(words[1:], st)
	case strings.HasPrefix(words[1].first(), "-"):
		if !slices.Contains([]string{"--version", "-v", "--help"}, words[1].first()) {
			r.given(words)
		}
	default:
		r.scriptAt(words[1:], st)
	}
}

func (r *reader) given(words []word) {
	if len(words) == 3 && words[2].ok && slices.Contains([]string{"-e", "-r", "-c"}, words[1].first()) {
		r.inline(words, words[2].first(), starts())
		return
	}
	r.gap(line(words), itsOptions)
}

// starts are words in code with which it may start programs, or read more
// code.
var starts = lazy.Regexp("system|exec|popen|spawn|subprocess|child_process|eval|require|import\\(|import " +
	"|load|dofile|source|include|runpy|ctypes|do shell script|proc_open|`|%x|" +
	"Kernel|Process\\.|passthru|open3|\\bqx\\b|\\bdo\\s*[(\"'$q@<]|open[^;]*[|]")

// inline is code of another language in the line itself, with the words that
// start programs in it.
func (r *reader) inline(words []word, code string, starts *regexp.Regexp) {
	if starts.MatchString(code) {
		r.gap(line(words), otherLanguage)
	}
}

func (r *reader) python(words []word, st *state) {
	isolated := false
	for i := 1; i < len(words); i++ {
		text := words[i].first()
		if !words[i].ok || !strings.HasPrefix(text, "-") {
			r.scriptAt(words[i:], st)
			return
		}
		switch text {
		case "-":
			r.input(words, st, func(text string) { r.pythonCode(words, text, isolated, st) })
			return
		case "--version", "--help", "-V", "-VV", "-h":
			return
		case "--check-hash-based-pycs":
			i++
			continue
		}
		flags, letter, rest := valuedIn("python", text)
		if strings.HasPrefix(text, "--") || strings.Trim(flags, "bBdEhiIOPqsSuvx") != "" {
			r.gap(line(words), "the option "+text+" is not known")
			return
		}
		isolated = isolated || strings.ContainsAny(flags, "IP")
		arg := words[i].only(rest)
		if letter != "" && rest == "" {
			if i++; i >= len(words) {
				return
			}
			arg = words[i]
		}
		switch {
		case letter == "-c" && !arg.ok:
			r.gap(line(words), whichCode)
			return
		case letter == "-c":
			r.pythonCode(words, arg.first(), isolated, st)
			return
		case letter == "-m":
			if !isolated {
				r.here(Decides, words, st)
			}
			return
		}
	}
	r.input(words, st, func(text string) { r.pythonCode(words, text, isolated, st) })
}

// pythonStarts is starts without what only reads modules.
var pythonStarts = lazy.Regexp(`system|exec|popen|spawn|subprocess|eval|runpy|ctypes|importlib|__import__|sys\.path`)

// pythonCode is code in the line: it looks for modules in the working
// directory first, unless isolated.
func (r *reader) pythonCode(words []word, code string, isolated bool, st *state) {
	if !isolated && strings.Contains(code, "import") {
		r.here(Decides, words, st)
	}
	r.inline(words, code, pythonStarts())
}

var (
	nodeQuiet = lazy.Regexp(`^--(no-|experimental-|enable-|trace-|disable-|inspect|use-|preserve-|throw-|harmony|stack-trace-limit|max-|abort-|expose-|pending-|report-|title=|unhandled-rejections=|watch$)`)
	nodeOwn   = lazy.Regexp(`(require|import)\s*\(?\s*['"](node:)?(fs|path|os|util|url|crypto|http|https|net|readline|stream|buffer|events|assert|zlib|process|timers|string_decoder|querystring|fs/promises)['"]\)?`)
)

func (r *reader) node(words []word, st *state) {
	c := codings["node"]
	for i := 1; i < len(words); i++ {
		text, next := words[i].first(), word{}
		if i+1 < len(words) {
			next = words[i+1]
		}
		option, value, joined := strings.Cut(text, "=")
		if joined {
			next = words[i].only(value)
		} else if listed(c.code+" "+c.loads+" "+c.valued, option) {
			i++
		}
		switch {
		case !words[min(i, len(words)-1)].ok && next.src == "", !strings.HasPrefix(text, "-") && words[i].ok:
			r.scriptAt(words[i:], st)
			return
		case text == "--":
			continue
		case slices.Contains([]string{"-v", "--version", "-h", "--help"}, text):
			return
		case listed(c.code, option):
			if !next.ok {
				r.gap(line(words), whichCode)
				return
			}
			r.inline(words, nodeOwn().ReplaceAllString(next.first(), ""), starts())
			return
		case listed(c.loads, option):
			if target := next.first(); filepath.IsAbs(target) || strings.HasPrefix(target, ".") {
				r.code(next, "which module it loads, only the running shell knows", st)
			} else {
				r.here(Decides, words, st)
			}
		case strings.HasPrefix(option, "--env-file"), strings.HasPrefix(option, "--experimental-config"),
			strings.HasPrefix(option, "--experimental-default-config"):
			r.code(next, "which variables it reads, only the running shell knows", st) // NODE_OPTIONS among them
		case option == "--run", option == "--test":
			r.here(Decides, words, st)
			return
		case option == "-C", option == "--conditions", nodeQuiet().MatchString(text):
		case text == "-":
			r.gap(line(words), fromInput)
			return
		default:
			r.gap(line(words), "the option "+text+" is not known")
			return
		}
	}
	r.input(words, st, func(text string) { r.inline(words, nodeOwn().ReplaceAllString(text, ""), starts()) })
}

var perlQuiet = lazy.Regexp(`^-([nplaweEWsTtU0-9F]|i[.a-z]*)+$|^-M[A-Za-z:]+(=[A-Za-z_,]+)?$|^-F.{1,3}$`)

// perl reads perl and ruby.
func (r *reader) perl(words []word, st *state) {
	name := filepath.Base(words[0].first())
	for i := 1; i < len(words); i++ {
		text := words[i].first()
		switch {
		case !words[i].ok || !strings.HasPrefix(text, "-"):
			r.scriptAt(words[i:], st)
			return
		case text == "-v", text == "--version":
			return
		case !perlQuiet().MatchString(text) || name == "ruby" && isOption(name, text, "-M -E"):
			r.gap(line(words), itsOptions)
			return
		case TakesCode(name, text):
			if i+1 < len(words) && words[i+1].ok {
				r.inline(words, words[i+1].first(), starts())
				r.reads(words[min(i+2, len(words)):], st)
				return
			}
			r.gap(line(words), whichCode)
			return
		}
	}
	r.input(words, st, func(text string) { r.inline(words, text, starts()) })
}

var awkStarts = lazy.Regexp(`system|\||@load|@include`)

func (r *reader) awk(words []word, st *state) {
	i, values, known := options(words, "--posix --re-interval", "-F -v -f --file --field-separator --assign")
	if f, is := valueOf(values, "-f", "--file"); is {
		r.scriptAt(append([]word{f}, words[min(i, len(words)):]...), st)
		return
	}
	switch {
	case !known:
		r.gap(line(words), unknownOptions)
	case i < len(words) && (!words[i].ok || awkStarts().MatchString(words[i].first())):
		r.gap(line(words), otherLanguage)
	case i < len(words):
		r.reads(words[i+1:], st)
	}
}

// sedStarts is the command e of GNU sed, and the flag e of its command s.
var sedStarts = lazy.Regexp(`(^|[;{\n])\s*[0-9,$!/]*\s*e(\s|$)|(^|[;{\n])\s*[0-9,$!]*s(.).*[/|,#@:][gpIiMm0-9w]*e`)

// inPlace are the options of sed that write the file; GNU sed takes the rest of
// the word for the suffix of a copy.
var inPlace = lazy.Regexp(`^(-[nErsuz]*i|--in-place)`)

func (r *reader) sed(words []word, st *state) {
	words = slices.Clone(words)
	for i, w := range words {
		if m := inPlace().FindStringSubmatch(w.first()); m != nil && i > 0 {
			words[i] = w.only(m[1])
		}
	}
	i, values, known := options(words,
		"-n -E -r -s -u -z -i --quiet --silent --regexp-extended --in-place --sandbox --posix",
		"-e -f -l --expression --file")
	if !known {
		r.gap(line(words), unknownOptions)
	}
	for _, name := range []string{"-f", "--file"} {
		if f, is := values[name]; is {
			r.scriptAt([]word{f}, st)
		}
	}
	script, is := valueOf(values, "-e", "--expression")
	if !is && i < len(words) {
		script = words[i]
		i++
	}
	if slices.ContainsFunc(words[:min(i, len(words))], func(w word) bool { return inPlace().MatchString(w.first()) }) {
		for _, w := range words[min(i, len(words)):] {
			r.writes(w, nil, st)
		}
	}
	if slices.ContainsFunc(append(slices.Clone(words[1:min(i, len(words))]), script),
		func(w word) bool { // each -e is a script
			return sedStarts().MatchString(w.first()) ||
				known && w.anyones() && (sedStarts().MatchString(w.src) || r.assigned(w, st))
		}) {
		r.gap(line(words), otherLanguage)
	}
	r.reads(words[min(i, len(words)):], st)
}

func (r *reader) java(words []word, st *state) {
	for i, w := range words {
		if w.first() == "-jar" && i+1 < len(words) {
			r.code(words[i+1], "which archive it runs, only the running shell knows", st)
			return
		}
	}
	if len(words) > 1 && words[1].first() != "-version" {
		r.gap(line(words), itsOptions)
	}
}
