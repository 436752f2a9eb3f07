// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that is started with variables of its own is
// judged by them as by its command: they name what it loads, and which program
// it is. A value is never shown, only the path in it that leads to where
// commands may write.

package dotfiles

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// Startup is a program that something of the user's own starts outside the
// sandbox: a server, or a command of a plugin or a text.
type Startup struct {
	Command string
	Args    []string
	// Exec says that there is no shell.
	Exec bool
	Env  []StartVar
	// Folder is where a language server may run instead of in the directory of
	// the session, "" if it names none. The cwd of an MCP server is not heeded
	// (measured with 2.1.329).
	Folder string
	// Event is that of a hook, or claude.PluginMonitors: what may tell the model what it prints.
	Event string
}

// StartVar is a variable of it, with its place.
type StartVar struct{ Name, Value, Where string }

// StartVars are those that an object of JSON sets.
func StartVars(d *settings.Doc, env *settings.Value) (list []StartVar) {
	for _, m := range settings.MembersOf(env) {
		list = append(list, StartVar{m.Key, m.Value.Text, d.Where(m.Value)})
	}
	return list
}

// StartOpenings judges what a program runs, and what its variables lead to.
func StartOpenings(g grants.Ground, p Startup, what, where string) (found []opening.Opening) {
	g.Event, g.Tells = p.Event, claude.Tells(p.Event, p.Command+" "+strings.Join(p.Args, " "))
	if p.Folder != "" {
		other := commandline.Place(g)
		if other.Dir = p.Folder; !filepath.IsAbs(p.Folder) {
			other.Dir = filepath.Join(g.Session.Dirs.Start, p.Folder)
		}
		found = startOpeningsIn(g, other, p, what, where)
	}
	return append(found, startOpeningsIn(g, commandline.Place(g), p, what, where)...)
}

func startOpeningsIn(g grants.Ground, place shell.Place, p Startup, what, where string) (found []opening.Opening) {
	if p.Command != "" {
		reach := place.Line(p.Command)
		if p.Exec {
			reach = place.Exec(p.Command, p.Args)
		}
		found = commandline.Openings(g, reach, what, where)
	}
	for _, v := range p.Env {
		values, known := shell.Expand(v.Value, func(name string) string {
			if name == "PATH" {
				return "/usr/bin" // the user's own is another finding
			}
			return g.Host.System().Get(name)
		})
		if !known && (v.Name == "PATH" || commandline.LoadsInto(v.Name) != "") {
			found = append(found, opening.Opening{Status: report.Unknown, Group: opening.Unresolved, Where: v.Where,
				What:  v.Name,
				Opens: "What " + v.Name + " of " + what + " leads to is unknown: it holds a variable that is not set here.",
				Step:  "write out the value of " + v.Name})
		}
		for _, value := range values {
			if o, yes := variableOpening(g, StartVar{v.Name, value, v.Where}, p, place, what); yes {
				found = append(found, o)
				break
			}
		}
	}
	return found
}

func variableOpening(g grants.Ground, v StartVar, p Startup, place shell.Place, what string) (o opening.Opening,
	yes bool) {
	path, effect := "", "decides which programs run"
	if v.Name == "PATH" {
		path = shadowed(g, v.Value, p.Command, place.Dir)
	} else if effect = commandline.LoadsInto(v.Name); effect != "" {
		paths, _ := Led(g, place, v.Name, v.Value)
		if i := slices.IndexFunc(paths, g.Leads); i >= 0 {
			path = paths[i]
		}
	}
	if path == "" {
		return o, false
	}
	o = opening.Opening{Status: report.Fail, Voids: true, Where: v.Where, What: v.Name,
		Opens: commandline.WritableAnd(v.Name+" of "+what, redact.Command(path), effect),
		Step:  "let " + v.Name + " name absolute paths outside the project only"}
	if commandline.NoCode(v.Name) {
		o.Status, o.Voids = report.Warn, false
	}
	return o, true
}

// shadowed is the first directory of a PATH in which commands can put a program
// before it is found elsewhere: the one that is started, or one that this
// starts. An empty entry is the working directory (execvp(3)).
func shadowed(g grants.Ground, value, command, dir string) string {
	open, safe := "", false
	for entry := range strings.SplitSeq(value, ":") {
		entry = pathname.From(dir, entry)
		if g.Leads(entry) {
			open = cmp.Or(open, entry)
			continue
		}
		if open != "" {
			return open
		}
		_, err := g.Host.Stat(filepath.Join(entry, command))
		safe = safe || strings.Contains(command, "/") || err == nil
	}
	if safe {
		return ""
	}
	return open
}
