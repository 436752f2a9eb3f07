// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package iso is the clean environment and the hardened launch: with which
// variables, arguments and settings the agent is started by claude-iso.
//
// Contract: nothing is started or written here. The environment is an
// allow-list; a value of a variable never appears in anything that is shown.
// The launch gives the runtime one settings document of its own and keeps it
// from reading the project's, so that no file of the project is obeyed that
// the user has not approved by its digest. What this protects and what not is
// tested with the real runtime (docs/iso.md).
package iso

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/inforce"
)

// Place is where a launch happens. All paths are absolute, links resolved.
type Place struct {
	// Start is the directory that the agent starts in, Root the root of
	// its work tree, Main that of the main checkout. Where there is none,
	// or the home lies in it, Root is Start and Main "".
	Start, Root, Main string
	// Project is the directory whose .claude holds the policy: Root, or,
	// where that has none, the nearest to Start within Root that has one.
	Project string
	// ID is what approvals belong to: the git directory that all worktrees
	// share, so that one approval serves them all; else Root.
	ID string
	// Home is the user's home.
	Home string
}

// Locate finds out where a launch in the directory start happens. A shell may
// have come there through links; rules name real paths.
func Locate(h host.Reader, start string) Place {
	if real, err := h.Resolve(start); err == nil {
		start = real
	}
	home := h.Places().Home
	if real, err := h.Resolve(home); err == nil {
		home = real
	}
	t := inforce.FindTree(h, start)
	p := Place{Start: start, Root: t.Root, Main: t.Main, ID: t.Common, Home: home}
	if t.Git != t.Common && filepath.Dir(t.Git) != filepath.Join(t.Common, "worktrees") {
		p.Main, p.ID = "", t.Git // a link that the main checkout does not know
	}
	if p.Root == "" || p.holdsHome(p.Root) {
		p.Root, p.Main, p.ID = start, "", start
	}
	p.Project = p.Root
	if !p.restricts(h, p.Root) {
		for dir := start; dir != p.Root; dir = filepath.Dir(dir) {
			if p.restricts(h, dir) {
				p.Project = dir
				break
			}
		}
	}
	if p.Project != p.Root { // a policy of its own is approved by itself
		p.ID += "//" + strings.TrimPrefix(p.Project, p.Root+"/")
	}
	return p
}

// restricts says whether the settings of a directory within Root hold a
// policy, or could: what is not understood is not passed over.
func (p Place) restricts(h host.Reader, dir string) bool {
	p.Project = dir
	policy, err := PolicyOf(h, p)
	return err != nil || !policy.Empty()
}

// holdsHome says whether the home lies in a directory: opening that would open
// all that the policy hides.
func (p Place) holdsHome(dir string) bool { return dir == p.Home || dir == "/" || below(p.Home, dir) }

func settingsIn(dir string) string { return filepath.Join(dir, ".claude", "settings.json") }
func localIn(dir string) string    { return filepath.Join(dir, ".claude", "settings.local.json") }

// Options are what the user asks of a launch.
type Options struct {
	// Worktree opens the main checkout for reading, Anyway starts even if
	// the policy cannot be in force.
	Worktree, Anyway bool
	// Args are the agent's own arguments.
	Args []string
}

// Launch is how the agent would be started.
type Launch struct {
	Place   Place
	Runtime Found
	Vars    []Variable
	Environ []string
	// Argv begins with the name of the program.
	Argv []string
	// Policy is the project's. Approved says that the user approved it,
	// Known that some policy of this project was approved.
	Policy          Policy
	Approved, Known bool
	// Lost says why the project's settings are not understood; only a
	// launch that starts anyway goes on then, without a policy of theirs.
	Lost error
	// Forgeable says, as a *report.Error, why approvals do not count: the
	// agent could have written them. No launch starts then.
	Forgeable error
	// Items are what of the project would be loaded by a plain start.
	Items []Item
	// Instructions says that the project's CLAUDE.md is read.
	Instructions bool
	// State is the judgement of the launch.
	State inforce.State
}

// argv puts the arguments together. What has a value is joined to it: an
// option of the runtime that takes several values would take what follows.
func (l *Launch) argv(o Options) error {
	document, err := l.document(o)
	if err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, document); err != nil {
		return err
	}
	l.Argv = []string{"claude", "--setting-sources=user"}
	if l.Instructions {
		l.Argv = append(l.Argv, "--add-dir="+l.Place.Root)
	}
	servers, err := l.servers()
	if err != nil {
		return err
	}
	if servers != "" {
		l.Argv = append(l.Argv, "--mcp-config="+servers)
	}
	if compact.Len() > maxDocument {
		return tooLarge(l.Place.Project, compact.Len())
	}
	l.Argv = append(append(l.Argv, "--settings="+compact.String()), o.Args...)
	return nil
}

// system is the machine as the agent will see it: the same but for the
// environment.
func system(h host.Reader, environ []string) env.System {
	sys := h.System()
	sys.Env = env.New(environ)
	return sys
}
