// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a write of a sandboxed command arrives only where
// something opens it; elsewhere it fails, or, below a hidden directory, seems
// to succeed and is gone (measured with Claude Code 2.1.329 on Linux).

package doctor

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/report"
)

// writable are the settings that let commands write the file.
func (f file) writable(s *start) (list []claim) {
	if pathname.Within(f.real, s.dirs.Start) {
		list = append(list, claim{by: report.FileEvidence(s.dirs.Start, "the directory that the session starts in can be read and written"), depth: elements(s.dirs.Start) + 1})
	}
	if pathname.Within(f.real, s.git) && !pathname.Within(s.git, s.dirs.Start) {
		list = append(list, claim{by: report.FileEvidence(s.git, "the git directory of the worktree can be read and written"), depth: elements(s.git) + 1})
	}
	for _, c := range s.e.List("sandbox", "filesystem", "allowWrite") {
		if p, ok := literalOf(c.Value.Text, c.Scope, s.dirs); ok && c.Ignored == "" && f.covered(p) > 0 {
			list = append(list, claim{s.at(c, "sandbox", "filesystem", "allowWrite"), f.covered(p), false})
		}
	}
	list = append(list, f.sealed(s, "allow", "Edit")...)
	slices.SortStableFunc(list, nearer)
	return list
}

// writes says whether a write of a sandboxed command arrives.
func (f file) writes(s *start, read decision) (decision, []report.Evidence) {
	if on, why := s.sandboxed(); !on {
		return decision{answer: report.Allowed,
			why: "no sandbox is in force: a command writes what you can write"}, []report.Evidence{why}
	}
	if open := s.e.Scalar("sandbox", "filesystem", "disabled"); open.Value.True() {
		return decision{answer: report.Allowed, why: "the sandbox does not restrict files"}, []report.Evidence{s.at(open.Candidate, "sandbox", "filesystem", "disabled")}
	}
	var kept []claim
	for _, c := range s.e.List("sandbox", "filesystem", "denyWrite") {
		if p, ok := settingFor(c.Value.Text, c.Scope, s.dirs); ok && c.Ignored == "" && f.covered(p) > 0 {
			kept = append(kept, claim{s.at(c, "sandbox", "filesystem", "denyWrite"), f.covered(p), false})
		}
	}
	kept = append(kept, f.sealed(s, "deny", "Edit")...)
	open := f.writable(s)
	fixed, always := claude.ProtectedAt(f.real, s.dirs.Start, s.git)
	switch {
	case always:
		return decision{answer: report.Denied, final: true,
				why: "its content runs, or is trusted, outside the sandbox: the runtime keeps it read-only"},
			[]report.Evidence{report.FileEvidence(fixed, "read-only whatever the settings say")}
	case len(kept) > 0:
		return decision{answer: report.Denied, final: true,
			why: "write-protected, whatever allows it"}, evidence(kept[0], open)
	case len(open) > 0 && read.answer == report.Denied:
		closed := f.closing(s)
		return decision{answer: report.Denied, final: closed[0].final,
			why: "a hidden path cannot be written: the write fails or is discarded"}, evidence(closed[0], open)
	case len(open) > 0:
		return decision{answer: report.Allowed, why: "allowed for writing"}, []report.Evidence{open[0].by}
	case read.answer == report.Denied:
		return decision{answer: report.Denied, final: read.final, why: "hidden: a write fails, or seems to succeed and is discarded when the command ends"},
			[]report.Evidence{f.closing(s)[0].by}
	}
	return decision{answer: report.Denied, why: "read-only: outside of the project only TMPDIR and allowWrite are writable"},
		[]report.Evidence{report.FileEvidence("sandbox.filesystem.allowWrite", "no entry of any scope covers it")}
}

// autoAllowed says that sandboxed commands run without rules for paths.
func (s *start) autoAllowed() bool { return s.state.Mode == inforce.OnAutoAllow }
