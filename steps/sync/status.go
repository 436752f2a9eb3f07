// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the status lists what link would do, so that the two cannot
// disagree, and what link leaves to the user.

package sync

import (
	"context"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

// Status is the state of the repository, of the symlinks to it, and of its
// scripts.
type Status struct {
	syncrepo.Status
	// Links are the symlinks that should lead into the repository, and those that
	// lead to what it no longer has.
	Links []Link `json:"links"`
	// Scripts are those of this program in it that are not what this version
	// would write.
	Scripts []Script `json:"scripts"`
	// Open says by what sandboxed commands can replace the repository, if they can.
	Open string `json:"open,omitempty"`
}

// Script is a file of this program in the repository.
type Script struct {
	// Path is slash-separated, from the repository's top.
	Path string `json:"path"`
	// What is with it: "edited", or "of" and the day of an earlier version.
	What string `json:"what"`
	// Calls is the program that it calls, if that is not on this machine.
	Calls string `json:"calls,omitempty"`
}

// Settled says whether nothing is left to do.
func (s Status) Settled() bool {
	if s.State == syncrepo.Absent {
		return true
	}
	return s.State == syncrepo.InSync && len(s.Forbidden)+len(s.Scripts)+len(s.Unlinked())+len(s.Open) == 0
}

// Unlinked are the links that do not lead where they should.
func (s Status) Unlinked() []Link {
	return slices.DeleteFunc(slices.Clone(s.Links), func(l Link) bool { return l.State == Linked })
}

// Look says how things are. The error is a *report.Error, or ctx's.
func Look(ctx context.Context, r host.Reader, a Agent) (Status, error) {
	s := Status{Links: []Link{}, Scripts: []Script{}}
	var err error
	if s.Status, err = syncrepo.Look(ctx, r, r.Places().SyncRepo); err != nil || !s.Exists() {
		return s, err
	}
	p, err := newPlanner(ctx, r, a)
	if err != nil {
		return s, err
	}
	if _, err := p.proposal(); err != nil {
		return s, err
	}
	s.Links, s.Open = append(s.Links, p.links...), p.open
	for _, l := range syncrepo.Links(r) {
		if l.Broken && !slices.ContainsFunc(s.Links, func(have Link) bool { return have.Path == l.Path }) {
			s.Links = append(s.Links, Link{Path: l.Path, To: l.To, State: Nowhere, Now: l.To})
		}
	}
	slices.SortFunc(s.Links, func(a, b Link) int { return strings.Compare(a.Path, b.Path) })
	for _, part := range syncrepo.Layout(r.Places()) {
		if part.Runs && part.Dir && part.Name != syncrepo.Bin {
			for _, rel := range p.names(part.Name) {
				if script, differs := p.script(rel); differs {
					s.Scripts = append(s.Scripts, script)
				}
			}
		}
	}
	return s, nil
}

// script says how a file that this program may have written differs.
func (p *planner) script(rel string) (s Script, differs bool) {
	b, err := p.bytes(rel)
	if err != nil {
		return s, false
	}
	ours, is := scripts.Recognize(b)
	if !is {
		return s, false
	}
	s.Path = rel
	if v, known := scripts.Written(b); !known {
		s.What = "edited"
	} else if !ours.Current {
		s.What = "of " + v.Day
	}
	if ours.Binary != "" {
		if info, err := p.r.Stat(ours.Binary); err != nil || !info.Mode().IsRegular() {
			s.Calls = ours.Binary
		}
	}
	return s, s.What != "" || s.Calls != ""
}

// Words say the state in a few words. What is only not committed or pushed yet is
// no drift: that is how a repository looks that is worked with.
func (s Status) Words() (report.Status, string) {
	switch n := len(s.Unlinked()); {
	case s.State == syncrepo.Unreadable:
		return report.Unknown, "state unknown"
	case s.Open != "":
		return report.Fail, "commands can replace it"
	case len(s.Forbidden) > 0:
		return report.Fail, report.Things(len(s.Forbidden), "file") + " tracked that must not be"
	case s.State == syncrepo.CommitThenPush && n == 0 && len(s.Scripts) == 0:
		return report.Pass, report.Things(len(s.Changed), "file") + " not committed"
	case s.State == syncrepo.PushOnly && n == 0 && len(s.Scripts) == 0:
		return report.Pass, report.Things(s.Ahead, "commit") + " to push"
	case s.State != syncrepo.InSync && s.State != syncrepo.CommitThenPush && s.State != syncrepo.PushOnly:
		return report.Warn, strings.ReplaceAll(string(s.State), "-", " ")
	case n > 0:
		return report.Warn, report.Things(n, "symlink") + " not in place"
	case len(s.Scripts) > 0:
		return report.Warn, report.Things(len(s.Scripts), "script") + " not of this version"
	}
	return report.Pass, "in sync"
}

// Finding is the row about the repository for a list of what drifts.
func (s Status) Finding() report.Finding {
	status, words := s.Words()
	f := report.Finding{Layer: report.LayerVisibility, Status: status, Summary: "sync repository: " + words,
		Evidence: []report.Evidence{report.FileEvidence(s.Dir, string(s.State))}}
	if s.Settled() {
		return f
	}
	for _, file := range slices.Concat(s.Changed, s.Forbidden) {
		f.Evidence = append(f.Evidence, report.FileEvidence(s.Dir+"/"+file.Path, file.What))
	}
	for _, l := range s.Unlinked() {
		f.Evidence = append(f.Evidence, report.FileEvidence(l.Path, string(l.State)))
	}
	for _, script := range s.Scripts {
		f.Evidence = append(f.Evidence, report.FileEvidence(s.Dir+"/"+script.Path,
			strings.TrimSpace(script.What+" "+script.Calls)))
	}
	f.Remedies = []report.Remedy{report.Own("sync status", report.Command{ID: "sync/status", Optional: true,
		Why: "see what is left"})}
	return f
}
