// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: may a command of the agent write this? There is one answer
// for every check that asks. A program that is called by its name is the first
// file of that name on PATH that is there, or that a command could create.

// Package grants says what a command of the agent may read and write in a session: by
// which entry of the settings, or why always.
//
// Contract: one answer for everything that asks. A path is judged by where it leads, and a
// text by the paths that it names, in whatever spelling.
package grants

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Ground is what sandboxed commands of a session may write.
type Ground struct {
	Host    host.Reader
	Session session.Settings
	*Set
	// Kept are the real paths that commands may not write, whatever opens them.
	Kept []string
	// Project are the project's own directories, for this session and those beside it.
	Project []string
	Within  int // scripts within scripts
	Moves   Moves
	// Event is that of the hook that runs there, or claude.PluginMonitors, "" for what is none;
	// Tells says that the output of the command goes to the model.
	Event string
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

// Of is the ground of the commands of a session, in either launch.
func Of(r host.Reader, s session.Settings) Ground {
	g := session.Found(r, s, groundKey{}, func() Ground { return ground(r, s) })
	g.Session, g.Kept, g.Project = s, slices.Clip(g.Kept), slices.Clip(g.Project) // each caller adds its own
	return g
}

type groundKey struct{}

func ground(r host.Reader, s session.Settings) Ground {
	home := string([]rune(filepath.Base(s.Dirs.Home))) // an expression is UTF-8, and finds any other byte by U+FFFD
	g := Ground{Host: r, Session: s, Set: SetOf(r, s, true), Project: host.ProjectDirs(r, s.Dirs.Start),
		Tilde: regexp.MustCompile(`(^|[\s=:,(<>{-])~(` + regexp.QuoteMeta(home) + `)?(/|[\s;:)]|$)`)}
	for _, kept := range g.keeps() {
		if kept.pattern.Literal() {
			g.Kept = append(g.Kept, strings.TrimSuffix(kept.Real, "/**"))
		}
	}
	return g
}

// Protected says whether the runtime keeps a path read-only in this session.
func (g Ground) Protected(path string) bool { return g.Write(path).Why == Protected }

// Writable says whether commands may write a path, or anything in it, and which grant
// lets them. That the session starts above it is no grant where the user may not write.
func (g Ground) Writable(path string) (by Grant, yes bool) {
	if by, yes = g.granted(path); yes && by.Place == StartDir && !g.Users(path) {
		return Grant{}, false
	}
	return by, yes
}

// Users says whether the user may write what is at a path, or make or replace it: something on
// the way to it, or to where it leads, belongs to the user or lets the user write. Commands run
// as the user.
func (g Ground) Users(path string) bool {
	for _, at := range append(g.Host.Links(path), filepath.Clean(path), RealPath(g.Host, path)) {
		for dir := at; ; dir = filepath.Dir(dir) {
			if info, err := g.Host.Stat(dir); err == nil {
				uid, _, known := host.OwnerOf(info)
				if !known || uid == g.Host.System().UID || fs.Changeable(dir) {
					return true
				}
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return false
}

func (g Ground) granted(path string) (by Grant, yes bool) {
	if by, yes = g.grantedAt(path); yes {
		return by, yes
	}
	if other := g.SecondName(path); other != "" {
		return g.grantedAt(other)
	}
	return by, false
}

// grantedAt is granted for the path alone, whatever other names its file has.
func (g Ground) grantedAt(path string) (by Grant, yes bool) {
	for _, at := range slices.Compact([]string{filepath.Clean(path), RealPath(g.Host, path)}) {
		if w := g.Write(at); w.Allowed && !Under(at, g.Kept) {
			return w.By[0], true
		}
		for _, inside := range g.opens() {
			if dir := inside.Dir(); pathname.Within(dir, at) && !Under(dir, g.Kept) && g.Write(dir).Allowed {
				return inside, true
			}
		}
	}
	for _, place := range g.opens() {
		if place.Place == EveryCommand && g.Host.Through(path, []string{place.Real}) {
			return place, true
		}
	}
	return by, false
}

// Reads says whether commands may read a path.
func (g Ground) Reads(path string) bool { return g.Read(RealPath(g.Host, path)).Allowed }

// Leads says whether a path leads to where commands of this session or of one
// beside it may write: itself, by a symlink on the way, or by a hard link of its file.
func (g Ground) Leads(path string) bool { return g.leadsAt(path) || g.SecondName(path) != "" }

func (g Ground) leadsAt(path string) bool {
	real, places := RealPath(g.Host, path), g.Places()
	if Under(real, g.Kept) || !Under(real, places) && !g.Host.Through(path, places) {
		return false
	}
	why := g.Write(real).Why
	if why == Kept || why == Protected || why == HiddenInside {
		return false
	}
	opened := slices.DeleteFunc(slices.Clone(g.opens()), func(by Grant) bool { return by.Place == StartDir })
	return slices.ContainsFunc(opened, func(by Grant) bool {
		return Under(real, []string{by.Dir()}) || g.Host.Through(path, []string{by.Dir()})
	}) || g.Users(path)
}

// Openers are the grants by which commands may write.
func (g Ground) Openers() []Grant { return g.opens() }

// Places are all directories that commands may write below, links resolved.
func (g Ground) Places() []string {
	list := slices.Clone(g.Project)
	for _, open := range g.opens() {
		list = append(list, open.Dir())
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
	by, yes := g.Writable(path)
	if !yes {
		return o, false
	}
	o = opening.Opening{Status: report.Fail, Voids: true, Where: where, What: path, Remedy: MoveOut(path)}
	if _, itself := g.grantedAt(path); !itself {
		can += ". Its hard link " + g.SecondName(path)
		if by.Place == BySetting {
			can += " is writable"
		}
	}
	switch by.Place {
	case BySetting:
		o.Where, o.Path, o.What, o.Plain, o.Opens, o.Remedy = by.Where, by.Path, by.Text, by.Plain(), can+".", nil
	case StartDir:
		o.Opens = can + " lies in the directory in which the session starts."
	case GitDir:
		o.Opens = can + " lies in the git directory that this worktree shares, which commands may write."
	case EveryCommand:
		o.Opens = can + " lies in " + by.Real + ", which every command may write."
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
