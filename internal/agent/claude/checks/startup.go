// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that is started with variables of its own is
// judged by them as by its command: they name what it loads, and which program
// it is. A value is never shown, only the path in it that leads to where
// commands may write.

package checks

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// startup is a program that something of the user's own starts outside the
// sandbox: a server, or a command of a plugin or a text.
type startup struct {
	command string
	args    []string
	// exec says that there is no shell.
	exec bool
	env  []startVar
	// folder is where a language server may run instead of in the directory of
	// the session, "" if it names none. The cwd of an MCP server is not heeded
	// (measured with 2.1.329).
	folder string
}

// startVar is a variable of it, with its place.
type startVar struct{ name, value, where string }

// startVars are those that an object of JSON sets.
func startVars(d *settings.Doc, env *settings.Value) (list []startVar) {
	for _, m := range settings.MembersOf(env) {
		list = append(list, startVar{m.Key, m.Value.Text, d.Where(m.Value)})
	}
	return list
}

// StartOpenings judges what a program runs, and what its variables lead to.
func StartOpenings(g ground, p startup, what, where string) (found []opening) {
	if p.folder != "" {
		other := PlaceOf(g)
		if other.Dir = p.folder; !filepath.IsAbs(p.folder) {
			other.Dir = filepath.Join(g.s.dirs.Start, p.folder)
		}
		found = startOpeningsIn(g, other, p, what, where)
	}
	return append(found, startOpeningsIn(g, PlaceOf(g), p, what, where)...)
}

// startOpeningsIn is startOpenings for one place.
func startOpeningsIn(g ground, place shell.Place, p startup, what, where string) (found []opening) {
	if p.command != "" {
		reach := place.Line(p.command)
		if p.exec {
			reach = place.Exec(p.command, p.args)
		}
		found = CommandOpenings(g, reach, what, where)
	}
	for _, v := range p.env {
		values, known := shell.Expand(v.value, func(name string) string {
			if name == "PATH" {
				return "/usr/bin" // the user's own is another finding
			}
			return g.r.System().Get(name)
		})
		if !known && (v.name == "PATH" || loadsInto(v.name) != "") {
			found = append(found, opening{status: report.Unknown, group: openUnresolved, where: v.where, what: v.name,
				opens:  "What " + v.name + " of " + what + " leads to is unknown: it holds a variable that is not set here.",
				remedy: report.DocLink{Title: "write out the value of " + v.name, Target: v.where}})
		}
		for _, value := range values {
			if o, yes := variableOpening(g, startVar{v.name, value, v.where}, p, place, what); yes {
				found = append(found, o)
				break
			}
		}
	}
	return found
}

// variableOpening judges one variable of a program.
func variableOpening(g ground, v startVar, p startup, place shell.Place, what string) (o opening, yes bool) {
	path, effect := "", "decides which programs run"
	if v.name == "PATH" {
		path = shadowed(g, v.value, p.command, place.Dir)
	} else if effect = loadsInto(v.name); effect != "" {
		path = firstLeading(g, v, place)
	}
	if path == "" {
		return o, false
	}
	o = opening{status: report.Fail, voids: true, where: v.where, what: v.name,
		opens:  writableAnd(v.name+" of "+what, redact.Command(path), effect),
		remedy: report.DocLink{Title: "let " + v.name + " name absolute paths outside the project only", Target: v.where}}
	if noCode(v.name) {
		o.status, o.voids = report.Warn, false
	}
	return o, true
}

// firstLeading is the first path in a value that leads to where commands may
// write.
func firstLeading(g ground, v startVar, place shell.Place) string {
	paths, _ := Led(g, place, v.name, v.value)
	if i := slices.IndexFunc(paths, g.leads); i >= 0 {
		return paths[i]
	}
	return ""
}

// shadowed is the first directory of a PATH in which commands can put a program
// before it is found elsewhere: the one that is started, or one that this
// starts. An empty entry is the working directory (execvp(3)).
func shadowed(g ground, value, command, dir string) string {
	open, safe := "", false
	for entry := range strings.SplitSeq(value, ":") {
		if !filepath.IsAbs(entry) {
			entry = filepath.Join(dir, entry)
		}
		if g.leads(entry) {
			open = cmp.Or(open, entry)
			continue
		}
		if open != "" {
			return open
		}
		_, err := g.r.Stat(filepath.Join(entry, command))
		safe = safe || strings.Contains(command, "/") || err == nil
	}
	if safe {
		return ""
	}
	return open
}
