// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: may a command of the agent write this? There is one answer
// for every check that asks. A program that is called by its name is the first
// file of that name on PATH that is there, or that a command could create.

package checks

import (
	"path/filepath"
	"regexp"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// ground is what sandboxed commands of a session may write.
type ground struct {
	r             host.Reader
	s             SessionSettings
	writes        []entry
	kept, allowed []string
	// always are the directories that no setting opens: those for temporary
	// files, and those for logs that no denyRead covers. project are the
	// project's own, for this session and those beside it.
	always, project []string
	within          int // scripts within scripts
	moves           moves
	// tells says that the output of the command goes to the model.
	tells bool
	// search are directories that rc files add to PATH.
	search []string
	// creates says that a program which is on no directory of PATH counts where
	// commands could create it.
	creates bool
	// read is told of each line and file that says what a hook answers.
	read func(where, text string)
	// loaded are the modules of a hook that are read.
	loaded map[string]bool
	// tilde finds the home in a text.
	tilde *regexp.Regexp
}

func groundOf(r host.Reader, s SessionSettings) ground {
	g := ground{r: r, s: s, writes: spread(r, writesIn(r, s)), kept: keptIn(r, s),
		project: host.ProjectDirs(r, s.dirs.Start), tilde: tildeOf(s.dirs.Home)}
	for _, e := range g.writes {
		g.allowed = append(g.allowed, e.real)
	}
	getenv := func(name string) string {
		if set := s.inForce().Scalar(claude.KeyEnv.Below(name)...).Value; set != nil {
			return set.Text
		}
		return r.System().Get(name)
	}
	for _, dir := range append(claude.Temporary(getenv, r.System().UID),
		claude.Temporary(r.System().Get, r.System().UID)...) {
		g.always = append(g.always, realPath(r, dir))
	}
	hidden := newHidden(r, s)
	for _, name := range claude.Logs {
		if dir := realPath(r, filepath.Join(s.dirs.Home, name)); !hidden.hides(dir) {
			g.always = append(g.always, dir)
		}
	}
	return g
}

// protected says whether the runtime keeps a path read-only in this session.
func (g ground) protected(path string) bool {
	_, yes := claude.ProtectedAt(path, g.s.dirs.Start, "")
	return yes
}

// writable says whether commands may write a path, and by which entry, "." for
// the directory in which the session starts, or a directory that is always
// writable.
func (g ground) writable(path string) (entry string, yes bool) {
	for _, at := range slices.Compact([]string{path, realPath(g.r, path)}) {
		entry, yes := sensitive.Writable(at, g.allowed, g.s.dirs.Home, g.s.dirs.Start)
		if yes && !under(at, g.kept) && !(entry == "." && g.protected(at)) {
			return entry, true
		}
	}
	for _, dir := range g.always {
		if g.r.Through(path, []string{dir}) {
			return dir, true
		}
	}
	return "", false
}

// leads says whether a path leads to where commands of this session or of one
// beside it may write, itself or by a link on the way.
func (g ground) leads(path string) bool {
	real := realPath(g.r, path)
	if under(real, g.kept) || g.protected(real) {
		return false
	}
	return g.r.Through(path, g.places()) || under(real, g.places())
}

// places are all directories that commands may write below, links resolved.
func (g ground) places() []string {
	list := slices.Concat(g.project, g.always, []string{realPath(g.r, g.s.dirs.Start)})
	for _, e := range g.allowed {
		list = append(list, pathname.BeforeWildcard(e))
	}
	return list
}

func moveOut(path string) report.Remedy {
	return report.DocLink{Title: "move it out of the project, or add it to sandbox.filesystem.denyWrite", Target: path}
}

// opening is the failure that commands can change what runs from a path.
func (g ground) opening(path, where, can string) (o opening, yes bool) {
	entry, yes := g.writable(path)
	if !yes {
		return o, false
	}
	o = opening{status: report.Fail, voids: true, where: where, what: path,
		opens:  can + " lies in the directory in which the session starts.",
		remedy: moveOut(path)}
	if i := slices.Index(g.allowed, entry); i >= 0 {
		e := g.writes[i]
		o.where, o.path, o.what, o.plain, o.opens, o.remedy = e.where, e.path, e.text, e.plain(), can+".", nil
	} else if slices.Contains(g.always, entry) {
		o.opens = can + " lies in " + entry + ", which every command may write."
	}
	return o, true
}

// look finds a program by name as a shell does, which is started where the
// session is: an empty or relative entry of PATH counts from there. A symlink on
// PATH whose target is missing counts where commands may create the target.
func (g ground) look(name string) (string, error) {
	dirs := slices.Concat(host.Entries(g.r.System().Get("PATH"), g.s.dirs.Start), g.search)
	for _, dir := range dirs {
		at := filepath.Join(dir, name)
		if host.Program(g.r, at) {
			return at, nil
		}
		if _, err := g.r.Lstat(at); err != nil {
			continue
		}
		if _, err := g.r.Stat(at); err != nil && g.leads(at) {
			return at, nil
		}
	}
	at, err := g.r.Look(name)
	if i := slices.IndexFunc(dirs, g.leads); err != nil && g.creates && i >= 0 {
		return filepath.Join(dirs[i], name), nil
	}
	return at, err
}

// dropped says whether claude-iso finds a program elsewhere, or not at all, that
// was found at a path: it leaves out directories of the project, and relative
// ones, of PATH.
func (g ground) dropped(path string) bool {
	written := host.Written(g.r, g.s.dirs.Start)
	return g.r.Through(filepath.Dir(path), written) && slices.ContainsFunc(host.Entries(g.r.System().Get("PATH"),
		g.s.dirs.Start), func(dir string) bool {
		return filepath.Clean(dir) == filepath.Dir(path)
	}) && !slices.ContainsFunc(filepath.SplitList(g.r.System().Get("PATH")), func(dir string) bool {
		return filepath.IsAbs(dir) && !g.r.Through(dir, written) && g.leads(dir)
	})
}

// exists says whether a path is there, be it a symlink that leads nowhere.
func (g ground) exists(path string) bool {
	_, err := g.r.Lstat(path)
	return err == nil
}
