// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an answer is foreign data; one that contradicts itself is
// none.

package ownshell

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// read takes the answers of a start: the meanings of each, the variables of
// the last.
func (a *Answer) read(s said) {
	for _, r := range s.Answers {
		a.Went, a.Env = shellrc.Shell(r.Shell), exported(r.Env)
		meanings, contradiction := r.meanings(a.Word)
		if contradiction != "" {
			a.Why = contradiction
			return
		}
		a.Meanings = report.Union(a.Meanings, meanings...)
	}
	if s.Answers != nil {
		return
	}
	a.Why = "it did not answer at a prompt"
	switch {
	case s.Failed != "":
		a.Why = s.Failed
	case s.Ended:
		a.ended, a.Why = true, "it ended, or became another program, before it answered"
	}
	if screen := lastLine(s.Screen); screen != "" {
		a.Why += " (last on its screen: " + screen + ")"
	}
}

// escapes are what moves the cursor and sets colours.
var escapes = lazy.Regexp(`\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|.)|[\x00-\x09\x0b-\x1f]`)

// lastLine is the last line of a screen that says something.
func lastLine(text string) string {
	lines := strings.Split(escapes().ReplaceAllString(text, ""), "\n")
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimSpace(line); line != "" && !strings.Contains(line, inDir) {
			return redact.Line(redact.Text(line), 80)
		}
	}
	return ""
}

// exported are the variables, without those that every start has of its own.
func exported(list []string) env.Env {
	return env.New(slices.DeleteFunc(slices.Clone(list), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"_", "SHLVL", "PWD", "OLDPWD"}, name) || strings.HasPrefix(name, "steward_")
	}))
}

// hashed is a file that a shell remembers for a name, found on PATH or told.
const hashed = "an entry of the shell's table of commands"

// meanings are the definitions in an answer, the one that counts first;
// contradiction says that what was used to ask is not the shell's own.
func (r raw) meanings(word string) (list []Meaning, contradiction string) {
	add := func(what string, d shellrc.Def) {
		if d.Value != "" || d.Body != "" {
			d.Name = word
			list = append(list, Meaning{what, d})
		}
	}
	field := func(i int) string {
		if i >= len(r.Fields) {
			return ""
		}
		return strings.TrimRight(r.Fields[i], "\n")
	}
	switch shellrc.Shell(r.Shell) {
	case shellrc.Bash:
		if readonly().MatchString(field(0)) {
			return nil, "its start files put functions that cannot be removed in the place of bash's own commands"
		}
		value, _ := strings.CutPrefix(strings.TrimPrefix(field(1), "alias "), word+"=")
		add("an alias", shellrc.Def{Value: unquote(value)})
		file, line := placeOfBash(field(3))
		_, body, _ := strings.Cut(field(2), "()")
		add("a function", shellrc.Def{Body: strings.TrimSpace(body), File: file, Line: line})
		add(hashed, shellrc.Def{Value: field(4)})
	case shellrc.Zsh:
		for part := range strings.SplitSeq(field(0), "|") {
			if !strings.Contains(part, "special") {
				return nil, "its start files put variables in the place of zsh's own tables"
			}
		}
		add("an alias", shellrc.Def{Value: field(1)})
		add("a global alias", shellrc.Def{Value: field(2)})
		add("a function", shellrc.Def{Body: strings.TrimSpace(field(3)), File: absolute(field(4))})
		add(hashed, shellrc.Def{Value: field(5)})
	case shellrc.Fish:
		for i := 2; i < len(r.Fields); i++ {
			add("an abbreviation", shellrc.Def{Value: field(i)})
		}
		d := shellrc.Def{Body: ofFish(field(0))}
		if details := strings.Split(field(1), "\n"); len(details) > 2 {
			d.File = absolute(details[0])
			d.Line, _ = strconv.Atoi(details[2]) // 0 where it says none
		}
		add("a function", d)
	case shellrc.POSIX, shellrc.Ksh, shellrc.Mksh:
		for name := range strings.FieldsSeq(strings.ReplaceAll(field(0), "()", " ")) {
			if slices.Contains([]string{"command", "alias", "unalias"}, name) {
				return nil, "its start files put functions in the place of " + r.Shell + "'s own commands"
			}
		}
		value, is := strings.CutPrefix(strings.TrimPrefix(field(1), "alias "), word+"=")
		if is {
			add("an alias", shellrc.Def{Value: unquote(value)})
		}
		body := ""
		if i := strings.IndexByte(field(2), '{'); i >= 0 {
			body = strings.TrimSpace(field(2)[i:])
		}
		switch path := field(3); {
		case strings.HasPrefix(path, "/"):
			add(hashed, shellrc.Def{Value: path})
		case path == word: // dash prints no function
			list = append(list, Meaning{"a function", shellrc.Def{Name: word, Body: body}})
		}
	case shellrc.Tcsh:
		add("an alias", shellrc.Def{Value: shellrc.AliasOfCsh(field(1))})
	default:
		return nil, "another shell answered: " + redact.Line(r.Shell, 20)
	}
	return list, ""
}

// readonly are functions in the place of what asks, in bash's own list of those
// that cannot be removed.
var readonly = lazy.Regexp(`(?m)^readonly -f (builtin|unset|trap|shopt|alias|declare|hash|exec|readonly)$`)

// unquote takes the quotes of a shell's list of aliases off: pieces in single or
// double quotes and escaped characters, one after another.
func unquote(s string) string {
	var b strings.Builder
	for s != "" {
		quote := s[0]
		end := strings.IndexByte(s[1:], quote)
		switch {
		case (quote == '\'' || quote == '"') && end >= 0:
			b.WriteString(s[1 : 1+end])
			s = s[end+2:]
		case quote == '\\' && len(s) > 1:
			b.WriteByte(s[1])
			s = s[2:]
		default:
			b.WriteByte(quote)
			s = s[1:]
		}
	}
	return b.String()
}

// placeOfBash is what declare -F says with extdebug: name, line, file.
func placeOfBash(s string) (file string, line int) {
	fields := strings.SplitN(s, " ", 3)
	if len(fields) < 3 {
		return "", 0
	}
	if file = absolute(fields[2]); file != "" {
		line, _ = strconv.Atoi(fields[1]) // 0 where it says none
	}
	return file, line
}

// absolute is a path, "" if it is none.
func absolute(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}

// ofFish is the body of a function as fish prints it.
func ofFish(text string) string {
	lines := strings.Split(text, "\n")
	for len(lines) > 0 && (strings.HasPrefix(lines[0], "#") || lines[0] == "") {
		lines = lines[1:]
	}
	if len(lines) < 2 {
		return strings.TrimSpace(text)
	}
	return strings.TrimSpace(strings.Join(lines[1:len(lines)-1], "\n"))
}

// later says whether the shell has something to run by itself, between prompts
// (zsh: sched, zle -F).
func (r raw) later() bool {
	return shellrc.Shell(r.Shell) == shellrc.Zsh && len(r.Fields) > 6 && r.Fields[6] != ""
}
