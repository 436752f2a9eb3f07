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

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// confirmed are variables that end the question of a plugin before it runs a file
// of the directory that the shell enters, the value for it ("" for any), and what
// it runs (the README of autoenv; the plugins dotenv and python of oh-my-zsh; rvm.io,
// .rvmrc).
var confirmed = map[string]struct{ value, runs string }{
	"AUTOENV_ASSUME_YES":    {"", "autoenv runs .env"},
	"ZSH_DOTENV_PROMPT":     {"false", "the plugin dotenv sources .env"},
	"rvm_trust_rvmrcs_flag": {"1", "rvm sources .rvmrc"},
	"PYTHON_AUTO_VRUN":      {"true", "the plugin python sources venv/bin/activate"},
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

// hooking are programs whose words in an rc file have the shell run a file of each
// directory that it enters, without asking, with that file (cashapp.github.io/hermit,
// Shell Integration).
var hooking = map[string]struct{ word, runs string }{"hermit": {"shell-hooks", "sources bin/activate-hermit"}}

// trusting are programs that the shell runs in each directory and that ask once for a
// directory, whatever becomes of it: with their word, the directory of a project, the
// name of the file there that says so, and what runs (shopify.github.io/shadowenv,
// Trust: a signature of the path, and none of the programs).
var trusting = map[string]struct{ word, dir, trust, runs string }{
	"shadowenv": {"init", ".shadowenv.d", "trust-", "runs what *.lisp of .shadowenv.d says"}}

// hooks judges what the lines of some files have such programs do.
func (j *rcJudge) hooks(files []shellrc.File) {
	for _, f := range files {
		if j.Leads(f.Path) {
			continue
		}
		for _, c := range f.Calls {
			words := strings.FieldsFunc(c.Value, func(r rune) bool { return strings.ContainsRune(" \t\n()\"'`;&|", r) })
			for i := range max(0, len(words)-1) {
				name := filepath.Base(words[i])
				if h, is := hooking[name]; is && words[i+1] == h.word {
					j.entered(c, name, name+" "+h.runs)
				}
				if t, is := trusting[name]; is && words[i+1] == t.word {
					j.trustedOnce(c, name, t.dir, t.trust, t.runs)
				}
			}
		}
	}
}

// trustedOnce says that a project was trusted, and that commands change what runs there.
func (j *rcJudge) trustedOnce(d shellrc.Def, name, dir, trust, runs string) {
	dir = filepath.Join(j.Session.Dirs.Start, dir)
	entries, err := j.Host.ReadDir(dir)
	if err != nil || !j.Leads(dir) {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(strings.TrimPrefix(e.Name(), "."), trust) {
			j.add(report.Fail, d.Where(), dir, name+" "+runs+" outside the sandbox, when your shell enters the project: you "+
				"trusted this directory, and commands can write there.")
			return
		}
	}
}

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
		if j.Leads(path) || pathname.Within(j.Session.Dirs.Start, grants.RealPath(j.Host, path)) {
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

// plugins judges the plugins of zsh that some files load, and programs that hook into
// a shell.
func (j *rcJudge) plugins(files []shellrc.File) {
	j.hooks(files)
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
