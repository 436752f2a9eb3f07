// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path of an rc file that commands may write is understood
// as harmless, or it is named. Whatever way a shell has to run it, the text
// says where it is.

package rcfiles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// Patterns of what a line of an rc file names.
var (
	rcAssigned = lazy.Regexp(`(~?[A-Za-z_][A-Za-z0-9_]*)\+?=(\([^)]*\)|[^\s;|&]*)`)
	rcSet      = lazy.Regexp(`\bset\s+(?:-\S+\s+)*([A-Za-z_][A-Za-z0-9_]*)\s+([^;|&]*)`)
	rcBetween  = lazy.Regexp(`&&|\|\||[;&|]`)
	rcBefore   = lazy.Regexp("^(?:(?:if|then|else|elif|do|while|until|not|and|or|begin|time|!|" +
		"builtin|command|export|declare|typeset|local|readonly)(?:\\s+-[A-Za-z]+)*\\s+|[{(]\\s*|" +
		"alias\\s+(?:-\\S+\\s+)*[\\w.:+-]+(?:=\\s*['\"]?|\\s+['\"])|" +
		"(?:function\\s+)?[\\w.:+-]+\\s*\\(\\)\\s*|function\\s+\\S+\\s*|case\\s+\\S+\\s+in\\s*|[^\\s()$`'\"=]+\\)\\s*)")
	// rcGroup is a group in a pattern of zsh, behind a part of the path (zshexpn(1), Glob Operators).
	rcGroup = lazy.Regexp("(/[^\\s;|&<>()'\"$]*)\\([^\\s()$`]*\\)")
	rcOne   = lazy.Regexp(`^([A-Za-z_][A-Za-z0-9_]*)\+?=(?:\([^)]*\)?|"[^"]*"?|'[^']*'?|[^\s'"(])*\s*`)
)

// settled begin a command that runs nothing of the paths that it is given;
// running begin one that may, although no program is started.
var (
	settled = strings.Fields("cd pushd z j test [ [[ mkdir rmdir ls echo")
	running = strings.Fields("source . eval exec complete bind enable trap zle bindkey autoload zcompile compdef sched " +
		"zmodload emulate repeat coproc mapfile readarray read noglob nocorrect - printf print")
)

// note notes what a line gives to variables.
func (j *rcJudge) note(names grants.NamedBy, text string) {
	text = grants.Unquoted(text)
	for _, m := range slices.Concat(rcAssigned().FindAllStringSubmatch(text, -1),
		rcSet().FindAllStringSubmatch(text, -1)) {
		for _, path := range j.Named(names, m[2]) {
			if !slices.Contains(names[m[1]], path) && len(names[m[1]]) < grants.MaxNamed {
				names[m[1]] = append(names[m[1]], path)
			}
		}
	}
}

// texts warns of each path of the files' text that commands may write, that no
// other finding names, and that is not understood as harmless.
func (j *rcJudge) texts(files []shellrc.File) {
	names, lines := grants.NamedBy{}, map[string][]shellrc.Text{}
	for range 2 { // a file may be sourced before the one that sets its variables is known
		for _, f := range files {
			if lines[f.Path] == nil && !j.Leads(f.Path) {
				if b, err := j.Host.Read(f.Path); err == nil {
					lines[f.Path] = shellrc.Lines(f.Shell, b)
					for i, l := range lines[f.Path] {
						if f.Shell == shellrc.Zsh {
							lines[f.Path][i].Text = rcGroup().ReplaceAllString(l.Text, "${1}*")
						}
					}
				}
			}
			for _, l := range lines[f.Path] {
				if strings.ContainsAny(l.Text, "/~$") {
					j.note(names, l.Text)
				}
			}
		}
	}
	for _, f := range files {
		for _, l := range lines[f.Path] {
			where := fmt.Sprintf("%s:%d", f.Path, l.Line)
			if !strings.ContainsAny(l.Text, "/~$") || slices.ContainsFunc(j.found, func(o opening.Opening) bool {
				return o.Where == where
			}) {
				continue
			}
			piped := strings.Contains(strings.ReplaceAll(l.Text, "||", ""), "|")
			for _, part := range rcBetween().Split(l.Text, -1) {
				paths := j.Named(names, part)
				i := slices.IndexFunc(paths, j.MayLead)
				if i < 0 || j.harmless(part, paths[i], f.Shell, piped) {
					continue
				}
				before := len(j.found)
				j.add(report.Warn, where, paths[i], "An rc file names "+paths[i]+", which commands can write. Whether your shell "+
					"runs it outside the sandbox is unknown.")
				if len(j.found) > before {
					j.found[before].Group = opening.Unresolved
				}
			}
		}
	}
}

// harmless says whether a command of an rc file surely runs nothing of a path
// that it names.
func (j *rcJudge) harmless(part, path string, kind shellrc.Shell, piped bool) bool {
	for _, sign := range []string{"$(", "`", "<(", ">(", " =("} {
		if strings.Contains(part, sign) {
			return false
		}
	}
	if kind == shellrc.Fish && strings.Contains(part, "(") {
		return false
	}
	part = strings.TrimSpace(part)
	for {
		if m := rcBefore().FindString(part); m != "" {
			part = part[len(m):]
			continue
		}
		m := rcOne().FindStringSubmatch(part)
		if m == nil {
			break
		}
		if claude.VariableOf(m[1]).Named {
			return false
		}
		part = part[len(m[0]):]
	}
	words := strings.Fields(strings.Trim(part, `'"`))
	switch {
	case len(words) == 0:
		return true
	case words[0] == "echo" && piped:
		return false
	case slices.Contains(settled, words[0]), words[0] == "hash" && len(words) > 1 && words[1] == "-d":
		return true
	case words[0] == "set", words[0] == "fish_add_path":
		words = slices.DeleteFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-") })
		return len(words) == 0 || !claude.VariableOf(words[0]).Named
	case slices.Contains(running, words[0]), piped:
		return false
	}
	reach := commandline.Place(j.Ground).Line(strings.Trim(part, `'"`))
	return len(reach.Gaps) == 0 && !slices.ContainsFunc(reach.Uses, func(u shell.Use) bool {
		return u.Kind != shell.Reads && u.Kind != shell.Found && u.Kind != shell.Repository &&
			(pathname.Within(u.Path, path) || pathname.Within(path, u.Path))
	}) && slices.ContainsFunc(reach.Uses, func(u shell.Use) bool {
		return u.Kind == shell.Reads || u.Kind == shell.Repository
	})
}
