// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is said of a start follows from a session that was
// played there, or from the settings that a start there reads.

package verify

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// cover is what a session shows of its launch in its place.
func (l *Rehearsal) cover(at place, t tally) report.Cover {
	refused := at.session == IsoTree && l.plan.refused != ""
	c := report.Cover{Launch: at.launch, Start: at.at, Status: report.Pass, Denied: t.denied, Through: t.through,
		Rehearsed: l.plan.of(at.session).Err == nil && l.plan.of(Twin).Err == nil && !refused}
	switch at.at {
	case report.AtRoot:
		c.Dir = l.plan.root
	case report.AtWorktree:
		c.Dir = l.plan.tree
	}
	switch {
	case t.through > 0:
		c.Status, c.Why = report.Fail, fmt.Sprintf("%d of %d forbidden actions succeeded", t.through, t.denied)
	case refused:
		c.Status, c.Why = report.Skip, t.summary
	case t.idle, t.doubt, t.status != report.Pass && t.status != report.Warn:
		// Where no command starts, the agent's own tools still read and write.
		c.Status, c.Why = report.Unknown, t.summary
	}
	return c
}

// startCovers are what Starts says of both launches, as the coverage of a verdict.
func startCovers(r host.Reader, starts []Start) []report.Cover {
	var list []report.Cover
	for _, s := range starts {
		if s.By == ByEditor {
			continue
		}
		if s.Anywhere() || s.Dir == noProject(r) {
			s.Dir = "" // it stands for any
		}
		list = append(list, s.Cover)
	}
	return list
}

// overrulable says of a sandbox that is on below the root where a subdirectory's
// own settings switch it off. No rule keeps a command from writing such
// settings: on Linux patterns in denyWrite and in Edit rules hold for no path
// that is not there yet (measured with 2.1.324 and 2.1.329). So what is there
// now is looked for, and the rest is said.
// The same holds for a linked worktree, which may lie in the project, as those of
// claude -w do: a command wrote it (measured with 2.1.330). missed are the
// subdirectories that were not looked at.
func (o *outlook) overrulable(r host.Reader, in inforce.Input, starts []Start, missed []string) {
	if o.voids {
		return
	}
	off := 0
	root := cmp.Or(in.Root, in.Dirs.Start)
	for _, s := range starts {
		switch {
		case s.By != ByClaude || s.Status != report.Fail:
			continue
		case s.Start == report.AtSub && s.Dir != subdirectory(root):
			off++
		case s.Start != report.AtWorktree || !switchesOff(r, s.Dir):
			continue
		}
		rel, err := filepath.Rel(root, s.Dir)
		if err != nil || !filepath.IsLocal(rel) {
			rel = s.Dir
		}
		o.warn("plain claude in " + rel + " is unsandboxed: its own settings switch the sandbox off")
		o.evidence = append(o.evidence, s.Evidence...)
		o.remedies = append(o.remedies, report.DocLink{Title: "remove those settings, or start with claude-iso there",
			Target: s.Dir})
	}
	found := strconv.Itoa(off)
	if missed != nil {
		found = "at least " + found
		o.evidence = append(o.evidence, notLookedAt(root, missed))
	}
	enabled := settings.Combine(in.Layers, in.Dirs).Scalar(claude.KeySandboxEnabled...)
	if enabled.Scope == settings.User {
		o.evidence = append(o.evidence, report.FileEvidence(enabled.Where(), fmt.Sprintf(
			"subdirectories that switch it off now: %s; a command can write SUBDIRECTORY/.claude/settings.json, which the "+
				"next plain start there follows (claude-iso does not)", found)))
	}
}

// switchesOff says whether a directory's own settings switch the sandbox off.
func switchesOff(r host.Reader, dir string) bool {
	in := inforce.Gather(r, inforce.Invocation{Start: dir})
	v := settings.Combine(in.Layers, in.Dirs).Scalar(claude.KeySandboxEnabled...)
	return (v.Scope == settings.Project || v.Scope == settings.Local) && v.Value.Kind == settings.Bool &&
		v.Value.Text == "false"
}
