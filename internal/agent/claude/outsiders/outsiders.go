// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nothing that runs outside the sandbox may be writable from
// inside it. What runs there is found where it is wired.

// Package outsiders lists what runs outside the sandbox in a session, and by what it could be
// changed: its place, its mode, a link on its way, a second name, an entry of PATH.
//
// Contract: it only looks, and opens no secret.
package outsiders

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// outsider is a file that runs outside the sandbox, or what such a file
// believes.
type outsider struct {
	path string
	// what it is, and where that is said.
	what, where string
	// does is what makes it one, "" for that it runs.
	does string
}

// Openings lists the files that run outside and that a command could
// change.
func Openings(r host.Reader, s session.Settings) []opening.Opening {
	g := grants.Of(r, s)
	var found []opening.Opening
	for _, o := range outsiders(r) {
		if o.does != "" && r.Through(o.path, g.Project) {
			found = append(found, opening.Opening{Status: report.Fail, Voids: true, Where: o.where, What: o.path,
				Opens: "The agent can change " + o.what + ", which " + o.does + ": " + o.path +
					" is inside the project, or reached through it."})
			continue
		}
		if x, yes := g.Opening(o.path, o.where, "Commands can change "+o.what+", which "+
			cmp.Or(o.does, "runs outside the sandbox")+": "+o.path); yes {
			found = append(found, x)
		}
	}
	for _, l := range s.Layers {
		if l.Scope.OfProject() {
			continue
		}
		for _, c := range commandline.Wired(l) {
			at := commandline.Wanders(g, c.Event)
			at.Creates, at.Tells = true, claude.Tells(c.Event, c.Command.Text)
			found = append(found, commandline.Openings(at, commandline.Reach(at, c), c.What, l.Doc.Where(c.Command))...)
		}
	}
	return found
}

// outsiders lists what runs outside the sandbox in a session: this program,
// its scripts, the agent and what the sandbox is made of. What the user's own
// settings call is ownfiles', what a project's call another check's.
func outsiders(r host.Reader) []outsider {
	return host.Found(r, outsidersKey{}, func() []outsider { return findOutsiders(r) })
}

type outsidersKey struct{}

func findOutsiders(r host.Reader) (list []outsider) {
	put := func(path, what, where, does string) {
		if filepath.IsAbs(path) && !slices.ContainsFunc(list, func(o outsider) bool { return o.path == path }) {
			list = append(list, outsider{path, what, where, does})
		}
	}
	add := func(path, what, where string) {
		if info, err := r.Stat(path); err == nil && info.Mode().IsRegular() {
			put(path, what, where, "")
		}
	}
	places := r.Places()
	put(places.State, "your approvals", places.State, "decide what claude-iso starts")
	put(places.Config, "your own pins", places.Config, "decide which versions of the tools count as safe")
	if exe := r.System().Executable; exe != "" {
		add(exe, "this program", exe)
	}
	for _, ours := range []struct {
		dir   string
		names []string
	}{{places.Scripts(), scripts.Hooks}, {places.Isolation(), scripts.Wrappers}} {
		for _, name := range ours.names {
			path := filepath.Join(ours.dir, name)
			add(path, name, path)
			if b, err := r.Read(path); err == nil {
				if script, ours := scripts.Recognize(b); ours && script.Binary != "" {
					add(script.Binary, "the program that "+name+" calls", path)
				}
			}
		}
	}
	shared := githooks.Look(r)
	for _, hook := range shared.Hooks {
		path := filepath.Join(shared.Path, hook.Name)
		add(path, "the shared "+hook.Name+" hook", path)
	}
	if shared.Installed {
		add(shared.Filled.Binary, "the program that the shared hooks call", shared.Path)
	}
	for _, program := range []string{claude.Program, "bwrap", "socat"} {
		if path, err := r.Look(program); err == nil {
			add(path, program, path)
		}
	}
	slices.SortStableFunc(list, func(a, b outsider) int { return strings.Compare(a.path, b.path) })
	return list
}
