// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a plugin of a shell, or a program that hooks into it, may run a
// file of each directory that the shell enters. A line that ends its question is
// named, and so is one that loads a plugin which asks nothing.

package rcfiles

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/writable"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// confirmed are variables that end the question of a plugin before it runs a file
// of the directory that the shell enters, the value for it ("" for any), and what
// it runs (the README of autoenv; the plugins dotenv and python of oh-my-zsh).
var confirmed = map[string]struct{ value, runs string }{
	"AUTOENV_ASSUME_YES": {"", "autoenv runs .env"},
	"ZSH_DOTENV_PROMPT":  {"false", "the plugin dotenv sources .env"},
	"PYTHON_AUTO_VRUN":   {"true", "the plugin python sources venv/bin/activate"},
}

// trustedDirs is mise's list of directories whose configuration it runs without
// asking, separated by colons: with ~/code in it, mise.toml of a project there ran at
// the next prompt (seen with mise 2026.9.15; without it, or with MISE_YES, it did not).
const trustedDirs = "MISE_TRUSTED_CONFIG_PATHS"

// entering are plugins of zsh that run a file of each directory which the shell
// enters and ask nothing, by name, with that file and the variable that ends it, if
// there is one (the sources of oh-my-zsh, of which virtualenvwrapper was run with zsh
// 5.9, and of zsh-autoswitch-virtualenv 3).
var entering = map[string]struct{ runs, unless string }{
	"virtualenvwrapper":         {"sources .venv/bin/activate", "DISABLE_VENV_CD"},
	"poetry-env":                {"sources the environment that poetry.toml may put there", ""},
	"pipenv":                    {"starts the environment that lies there", ""},
	"autoswitch_virtualenv":     {"sources .venv/bin/activate", ""},
	"zsh-autoswitch-virtualenv": {"sources .venv/bin/activate", ""},
}

// pluginManagers are programs that load plugins of zsh by a name in their words.
var pluginManagers = []string{"antibody", "antidote", "antigen", "zgen", "zgenom", "zinit", "znap", "zplug", "zplugin"}

// confirms judges a variable that ends such a question, and says whether it is one.
func (j *rcJudge) confirms(d shellrc.Def, value string) bool {
	if d.Name == trustedDirs {
		j.trusts(d, value)
		return true
	}
	c, is := confirmed[d.Name]
	if is && value != "" && (c.value == "" || value == c.value) {
		j.entered(d, d.Name, d.Name+": "+c.runs)
	}
	return is
}

// trusts judges a list of directories in which mise runs what commands write.
func (j *rcJudge) trusts(d shellrc.Def, value string) {
	for _, path := range searched(value, j.Session.Dirs) {
		if j.Leads(path) || pathname.Within(j.Session.Dirs.Start, writable.RealPath(j.Host, path)) {
			j.add(report.Fail, d.Where(), path, "This line lets mise run what lies below "+path+" without asking, outside "+
				"the sandbox, and commands can write mise.toml there.")
			return
		}
	}
}

// entered says that a plugin runs a file of each directory.
func (j *rcJudge) entered(d shellrc.Def, what, runs string) {
	j.add(report.Warn, d.Where(), what, runs+" of each directory that you enter, outside the sandbox, without asking. In "+
		"the project, commands can write that file.")
}

// plugins judges the plugins of zsh that some files load.
func (j *rcJudge) plugins(files []shellrc.File) {
	off := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Sets {
			off[d.Name] = off[d.Name] || d.Value == "1"
		}
	}
	loads := func(d shellrc.Def, words string) {
		for _, word := range strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune(" \t\n()\"'", r) }) {
			name := word[strings.LastIndexAny(word, "/:")+1:]
			if p, is := entering[name]; is && !off[p.unless] {
				j.entered(d, name, "The plugin "+name+" "+p.runs)
			}
		}
	}
	for _, f := range files {
		if f.Shell != shellrc.Zsh || j.Leads(f.Path) {
			continue
		}
		for _, d := range f.Sets {
			if d.Name == "plugins" {
				loads(d, d.Value)
			}
		}
		for _, c := range f.Calls {
			if word, rest, _ := strings.Cut(c.Value, " "); slices.Contains(pluginManagers, filepath.Base(word)) {
				loads(c, rest)
			}
		}
	}
}
