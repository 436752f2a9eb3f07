// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: may a command of the agent write this? There is one answer
// for every check that asks. A program that is called by its name is the first
// file of that name on PATH that is there, or that a command could create.

// Package writable says what a command of the agent may write in a session: by which
// entry of the settings, or why always.
//
// Contract: one answer for everything that asks. A path is judged by where it leads, and a
// text by the paths that it names, in whatever spelling.
package writable

import (
	"path/filepath"
	"regexp"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// Ground is what sandboxed commands of a session may write.
type Ground struct {
	Host          host.Reader
	Session       session.Settings
	Writes        []Entry
	Kept, Allowed []string
	// Always are the directories that no setting opens: those for temporary
	// files, and those for logs that no denyRead covers. Project are the
	// project's own, for this session and those beside it.
	Always, Project []string
	Within          int // scripts within scripts
	Moves           Moves
	// Tells says that the output of the command goes to the model.
	Tells bool
	// Search are directories that rc files add to PATH.
	Search []string
	// Creates says that a program which is on no directory of PATH counts where
	// commands could create it.
	Creates bool
	// OnRead is told of each line and file that says what a hook answers.
	OnRead func(where, text string)
	// Tilde finds the home in a text.
	Tilde *regexp.Regexp
}

// Of is the ground of the commands of a session.
func Of(r host.Reader, s session.Settings) Ground {
	g := Ground{Host: r, Session: s, Writes: spread(r, Writes(r, s)), Kept: KeptPaths(r, s),
		Project: host.ProjectDirs(r, s.Dirs.Start), Tilde: tildeOf(s.Dirs.Home)}
	for _, e := range g.Writes {
		g.Allowed = append(g.Allowed, e.Real)
	}
	getenv := func(name string) string {
		if set := s.InForce().Scalar(claude.KeyEnv.Below(name)...).Value; set != nil {
			return set.Text
		}
		return r.System().Get(name)
	}
	for _, dir := range append(claude.Temporary(getenv, r.System().UID),
		claude.Temporary(r.System().Get, r.System().UID)...) {
		g.Always = append(g.Always, RealPath(r, dir))
	}
	hidden := HiddenBy(r, s)
	for _, name := range claude.Logs {
		if dir := RealPath(r, filepath.Join(s.Dirs.Home, name)); !hidden.Hides(dir) {
			g.Always = append(g.Always, dir)
		}
	}
	return g
}

// Protected says whether the runtime keeps a path read-only in this session.
func (g Ground) Protected(path string) bool {
	_, yes := claude.ProtectedAt(path, g.Session.Dirs.Start, "")
	return yes
}

// Writable says whether commands may write a path, and by which entry, "." for
// the directory in which the session starts, or a directory that is always
// writable.
func (g Ground) Writable(path string) (entry string, yes bool) {
	for _, at := range slices.Compact([]string{path, RealPath(g.Host, path)}) {
		entry, yes := sensitive.Writable(at, g.Allowed, g.Session.Dirs.Home, g.Session.Dirs.Start)
		if yes && !Under(at, g.Kept) && !(entry == "." && g.Protected(at)) {
			return entry, true
		}
	}
	for _, dir := range g.Always {
		if g.Host.Through(path, []string{dir}) {
			return dir, true
		}
	}
	return "", false
}

// Leads says whether a path leads to where commands of this session or of one
// beside it may write, itself or by a link on the way.
func (g Ground) Leads(path string) bool {
	real := RealPath(g.Host, path)
	if Under(real, g.Kept) || g.Protected(real) {
		return false
	}
	places := g.Places()
	return g.Host.Through(path, places) || Under(real, places)
}

// Places are all directories that commands may write below, links resolved.
func (g Ground) Places() []string {
	list := slices.Concat(g.Project, g.Always, []string{RealPath(g.Host, g.Session.Dirs.Start)})
	for _, e := range g.Allowed {
		list = append(list, pathname.BeforeWildcard(e))
	}
	return list
}

// MoveOut is the remedy for a file that commands may write: it goes elsewhere, or is kept
// from them.
func MoveOut(path string) report.Remedy {
	return report.DocLink{Title: "move it out of the project, or add it to sandbox.filesystem.denyWrite", Target: path}
}

// Opening is the failure that commands can change what runs from a path.
func (g Ground) Opening(path, where, can string) (o opening.Opening, yes bool) {
	entry, yes := g.Writable(path)
	if !yes {
		return o, false
	}
	o = opening.Opening{Status: report.Fail, Voids: true, Where: where, What: path,
		Opens:  can + " lies in the directory in which the session starts.",
		Remedy: MoveOut(path)}
	if i := slices.Index(g.Allowed, entry); i >= 0 {
		e := g.Writes[i]
		o.Where, o.Path, o.What, o.Plain, o.Opens, o.Remedy = e.Where, e.Path, e.Text, e.Plain(), can+".", nil
	} else if slices.Contains(g.Always, entry) {
		o.Opens = can + " lies in " + entry + ", which every command may write."
	}
	return o, true
}

// Look finds a program by name as a shell does, which is started where the
// session is: an empty or relative entry of PATH counts from there. A symlink on
// PATH whose target is missing counts where commands may create the target.
func (g Ground) Look(name string) (string, error) {
	dirs := slices.Concat(host.Entries(g.Host.System().Get("PATH"), g.Session.Dirs.Start), g.Search)
	for _, dir := range dirs {
		at := filepath.Join(dir, name)
		if host.Program(g.Host, at) {
			return at, nil
		}
		if _, err := g.Host.Lstat(at); err != nil {
			continue
		}
		if _, err := g.Host.Stat(at); err != nil && g.Leads(at) {
			return at, nil
		}
	}
	at, err := g.Host.Look(name)
	if i := slices.IndexFunc(dirs, g.Leads); err != nil && g.Creates && i >= 0 {
		return filepath.Join(dirs[i], name), nil
	}
	return at, err
}

// Dropped says whether claude-iso finds a program elsewhere, or not at all, that
// was found at a path: it leaves out directories of the project, and relative
// ones, of PATH.
func (g Ground) Dropped(path string) bool {
	written := host.Written(g.Host, g.Session.Dirs.Start)
	return g.Host.Through(filepath.Dir(path), written) && slices.ContainsFunc(host.Entries(g.Host.System().Get("PATH"),
		g.Session.Dirs.Start), func(dir string) bool {
		return filepath.Clean(dir) == filepath.Dir(path)
	}) && !slices.ContainsFunc(filepath.SplitList(g.Host.System().Get("PATH")), func(dir string) bool {
		return filepath.IsAbs(dir) && !g.Host.Through(dir, written) && g.Leads(dir)
	})
}

// Exists says whether a path is there, be it a symlink that leads nowhere.
func (g Ground) Exists(path string) bool { return host.There(g.Host, path) }

// Moves says in which launch a command's working directory follows the agent's
// cd.
type Moves int

const (
	// Stays: it is the start directory in both launches.
	Stays Moves = iota
	// PlainMoves: claude-iso keeps it in the project.
	PlainMoves
	// BothMove: it follows in both launches.
	BothMove
)
