// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a shell takes what lies in the directory that it is in not
// by source alone: the name of a program begins with a path, a variable names a
// file, a setting lets a plugin do it without asking.

package verify

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// begun is a program whose path begins with a relative directory: only the
// running shell knows the rest.
var begun = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^[\"']?([\\w.@+%-]+(?:/[\\w.@+%-]+)*)/[\"']?[\"'$`*?{]")
})

// begunHere judges a command that is not understood.
func (j *rcJudge) begunHere(c shellrc.Def, gap shell.Gap) {
	if m := begun().FindStringSubmatch(gap.Text); m != nil && strings.Contains(gap.Why, "which program") {
		j.runs(c, filepath.Join(j.s.dirs.Start, m[1], "*"), "runs programs of")
	}
}

// piped are the calls of a file; fish's reader takes a pipe apart, and "source"
// alone reads what stands before it.
func piped(f shellrc.File) (calls []shellrc.Def) {
	for _, c := range f.Calls {
		if n := len(calls) - 1; f.Shell == shellrc.Fish && n >= 0 && calls[n].Line == c.Line &&
			(c.Value == "source" || c.Value == "source -") {
			calls[n].Value += " | source"
			continue
		}
		calls = append(calls, c)
	}
	return calls
}

// confirmed are variables that end the question of a plugin before it runs a file
// of the directory that the shell enters, the value for it ("" for any), and what
// it runs (the README of autoenv; the plugins dotenv and python of oh-my-zsh).
var confirmed = map[string]struct{ value, runs string }{
	"AUTOENV_ASSUME_YES": {"", "autoenv runs .env"},
	"ZSH_DOTENV_PROMPT":  {"false", "the plugin dotenv sources .env"},
	"PYTHON_AUTO_VRUN":   {"true", "the plugin python sources venv/bin/activate"},
}

// configVariables are variables that name a program's configuration, besides those
// whose name says so.
var configVariables = []string{"AWS_CONFIG_FILE", "KUBECONFIG", "DOCKER_CONFIG", "CARGO_HOME", "NPM_CONFIG_USERCONFIG",
	"NPM_CONFIG_GLOBALCONFIG"}

// confirms judges a variable that ends such a question, and says whether it is one.
func (j *rcJudge) confirms(d shellrc.Def, value string) bool {
	c, is := confirmed[d.Name]
	if is && value != "" && (c.value == "" || value == c.value) {
		j.add(report.Warn, d.Where(), d.Name, d.Name+": "+c.runs+" of each directory that you enter, outside the sandbox, "+
			"without asking. In the project, commands can write that file.")
	}
	return is
}

// setHere judges a variable that leads to a file of the directory.
func (j *rcJudge) setHere(d shellrc.Def, value string) {
	path := literalPath(value)
	if !claude.VariableOf(d.Name).Named && !slices.Contains(configVariables, d.Name) ||
		strings.ContainsAny(path, " \t:") || !strings.HasPrefix(path, ".") && !strings.Contains(path, "/") {
		return
	}
	if full := filepath.Join(j.s.dirs.Start, path); path != "" && j.leads(full) {
		j.add(report.Warn, d.Where(), full, d.Name+" leads to "+path+" of the directory that a program is started "+
			"in. In the project, commands can write that file, and it may name programs.")
	}
}

// completed judges the functions that the Tab key calls, for the programs that they
// start by a path. What else they run is asked for by the user (asked).
func (j *rcJudge) completed(files []shellrc.File) {
	user := shellrc.User{Home: j.s.dirs.Home, Getenv: j.r.System().Get}
	words := map[string]bool{}
	for _, f := range files {
		for _, c := range f.Calls {
			if word, rest, _ := strings.Cut(c.Value, " "); slices.Contains([]string{"complete", "compdef", "compctl"}, word) {
				for _, name := range callNames().all.FindAllString(rest, -1) {
					words[name] = true
				}
			}
		}
	}
	for _, f := range files {
		for _, d := range f.Functions {
			if !words[d.Name] || d.Body == "" || j.leads(f.Path) {
				continue
			}
			for _, c := range user.Read(f.Shell, d.File, []byte(d.Body)).At(d).Calls {
				j.line(c, c.Value, "runs, for the Tab key,")
			}
		}
	}
}
