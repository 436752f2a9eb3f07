// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a variable of the runtime means the same whoever sets it: a
// login, a terminal, tmux or an editor hands it to every shell that it starts.

package dotfiles

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
)

// configSets are the ways in which configuration sets a variable for what a program
// starts, from the programs' manuals: NAME=value and its like in TOML, JSON, Lua and
// Python; NAME DEFAULT=value of PAM; a pair of "name" and "value" of editors; a word
// that sets it in front (tmux, screen, emacs); NAME "value" of KDL; NAME,value of
// Hyprland; the keys of launchd. "$NAME" reads one, but for vim, nushell and xonsh.
var configSets = lazy.Regexp(`(?:^|[^$\w{-]|\blet \$|\$env\.)([A-Z][A-Z0-9_]{3,})(?:` + strings.Join([]string{
	`"\s*,\s*"value"\s*:\s*"`, `["']?\]?[ \t]*[=:][ \t]*["']?`, `[ \t]+DEFAULT=["']?`, `[ \t]+"`, `,`,
	`</key>\s*<string>`,
}, "|") + `)([^"'\s;,<}\])]*)`)

// configWord is a word that sets a variable, with its name and its value.
var configWord = lazy.Regexp(`\b(?:setenv|set-environment)\b[^\n;]*?\s["']?([A-Z][A-Z0-9_]{3,})["']?\s+["']?([^"'\s;)]+)`)

// sets judges the variables of the runtime that the text of a file sets.
func (j *homeJudge) sets(c configured, path, text string) {
	lines := strings.Split(text, "\n")
	for _, pattern := range []*regexp.Regexp{configSets(), configWord()} {
		for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
			line := strings.Count(text[:m[2]], "\n")
			if c.comments(lines[line]) {
				continue
			}
			name, value, where := text[m[2]:m[3]], text[m[4]:m[5]], fmt.Sprintf("%s:%d", path, line+1)
			if quoted, _, ends := strings.Cut(text[m[4]:], `"`); ends && text[m[4]-1] == '"' {
				value = quoted
			}
			j.steers("The configuration of "+c.program, name, value, where)
			j.here(name, value, where)
		}
	}
}

// steers judges what a variable means to the runtime itself, in a plain start.
func (j *homeJudge) steers(who, name, value, where string) {
	o, yes := Steers(who, name, value, where, j.Session.ByRoot)
	if !yes || slices.ContainsFunc(j.found, func(f opening.Opening) bool { return f.Where == where && f.Voids }) {
		return
	}
	o.Plain = !slices.Contains(iso.AllowedNames(j.Host.System().Get(iso.AllowVariable)), name)
	o.Step = "remove " + name
	j.found = append(j.found, o)
}

// LeadsHere is what is said of a variable with a relative path.
func LeadsHere(name, path string) string {
	return name + " leads to " + path + " of the directory that a program is started in. In the project, commands can " +
		"write that file, and it may name programs."
}

// The folder that is open in an editor, or where a shell is; and what else a program expands.
var (
	openFolder = lazy.Regexp(`\$\{workspace(?:Folder|Root)(?::[^}]*)?\}|\$\{?PWD\b\}?`)
	expanded   = lazy.Regexp(`[$@]\{[^}]*\}?|\$[\w:]+|%\w`)
)

// here judges a variable that leads to a file of the directory in which the agent, or a shell
// with it, is started.
func (j *homeJudge) here(name, value, where string) {
	value = expanded().ReplaceAllLiteralString(openFolder().ReplaceAllLiteralString(value, "."), "/-")
	if !strings.Contains(value, "/") || strings.ContainsAny(value, "`(") || claude.VariableOf(name).Data ||
		KnownEffect(name) == "" {
		return
	}
	paths, _ := Led(j.Ground, commandline.Place(j.Ground), name, value)
	if i := slices.IndexFunc(paths, j.Leads); i >= 0 {
		j.add(report.Warn, where, paths[i], LeadsHere(name, paths[i]))
	}
}

// fishByte is a byte in a universal variable.
var fishByte = lazy.Regexp(`\\x[0-9a-fA-F]{2}`)

// universal is the text of fish's universal variables as lines of NAME=value: a
// byte may be written as \xHH, \x1e parts the elements of a list, and
// fish_user_paths stand in front of PATH (set(1) and fish_add_path(1) of fish).
func universal(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		_, set, is := strings.Cut(line, "SETUVAR ")
		if !is {
			continue
		}
		for strings.HasPrefix(set, "--") {
			_, set, _ = strings.Cut(set, " ")
		}
		name, value, _ := strings.Cut(set, ":")
		value = fishByte().ReplaceAllStringFunc(value, func(s string) string {
			n, _ := strconv.ParseUint(s[2:], 16, 8)
			return strings.ReplaceAll(string([]byte{byte(n)}), "\n", " ") // each line stays one
		})
		lines[i] = cmp.Or(map[string]string{"fish_user_paths": "PATH"}[name], name) + "=" +
			strings.ReplaceAll(value, "\x1e", ":")
	}
	return strings.Join(lines, "\n")
}
