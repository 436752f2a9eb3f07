// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a start would be under is read from the files that
// the runtime reads for a start in that directory; it says where a policy is
// missing, and never proves that one holds.

package starts

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/projectcode"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// The ways to start the agent.
const (
	ByClaude = "claude"
	ByIso    = "claude-iso"
	ByEditor = "editor"
)

// editorArgs is what the extension for VS Code hands to the runtime that it
// brings (anthropics/claude-code, issue 32814). The files are those of a plain
// start in the folder that is open: the files alone decide here, and the tests
// play a session with these arguments.
var editorArgs = []string{"--setting-sources", "user,project,local"}

// NoProject is a directory of no project. It need not be there.
func NoProject(r host.Reader) string { return filepath.Join(r.Places().Home, "steward-elsewhere") }

// Starts returns what a start would be under: in the root of the project of
// dir ("" is the working directory), in a subdirectory, in each linked
// worktree, in a directory of no project, and by an editor's extension. Outside
// a repository dir itself is the root. missed are the subdirectories which there
// were too many files to look at.
func Starts(ctx context.Context, r host.Reader, dir string) (rows []report.StartRow, missed []string) {
	type at struct {
		place report.StartDir
		dir   string
	}
	root := session.StartAt(r, dir)
	places := []at{}
	repo, worktrees, err := gitrepo.Around(ctx, r, dir)
	if err == nil && repo.Root != "" {
		root = repo.Root
	}
	places = append(places, at{report.AtRoot, root}, at{report.AtSub, verify.Subdirectory(root)})
	for _, w := range worktrees {
		if w.State == gitrepo.Usable && w.Path != root {
			places = append(places, at{report.AtWorktree, w.Path})
		}
	}
	if other := NoProject(r); !pathname.Within(other, root) {
		places = append(places, at{report.AtOther, other})
	}
	hard := OfIso(r, root, NothingKnown())
	for _, p := range places {
		there, dir := hard, root // claude-iso follows the project around a subdirectory
		if p.place == report.AtWorktree || p.place == report.AtOther {
			there, dir = OfIso(r, p.dir, NothingKnown()), p.dir
		}
		rows = append(rows, plainStart(r, ByClaude, p.place, p.dir), isoStart(p.place, dir, there))
	}
	if rows[2].Status != report.Fail { // else every subdirectory is open
		var off []report.StartRow
		off, missed = switchedOffBelow(ctx, r, root)
		rows = append(rows, off...)
	}
	for _, p := range places {
		if p.place == report.AtRoot || p.place == report.AtOther {
			rows = append(rows, plainStart(r, ByEditor, p.place, p.dir, editorArgs...))
		}
	}
	return rows, missed
}

// maxOff bounds how many subdirectories are named.
const maxOff = 100

// switchedOffBelow are the plain starts in subdirectories of root that have
// settings of their own, or are repositories of their own, and with that no sandbox.
// Their settings overrule the user's (measured with 2.1.324 and 2.1.329), and the local
// ones of the main checkout do not reach another repository (measured with 2.1.330). A
// command can write both.
func switchedOffBelow(ctx context.Context, r host.Reader, root string) (rows []report.StartRow, missed []string) {
	if pathname.Within(r.Places().Home, root) {
		return nil, nil
	}
	dirs, missed := projectcode.Nested(ctx, r, root)
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		own := slices.ContainsFunc([]string{filepath.Join(claude.Dir, claude.SettingsFile),
			claude.LocalFile, ".git"}, func(name string) bool { return host.There(r, filepath.Join(dir, name)) })
		if !own {
			continue
		}
		if s := plainStart(r, ByClaude, report.AtSub, dir); s.Status == report.Fail && len(rows) < maxOff {
			rows = append(rows, s)
		}
	}
	return rows, missed
}

// plainStart is what a runtime that is started with args would be under.
func plainStart(r host.Reader, by string, place report.StartDir, dir string, args ...string) report.StartRow {
	return startOf(by, place, dir, Of(inforce.Gather(r, inforce.Invocation{Start: dir, Args: args})))
}

// isoStart is the same for claude-iso, whose outlook in dir is o.
func isoStart(place report.StartDir, dir string, o Outlook) report.StartRow {
	s := startOf(ByIso, place, dir, o)
	s.Launch, s.Anywhere = report.Iso, place == report.AtSub
	if o.Refused {
		s.Status, s.Why = report.Skip, o.Summary
	}
	return s
}

func startOf(by string, place report.StartDir, dir string, o Outlook) report.StartRow {
	s := report.StartRow{Cover: report.Cover{Launch: report.Plain, Start: place, Dir: dir, Status: report.Pass}, By: by,
		Evidence: o.Evidence, Anywhere: place == report.AtSub && dir == verify.Subdirectory(filepath.Dir(dir))}
	switch {
	case o.Voids:
		s.Status, s.Why = report.Fail, o.Summary
	case o.On.Scope != 0:
		s.Policy = o.On.Scope.String()
		s.Evidence = append(s.Evidence, report.FileEvidence(o.On.Where(), "sandbox.enabled: true ("+s.Policy+" scope)"))
	}
	if s.Evidence == nil {
		s.Evidence = []report.Evidence{report.FileEvidence(dir, o.Summary)}
	}
	return s
}

// StartCovers are what Starts says of both launches, as the coverage of a verdict.
func StartCovers(r host.Reader, starts []report.StartRow) (list []report.Cover) {
	for _, s := range starts {
		if s.By == ByEditor {
			continue
		}
		if s.Anywhere || s.Dir == NoProject(r) {
			s.Dir = "" // it stands for any
		}
		list = append(list, s.Cover)
	}
	return list
}

// Overrulable says of a sandbox that is on below the root where a subdirectory's
// own settings switch it off. No rule keeps a command from writing such
// settings: on Linux patterns in denyWrite and in Edit rules keep commands from
// nothing (measured with 2.1.330). So what is there
// now is looked for, and that there can be more is a warning.
// The same holds for a linked worktree, which may lie in the project, as those of
// claude -w do: a command wrote it (measured with 2.1.330). missed are the
// subdirectories that were not looked at.
func (o *Outlook) Overrulable(r host.Reader, in inforce.Input, starts []report.StartRow, missed []string) {
	if o.Voids {
		return
	}
	off := 0
	root := cmp.Or(in.Root, in.Dirs.Start)
	for _, s := range starts {
		switch {
		case s.By != ByClaude || s.Status != report.Fail:
			continue
		case s.Start == report.AtSub && s.Dir != verify.Subdirectory(root):
			off++
		case s.Start != report.AtWorktree || !switchesOff(r, s.Dir):
			continue
		}
		rel, err := filepath.Rel(root, s.Dir)
		if err != nil || !filepath.IsLocal(rel) {
			rel = s.Dir
		}
		why, next := "its own settings switch the sandbox off", "remove those settings, or start with claude-iso there"
		if !switchesOff(r, s.Dir) {
			why, next = s.Why, "start with claude-iso there"
			if host.There(r, filepath.Join(s.Dir, ".git")) {
				why = "it is a repository of its own, which local settings do not reach"
			}
		}
		o.warn("plain claude in " + rel + " is unsandboxed: " + why)
		o.Evidence = append(o.Evidence, s.Evidence...)
		o.Remedies = append(o.Remedies, report.DocLink{Title: next, Target: s.Dir})
	}
	found := strconv.Itoa(off)
	if missed != nil {
		found = "at least " + found
		o.Evidence = append(o.Evidence, projectcode.NotLookedAt(root, missed))
	}
	enabled := settings.Combine(in.Layers, in.Dirs).Scalar(claude.KeySandboxEnabled...)
	if enabled.Scope == settings.User || enabled.Scope == settings.Local {
		o.warn("plain claude in a subdirectory follows settings there, which a command can write")
		o.Remedies = append(o.Remedies, report.DocLink{Target: enabled.Where(),
			Title: "in subdirectories start claude-iso, which does not read settings there"})
		o.Evidence = append(o.Evidence, report.FileEvidence(enabled.Where(), fmt.Sprintf(
			"subdirectories that switch it off now: %s; a command can write SUBDIRECTORY/.claude/settings.json, which the "+
				"next plain start there follows", found)))
	}
	if enabled.Scope == settings.User {
		o.Evidence = append(o.Evidence, report.FileEvidence(enabled.Where(), "commands write all of the directory that a "+
			"session starts in: do not start one in your home itself, nor in a directory above projects"))
	}
}

// switchesOff says whether a directory's own settings switch the sandbox off.
func switchesOff(r host.Reader, dir string) bool {
	in := inforce.Gather(r, inforce.Invocation{Start: dir})
	v := settings.Combine(in.Layers, in.Dirs).Scalar(claude.KeySandboxEnabled...)
	return v.Scope.OfProject() && v.Value.Kind == settings.Bool && v.Value.Text == "false"
}
