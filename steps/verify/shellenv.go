// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a variable of the user's shell, or of the user's
// settings, would run outside the sandbox, or take settings from, lies where no
// command may write. A value is never shown, only the path in it that leads
// there.

package verify

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// ours are variables that this program reads itself, whatever claude-iso hands
// on: settings, approvals and stored proofs lie there.
var ours = []string{claude.ConfigDirVariable, "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"}

// variable is one that a session has: of the user's shell, or set by settings
// that no project writes.
type variable struct {
	name, value string
	// of says whose it is; where and path are its place in settings, plain
	// that claude-iso does not hand it on.
	of, where string
	path      []string
	plain     func(project []string) bool
}

// variablesOf lists them. PATH is another matter (pathOpenings).
func variablesOf(r host.Reader, s SessionSettings) (list []variable) {
	env := r.System().Env
	for _, v := range iso.Choose(env) {
		value := env.Get(v.Name)
		list = append(list, variable{name: v.Name, value: value, of: "of your shell", plain: func(project []string) bool {
			return !v.Kept || !slices.Contains(ours, v.Name) && iso.LeavesOut(r, v, project, value)
		}})
	}
	for _, l := range s.Layers {
		if l.Scope == settings.Project || l.Scope == settings.Local {
			continue // project-code
		}
		set := l.Doc.Get(claude.KeyEnv...)
		if set == nil || set.Kind != settings.Object {
			continue
		}
		for _, m := range set.Members {
			list = append(list, variable{name: m.Key, value: m.Value.Text, of: "of your settings", where: l.Doc.Where(m.Value),
				path:  claude.KeyEnv.Below(m.Key),
				plain: func([]string) bool { return false }})
		}
	}
	return slices.DeleteFunc(list, func(v variable) bool {
		return v.name == "PATH" || claude.VariableOf(v.name).Data || knownEffect(v.name) == ""
	})
}

// shellOpenings lists the variables of the user's own, in the shell or in
// settings, that lead to where commands may write: what an agent at work puts
// there is run, or read as settings, by the next session outside the sandbox.
// A variable that leads to another host is the user's own matter.
func shellOpenings(r host.Reader, s SessionSettings) []opening {
	g, dropped := groundOf(r, s), host.Written(r, s.dirs.Start)
	var found []opening
	for _, v := range variablesOf(r, s) {
		i := slices.IndexFunc(pathsIn(r, s.dirs.Start, v.name, v.value), g.leads)
		if i < 0 {
			continue
		}
		p := pathsIn(r, s.dirs.Start, v.name, v.value)[i]
		o := opening{status: report.Fail, voids: true, plain: v.plain(dropped), where: cmp.Or(v.where, p), path: v.path,
			what:  v.name,
			opens: writableAnd(v.name+" "+v.of, p, knownEffect(v.name))}
		if v.path == nil {
			o.remedy = report.DocLink{Title: "unset " + v.name + " in the shell where you start claude, or point it outside " +
				"of what commands may write", Target: filepath.Clean(p)}
		}
		if claude.VariableOf(v.name).Indirect {
			o.status, o.voids = report.Warn, false
		}
		found = append(found, o)
	}
	return found
}

func oneOf(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, name); return ok })
}

// whole are variables whose value is one path.
var whole = []string{"HOME", "*_HOME", "SHELL", "ZDOTDIR", "BASH_ENV", "ENV", claude.ConfigDirVariable,
	claude.EnvFileVariable,
	claude.ShellVariable, "TMPDIR", "GIT_DIR", "GIT_COMMON_DIR",
	"GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_TEMPLATE_DIR", "PYTHONSTARTUP", "RIPGREP_CONFIG_PATH",
	"OPENSSL_CONF", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"}

// files are variables whose words are files or directories and nothing else,
// there yet or not: a command could make one. Not among them are names of
// programs, and ENV, which many programs take for the name of a stage: a name
// with a dot is a file there.
var files = []string{"BASH_ENV", "ZDOTDIR", "*_HOME", claude.ConfigDirVariable, claude.EnvFileVariable, "GIT_EXEC_PATH",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_TEMPLATE_DIR",
	"PYTHONSTARTUP", "RIPGREP_CONFIG_PATH", "OPENSSL_CONF", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "LD_LIBRARY_PATH",
	"GCONV_PATH", "PYTHONPATH", "NODE_PATH", "PERL5LIB", "RUBYLIB", "CLASSPATH"}

// emptyIsHere are lists in which an empty entry is the working directory
// (ld.so(8); java(1); python3, measured with 3.11). PYTHONPATH=$PYTHONPATH:/x
// makes one.
var emptyIsHere = []string{"LD_LIBRARY_PATH", "PYTHONPATH", "CLASSPATH"}

// pathsIn lists the paths that a value holds: as a whole, in a list, or as
// words and options of a command. A word without a slash is one if such a file
// is in the start directory, or if the variable names files alone.
func pathsIn(r host.Reader, start, name, value string) (paths []string) {
	entries := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t\n:;='\"`()|&<>", r) })
	if oneOf(whole, name) && value != "" {
		entries = []string{value}
	}
	if slices.Contains(emptyIsHere, name) && slices.Contains(strings.Split(value, ":"), "") && value != "" {
		entries = append(entries, ".")
	}
	for _, e := range entries {
		if strings.HasPrefix(e, "-") { // -I./lib, -r../x
			i := strings.IndexAny(e, "./~")
			if i < 0 {
				continue
			}
			e = e[i:]
		}
		switch rest, home := strings.CutPrefix(e, "~/"); {
		case home:
			e = filepath.Join(r.Places().Home, rest)
		case filepath.IsAbs(e):
		case !strings.Contains(e, "/") && e != "." && e != "..":
			if _, err := r.Lstat(filepath.Join(start, e)); err != nil && !oneOf(files, name) &&
				!(name == "ENV" && strings.Contains(e, ".")) {
				continue
			}
			fallthrough
		default:
			e = filepath.Join(start, e)
		}
		paths = append(paths, filepath.Clean(e))
	}
	return paths
}
