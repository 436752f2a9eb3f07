// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a shell expands the text of a prompt, and evaluates numbers and
// the words of eval. What git prints there, or a file of the directory, is what
// commands wrote: "$(x)" in it starts x (bash(1), PROMPTING, ARITHMETIC EVALUATION;
// measured with bash 5.2 and zsh 5.9).

package rcfiles

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

var (
	// bashPrompts and zshPrompts are variables that are expanded each time; those of
	// zsh with the option PROMPT_SUBST.
	bashPrompts = []string{"PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS4"}
	zshPrompts  = []string{"PROMPT", "PROMPT2", "PROMPT4", "PS1", "PS2", "PS4", "RPROMPT", "RPS1", "prompt"}

	// naming are commands of git that print names, messages or paths, which are
	// whatever a command made them.
	naming = []string{"branch", "describe", "for-each-ref", "log", "ls-files", "name-rev", "reflog", "show", "show-branch",
		"show-ref", "stash", "status", "symbolic-ref", "tag"}
	// printers are others that print what a repository or the directory holds.
	printers = []string{"hg", "jj", "svn", "fossil", "__git_ps1"}
	// codeFile is what code holds that opens a file of the directory.
	codeFile = lazy.Regexp("[\"'`](\\.{1,2}/[^\"'`]*|[\\w-]+\\.(json|toml|ya?ml|txt|lock|cfg|ini|xml|md))[\"'`]")

	// counted is a pipe that ends in a number, and fixed a format of git log without
	// names and texts: hashes and times (git-log(1), PRETTY FORMATS).
	counted = lazy.Regexp(`[^;&\n{}()]*\|\s*(wc|grep\s+-\w*c\w*)\b[^|;&\n{}()]*`)
	fixed   = lazy.Regexp(`^--(pretty|format)=(t?format:)?([^%]|%(h|H|t|T|p|P|n|%|[ac][trisI]))*$`)
)

// printed tells what the texts of a shell hold of data that commands decide.
type printed struct {
	home  string
	named map[string][]rcFunction
	sets  []shellrc.Def
	// seen are the variables and functions that were followed.
	seen map[string]bool
}

// first says whether a name has not been followed yet, and notes it.
func (p printed) first(name string) bool {
	seen := p.seen[name]
	p.seen[name] = true
	return !seen
}

// by is the command that prints such data into d, "" if none does.
func (p printed) by(d shellrc.Def) string {
	for _, text := range strings.Split(d.Printed, "\x00") {
		if who := p.output(text); who != "" {
			return who
		}
	}
	for _, name := range strings.Fields(d.Of) {
		if name == d.Name || !p.first("$"+name) {
			continue
		}
		for _, set := range p.sets {
			if set.Name != name {
				continue
			}
			if who := p.by(set); who != "" {
				return who
			}
		}
	}
	return ""
}

// output is by for the text of a substitution, or of a function.
func (p printed) output(text string) string {
	for _, c := range shell.Commands(counted().ReplaceAllString(text, " true "), p.home) {
		if i := slices.IndexFunc(c.From, besides); i >= 0 {
			return "the file " + c.From[i]
		}
		words := c.Words
		for len(words) > 0 && strings.Contains(words[0], "=") {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		if who := printer(words); who != "" {
			return who
		}
		for _, fn := range p.named[words[0]] {
			if !p.first(words[0] + "()") {
				break
			}
			if who := p.output(fn.Body); who != "" {
				return who
			}
		}
	}
	return ""
}

// printer is a command that prints such data, "" if it does not.
func printer(words []string) string {
	name := filepath.Base(words[0])
	switch {
	case slices.Contains(printers, name):
		return name
	case name == "git":
		if sub := gitNames(words[1:]); sub != "" {
			return "git " + sub
		}
	default:
		for i, word := range words[1:] {
			if file := codeFile().FindStringSubmatch(word); file != nil && shell.TakesCode(name, words[i]) {
				return name + " " + file[1]
			}
		}
		for _, i := range shell.PrintedFiles(name, words[1:]) {
			if file := words[1+i]; besides(file) {
				return name + " " + file
			}
		}
	}
	return ""
}

// besides says whether a word names a file of the directory that the shell is in.
func besides(word string) bool {
	return word != "" && !strings.ContainsAny(word[:1], "/~-$&<(\"'") || strings.HasPrefix(word, "$PWD/")
}

// gitNames is the command of git among its arguments if it prints what commands
// decide, "" otherwise.
func gitNames(words []string) string {
	words = shell.GitCommand(words)
	if len(words) > 0 && (words[0] == "rev-parse" && slices.ContainsFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "--abbrev-ref") || strings.HasPrefix(w, "--symbolic") || w == "--show-prefix"
	}) || slices.Contains(naming, words[0]) && !slices.ContainsFunc(words, fixed().MatchString)) {
		return words[0]
	}
	return ""
}

// expanded judges what a file, or the body of a function that runs at a prompt,
// expands or evaluates of such data; named are the functions and sets the variables
// that it may use.
func (j *rcJudge) expanded(f shellrc.File, sets []shellrc.Def, named map[string][]rcFunction) {
	by := func(d shellrc.Def) string { return printed{j.Session.Dirs.Home, named, sets, map[string]bool{}}.by(d) }
	prompts := bashPrompts
	if f.Shell == shellrc.Zsh {
		prompts = nil
		if j.substitutes {
			prompts = zshPrompts
		}
	}
	for _, d := range f.Sets {
		if slices.Contains(prompts, d.Name) {
			j.twice(d, d.Name+" of your shell", by(d))
		}
	}
	for _, d := range f.Calls {
		if strings.HasPrefix(d.Value, "eval ") {
			j.twice(d, "eval in a start file of your shell", by(d))
		}
	}
	if f.Shell == shellrc.Zsh { // evaluates no subscript of a value
		return
	}
	for _, d := range f.Numbers {
		j.twice(d, "a number in a start file of your shell", by(d))
	}
}

// twice notes a place that holds what a command prints, unless it is known which file
// runs there.
func (j *rcJudge) twice(d shellrc.Def, what, who string) {
	known := func(o opening.Opening) bool { return o.Where == d.Where() && o.Status == report.Fail }
	if who == "" || slices.ContainsFunc(j.found, known) {
		return
	}
	j.add(report.Fail, d.Where(), what, strings.ToUpper(what[:1])+what[1:]+" holds what "+who+
		" prints, and the shell evaluates it: a $(…) that a command of the agent put there runs outside the sandbox.")
	j.found[len(j.found)-1].Step = "let the shell expand it once, in single quotes: " +
		`PS1='$(git branch --show-current) \$ '; or check a number before it counts`
}

// substitutesPrompts says whether zsh expands prompts: the last line that says so
// counts (zshoptions(1), PROMPT_SUBST).
func substitutesPrompts(files []shellrc.File) (on bool) {
	for _, f := range files {
		for _, c := range f.Calls {
			words := strings.Fields(strings.ToLower(strings.ReplaceAll(c.Value, "_", "")))
			switch {
			case slices.Contains(words, "nopromptsubst"):
				on = len(words) > 0 && words[0] == "unsetopt"
			case !slices.Contains(words, "promptsubst"):
			case words[0] == "setopt", words[0] == "set" && slices.Contains(words, "-o"):
				on = true
			case words[0] == "unsetopt", words[0] == "set" && slices.Contains(words, "+o"):
				on = false
			}
		}
	}
	return on
}
