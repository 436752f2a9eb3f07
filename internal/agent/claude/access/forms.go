// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule for commands matches as the runtime matches it,
// text against text; every form here was tried with Claude Code 2.1.329, and
// explain/runtime_test.go tries them again.

package access

import (
	"iter"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// rule is one that is in force, and what stands in its parentheses; bare says
// that it has none.
type rule struct {
	settings.Candidate
	content string
	bare    bool
}

// rules are those of a list (allow, ask or deny) that are in force and about a
// tool.
func (s *Start) rules(list, tool string) iter.Seq[rule] {
	return func(yield func(rule) bool) {
		for _, r := range s.Settings.RulesIn(list) {
			of, content, call, _ := claude.SplitRule(r.Value.Text)
			if of == tool && !yield(rule{r.Candidate, content, !call}) {
				return
			}
		}
	}
}

// those are the rules of a list about a tool that hold.
func (s *Start) those(list, tool string, hold func(rule) bool) (by []report.Evidence) {
	for rule := range s.rules(list, tool) {
		if hold(rule) {
			by = append(by, s.At(rule.Candidate, claude.KeyPermissions.Below(list)...))
		}
	}
	return by
}

// byRules is the ruling of the rules of a tool: of the lists that have one, the
// strictest counts; ok is false where none has.
func byRules(in func(list string) []report.Evidence) (r report.Ruling, ok bool) {
	for _, l := range []struct {
		name   string
		answer report.Answer
		why    string
	}{{claude.Deny, report.Denied, "a deny rule"}, {claude.Ask, report.Asks, "an ask rule"},
		{claude.Allow, report.Allowed, "an allow rule"}} {
		if by := in(l.name); len(by) > 0 {
			return report.Ruling{Answer: l.answer, Why: l.why, By: by}, true
		}
	}
	return r, false
}

// maxForms bounds under how many texts one command is looked for.
const maxForms = 64

// maxNested bounds how deep it is followed what programs hand on to others.
const maxNested = 32

// simple is one simple command of a line.
type simple struct{ shell.Command }

func commandsOf(line, home string) (list []simple) {
	for _, c := range shell.Commands(line, home) {
		list = append(list, simple{c})
	}
	return list
}

// forms are the texts under which deny and ask rules see a command: as it
// stands, and without the assignments and the programs before it that start
// another one, each also with the program's bare name.
func (c simple) forms() (list []string) {
	for words := range c.layers() {
		if len(words) == 0 || len(list) >= maxForms {
			break
		}
		list = report.Union(list, strings.Join(words, " "),
			strings.Join(append([]string{path.Base(words[0])}, words[1:]...), " "))
	}
	return list
}

// core are the words of the program that is started in the end.
func (c simple) core() (words []string) {
	for words = range c.layers() { // the last
	}
	return words
}

// layers are the words of a command, and those with one layer after another
// taken off.
func (c simple) layers() iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for words := c.Words; yield(words) && len(words) > 0; {
			inner := unwrap(words)
			if len(inner) == len(words) {
				return
			}
			words = inner
		}
	}
}

// stripped start another program, and the runtime takes them off before it asks
// its rules, each with the options of theirs that take a word. It knows fewer of
// them than a shell has (internal/shell, programs.go).
var stripped = map[string][]string{
	"env": {"-u", "--unset"}, "timeout": {"-s", "-k", "--signal", "--kill-after"}, "nice": {"-n", "--adjustment"},
	"nohup": nil, "setsid": nil,
	"time": nil, "command": nil, "builtin": nil, "exec": {"-a"}, "stdbuf": {"-i", "-o", "-e"}, "xargs": nil,
}

// strippedForYes are those that it takes off before it asks what is allowed.
var strippedForYes = []string{"timeout", "nice", "nohup", "time", "command", "builtin", "stdbuf", "xargs"}

// unwrap takes one layer off: leading assignments, or a wrapper with its
// options. Behind options of xargs the runtime does not look.
func unwrap(words []string) []string {
	if name, _, ok := strings.Cut(words[0], "="); ok && syntax.ValidName(name) {
		return words[1:]
	}
	name := path.Base(words[0])
	valued, known := stripped[name]
	if !known {
		return words
	}
	rest := words[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		if name == "xargs" {
			return words
		}
		n := 1
		if slices.Contains(valued, rest[0]) {
			n = 2
		}
		rest = rest[min(n, len(rest)):]
	}
	if name == "timeout" && len(rest) > 0 {
		rest = rest[1:] // the duration
	}
	return rest
}

// handed are the commands that another program takes out of the text of c:
// what a shell or eval is told, what find and xargs start. Rules do not see
// them.
func (c simple) handed(home string) []simple {
	words := c.core()
	if len(words) < 2 {
		return nil
	}
	name, args := path.Base(words[0]), words[1:]
	switch {
	case slices.Contains(shell.Shells, name), name == "fish":
		for i, a := range args {
			if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "c") && i+1 < len(args) {
				return commandsOf(args[i+1], home)
			}
		}
	case name == "eval":
		return commandsOf(strings.Join(args, " "), home)
	case name == "find", name == "fd":
		if i := slices.IndexFunc(args, func(a string) bool {
			return slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir", "-x"}, a)
		}); i >= 0 && i+1 < len(args) {
			return []simple{{shell.Command{Words: args[i+1:]}}}
		}
	case slices.Contains([]string{"xargs", "sudo", "doas", "watch", "parallel"}, name):
		for i, a := range args {
			if !strings.HasPrefix(a, "-") && strings.Trim(a, "0123456789{}") != "" {
				return []simple{{shell.Command{Words: args[i:]}}}
			}
		}
	}
	return nil
}

// valuedOptions are options before a subcommand that take a word.
var valuedOptions = []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "-R", "--repo", "--context",
	"--config", "-H", "--host", "--profile", "--region"}

// plain is the command without the options before its subcommand: "git push"
// for "git -C . push"; ok is false where there are none.
func (c simple) plain() (form string, ok bool) {
	words := c.core()
	if len(words) < 2 || !strings.HasPrefix(words[1], "-") {
		return "", false
	}
	rest := words[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		n := 1
		if slices.Contains(valuedOptions, rest[0]) {
			n = 2
		}
		rest = rest[min(n, len(rest)):]
	}
	return strings.Join(append([]string{path.Base(words[0])}, rest...), " "), len(rest) > 0
}
