// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a command of the agent's can create decides neither
// what the project is nor whose approval counts: a .git, a .git file, a
// .claude below a root that the user has approved are of that project. The
// agent is found where a shell without aliases and functions would find it,
// and never in the project, which could have put it there.

package iso

import (
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
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
	// Inner is the root of a work tree nearer to Start, "" if there is none:
	// it is not approved, so the project around it counts.
	Inner string
	// Home is the user's home.
	Home string
}

// around finds out what the files around the directory start say that its
// project is. A shell may have come there through links; rules name real paths.
func around(h host.Reader, start string) Place {
	p := Place{Start: host.Real(h, start), Home: host.Real(h, h.Places().Home)}
	t := host.FindTree(h, p.Start)
	p.Root, p.Main, p.ID = t.Root, t.Main, t.Common
	if linked := filepath.Dir(t.Git) == filepath.Join(t.Common, "worktrees"); !linked &&
		t.Git != filepath.Join(t.Root, ".git") {
		// A .git file that leads to a git directory elsewhere, which does not
		// point back: a submodule's, or one that was put there to borrow an
		// approval.
		p.Main, p.ID = "", t.Root
	}
	if p.Root == "" || p.holdsHome(p.Root) {
		p.Root, p.Main, p.ID = p.Start, "", p.Start
	}
	p.Project = p.Root
	if !p.restricts(h, p.Root) {
		for dir := p.Start; dir != p.Root; dir = filepath.Dir(dir) {
			if p.restricts(h, dir) {
				p.Project = dir
				break
			}
		}
	}
	if p.Project != p.Root { // a policy of its own is approved by itself
		below, _ := pathname.Below(p.Project, p.Root)
		p.ID += "//" + below
	}
	return p
}

// locate finds out where a launch in the directory start happens: in the
// nearest project around it that the user has approved, and only where there
// is none in what the files say.
func locate(h host.Reader, approvals approval.Set, start string) Place {
	around := around(h, start)
	for dir := range pathname.Upward(around.Start) {
		if p, ok := approvedIn(h, approvals, dir); ok && (dir == around.Start || !p.holdsHome(dir)) {
			p.Start = around.Start
			if _, inner := pathname.Below(around.Root, dir); inner {
				p.Inner = around.Root
			}
			return p
		}
	}
	return around
}

// approvedIn is the place of a session that starts in dir, if dir is the root
// of a project of which something was approved. One that was approved stays
// one, whatever becomes of its .git.
func approvedIn(h host.Reader, approvals approval.Set, dir string) (Place, bool) {
	l, known := approvals.At(dir)
	if !known && !host.There(h, filepath.Join(dir, ".git")) {
		return Place{}, false
	}
	p := around(h, dir)
	if !known { // a linked worktree is known by the git directory of all
		return p, p.Root == dir && approvals.Of(p.ID).Approved()
	}
	if p.ID != l.Project {
		p = Place{Start: dir, Root: dir, Project: dir, ID: l.Project, Home: p.Home}
	}
	return p, true
}

// root is what an approval of this place is found by later, "" if that is its
// git directory alone: that of a linked worktree. Its main checkout is no
// other project.
func (p Place) root() string {
	if p.Project != p.Root || p.ID == p.Root || p.Main == p.Root {
		return p.Project
	}
	return p.Main
}

// restricts says whether the settings of a directory within Root hold a
// policy, or could: what is not understood is not passed over.
func (p Place) restricts(h host.Reader, dir string) bool {
	p.Project = dir
	docs, err := p.settings(h)
	if err != nil || len(docs) == 0 {
		return err != nil
	}
	held, err := restrictions(docs[0], docs[1:], []string{p.Root, p.Main})
	return err != nil || len(held.Members) > 0
}

// holdsHome says whether the home lies in a directory: opening that would open
// all that the policy hides.
func (p Place) holdsHome(dir string) bool { return pathname.Within(p.Home, dir) }

func settingsIn(dir string) string { return filepath.Join(dir, claude.Dir, claude.SettingsFile) }

// Found is a file that starts the agent.
type Found struct {
	// Path is where it was found, Real the file behind its links.
	Path, Real string
	// From says how it is reached: "PATH", or who brought it.
	From string
}

const ofCode = "the extension of VS Code"

// bundled are places of the agent that PATH need not lead to, below the home,
// by pattern of their last directories' names.
var bundled = []struct{ dir, prefix, rest, from string }{
	{".local/bin", "", "claude", "the native installer"},
	{".claude/local", "", "claude", "the older local installer"},
	{".npm-global/bin", "", "claude", "npm"},
	{".bun/bin", "", "claude", "bun"},
	{".volta/bin", "", "claude", "volta"},
	{".nvm/versions/node", "v", "bin/claude", "npm under nvm"},
	{".vscode/extensions", "anthropic.claude-code-", "resources/native-binary/claude", ofCode},
	{".vscode-server/extensions", "anthropic.claude-code-", "resources/native-binary/claude", ofCode},
	{".cursor/extensions", "anthropic.claude-code-", "resources/native-binary/claude", "the extension of Cursor"},
	{".windsurf/extensions", "anthropic.claude-code-", "resources/native-binary/claude", "the extension of Windsurf"},
}

// FindRuntime lists the files that start the agent: the one that a run was told
// to take for it (env.System), those on path in its order, then those elsewhere.
// This program itself, and what the project around start ("" is none) could have
// put there, is left out. A file that several names lead to is listed once.
func FindRuntime(h host.Reader, path, start string) []Found {
	dirs := host.Written(h, start)
	var list []Found
	add := func(file, from string) {
		if !host.Program(h, file) {
			return
		}
		real, err := h.Resolve(file)
		if err != nil || real == h.System().Executable || h.Through(file, dirs) ||
			slices.ContainsFunc(list, func(f Found) bool { return f.Real == real }) {
			return
		}
		list = append(list, Found{file, real, from})
	}
	if other := h.System().Runtime; other != "" {
		add(other, "PATH")
	}
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) {
			add(filepath.Join(dir, "claude"), "PATH")
		}
	}
	for _, b := range bundled {
		dir := filepath.Join(h.Places().Home, b.dir)
		if b.prefix == "" {
			add(filepath.Join(dir, b.rest), b.from)
			continue
		}
		entries, err := h.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), b.prefix) {
				add(filepath.Join(dir, e.Name(), b.rest), b.from)
			}
		}
	}
	return list
}

// passedOver is the first file on path that starts the agent and is left out
// because the project around start could have put it there; "" if there is
// none.
func passedOver(h host.Reader, path, start string) string {
	dirs := host.Written(h, start)
	for _, dir := range host.Entries(path, start) {
		if file := filepath.Join(dir, "claude"); host.Program(h, file) && h.Through(file, dirs) {
			return file
		}
	}
	return ""
}

func missing(err error) bool { return errors.Is(err, iofs.ErrNotExist) }
