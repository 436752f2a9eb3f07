// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a command line writes, and where that comes from, is
// told apart: a copy is as harmless as what it is a copy of.

package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// copiers are programs whose last operand is made from those before it; the
// value is their long options that have a value of their own (cp(1), mv(1), ln(1),
// install(1), rsync(1)).
var copiers = map[string]string{
	"cp": "--suffix", "mv": "--suffix", "ln": "--suffix", "install": "--group --mode --owner --suffix",
	"ginstall": "--group --mode --owner --suffix",
	"rsync":    "--rsh --exclude --include --filter --log-file --max-size --min-size --timeout --bwlimit",
}

// remote is a place on another machine (rsync(1)).
var remote = lazy.Regexp(`^[^/]*:`)

// copies notes what a copier writes, and from which files.
func (r *reader) copies(name string, words []word, st *state) {
	named := "-t --target-directory"
	if name == "rsync" {
		named = "" // -t keeps times
	}
	targets, operands, ok := split(name, words, named, copiers[name])
	if n := len(operands); len(targets) == 0 && n > 1 {
		targets, operands = operands[n-1:], operands[:n-1]
	}
	if !ok || len(targets) == 0 {
		return
	}
	target := targets[len(targets)-1]
	for _, from := range operands {
		if name == "rsync" && remote().MatchString(target.first()) {
			continue
		}
		r.writes(target, &from, st)
	}
}

// split takes the words behind a program apart: the values of its options that are named,
// joined or in the next word, and its operands. valued are other options with a value that
// are more than a letter; ok is false where a value is missing at the end.
func split(name string, words []word, named, valued string) (values, operands []word, ok bool) {
	for i := 1; i < len(words); i++ {
		text := words[i].first()
		option, value, joined := strings.Cut(text, "=")
		_, letter, rest := valuedIn(name, text)
		if listed(valued, text) {
			letter = ""
		} else if letter == "" && valuedLetters[name] == "" && len(text) > 2 && listed(named, text[:2]) {
			letter, rest = text[:2], text[2:]
		}
		if letter != "" {
			option, value, joined = letter, rest, rest != ""
		}
		target := words[i].only(value)
		switch {
		case letter != "" || listed(named+" "+valued, option):
			if !joined {
				if i++; i >= len(words) {
					return values, operands, false
				}
				target = words[i]
			}
			if listed(named, option) {
				values = append(values, target)
			}
		case words[i].ok && strings.HasPrefix(text, "-") && len(text) > 1:
		default:
			operands = append(operands, words[i])
		}
	}
	return values, operands, true
}

// downloads are programs of the network with the options that name a file or a
// directory to write; config names a file of options, and named those with which the
// server names the file (curl(1), wget(1)).
var downloads = map[string]struct{ writes, config, named string }{
	"curl": {"-o --output --output-dir -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr", "-K --config",
		"-O --remote-name --remote-name-all"},
	"wget": {"-O --output-document -P --directory-prefix -o --output-file -a --append-output --save-cookies", "--config",
		"-i --input-file"},
}

// fetches notes what such a program writes, and whose options it takes.
func (r *reader) fetches(name string, words []word, st *state) {
	d := downloads[name]
	targets, _, _ := split(name, words, d.writes, "")
	for _, target := range targets {
		r.writes(target, nil, st)
	}
	files, _, _ := split(name, words, d.config, "")
	for _, file := range files {
		r.code(file, "which options it reads, only the running shell knows", st)
	}
	if slices.ContainsFunc(words[1:], func(w word) bool { return isOption(name, w.first(), d.named) }) {
		r.writes(words[0].only("."), nil, st)
	}
}

// writes notes that a file is written, and what with: nil is something that
// only the running shell knows.
func (r *reader) writes(target word, from *word, st *state) {
	if !target.ok && from == nil {
		target.texts, target.ok = r.inProject(target.src), true
	}
	if target.glob {
		return
	}
	sources := []string{""}
	if from != nil && from.ok && !st.lost {
		sources = nil
		for _, text := range from.texts {
			if from.glob {
				text = pathname.BeforeWildcard(text)
			}
			for _, dir := range st.cwd {
				sources = append(sources, strings.TrimPrefix(at(dir, text), elsewhere))
			}
		}
	}
	texts := target.texts
	if !target.ok {
		if texts = r.before(target.src); texts == nil {
			for _, source := range sources {
				r.use(Use{Kind: Writes, By: source})
			}
			return
		}
	}
	for _, text := range texts {
		for _, source := range sources {
			r.file(Writes, word{}, text, source, st)
		}
	}
}

// inProject is a file of the project, or of the working directory, of whose
// path the running shell alone knows the end.
func (r *reader) inProject(src string) []string {
	src = strings.NewReplacer("${PWD}", ".", "$PWD", ".").Replace(r.place.told(src))
	var list []string
	for _, dir := range r.before(src) {
		list = append(list, filepath.Join(dir, "*"))
	}
	return list
}

// before are the directories that a word surely lies in of which only the running
// shell knows the rest; nil if it says none.
func (r *reader) before(src string) []string {
	src = strings.NewReplacer(`"`, "", "'", "", "${HOME}", "~", "$HOME", "~").Replace(src)
	i := strings.IndexAny(src, "$`")
	if i < 0 || !strings.Contains(src[:i], "/") {
		return nil
	}
	dir := src[:strings.LastIndex(src[:i], "/")+1]
	dir, _ = pathname.Expand(dir, r.place.Home)
	return []string{dir}
}

// redirects notes the file that a command's output is written to, unless the
// output is in the line.
func (r *reader) redirects(op syntax.RedirOperator, target word, cmd syntax.Command, st *state) {
	switch op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob, syntax.RdrInOut:
	case syntax.DplOut: // ">&file" of bash
		if target.first() == "" || target.first() == "-" || strings.Trim(target.first(), "0123456789-") == "" {
			return
		}
	default:
		return
	}
	if c, is := cmd.(*syntax.CallExpr); is && len(c.Args) > 0 &&
		slices.Contains([]string{"echo", "printf", ":", "date", "true"}, c.Args[0].Lit()) &&
		!slices.ContainsFunc(c.Args, func(w *syntax.Word) bool { return c.Args[0].Lit() != "date" && !r.expand(w, st).ok }) {
		r.makes(target, st)
		return
	}
	r.puts(target, st)
}

// puts notes that somebody's words are written to a file, which their words name too
// where it is no other.
func (r *reader) puts(target word, st *state) {
	if target.anyones() && r.assigned(target, st) {
		r.gap(target.src, "where it writes, only the running shell knows")
	}
	r.writes(target, nil, st)
}

// makes notes a file that is made, or written with what the line says.
func (r *reader) makes(target word, st *state) {
	one := reader{place: r.place}
	one.writes(target, nil, st)
	for _, u := range one.reach.Uses {
		u.Fixed = true
		r.use(u)
	}
}

// makers are programs that make files or change their properties, and how many
// operands come before those (touch(1), mkdir(1), truncate(1), chmod(1)).
var makers = map[string]int{"touch": 0, "mkdir": 0, "mkfifo": 0, "truncate": 0, "chmod": 1, "chown": 1, "chgrp": 1}

// made notes what such a program makes.
func (r *reader) made(name string, words []word, st *state) {
	i, _, _ := options(words, "-a -c -f -h -m -p -v -R --parents --no-create --recursive --verbose",
		"-d -r -t -m -s -Z --date --reference --mode --size")
	for _, w := range words[min(len(words), i+makers[name]):] {
		if !strings.HasPrefix(w.first(), "-") {
			r.makes(w, st)
		}
	}
}

// setsGlobal notes that git writes the user's own configuration.
func (r *reader) setsGlobal(words []word, st *state) {
	if slices.ContainsFunc(words, func(w word) bool { return w.first() == "--global" }) && len(words) > 3 &&
		!slices.ContainsFunc(words, func(w word) bool {
			return slices.Contains([]string{"--get", "--get-all", "--list", "-l", "get", "list", "--get-regexp"}, w.first())
		}) && slices.ContainsFunc(words, func(w word) bool {
		return !w.ok || strings.Contains(w.first(), r.place.Dir) || strings.HasPrefix(w.first(), "!")
	}) {
		r.writes(word{texts: []string{r.place.Home + "/.gitconfig"}, ok: true}, nil, st)
	}
}
