// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a write of a sandboxed command arrives only where
// something opens it; elsewhere it fails, or, below a hidden directory, seems
// to succeed and is gone (measured with Claude Code 2.1.329 on Linux).

package access

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/report"
)

// writable are the settings that let commands write the file.
func (f File) writable(s *Start) (list []claim) {
	if pathname.Within(f.Real, s.Dirs.Start) {
		list = append(list, claim{by: report.FileEvidence(s.Dirs.Start, "the directory that the session starts in can be "+
			"read and written"), depth: elements(s.Dirs.Start) + 1})
	}
	if pathname.Within(f.Real, s.Git) && !pathname.Within(s.Git, s.Dirs.Start) {
		list = append(list, claim{by: report.FileEvidence(s.Git, "the git directory of the worktree can be read and written"),
			depth: elements(s.Git) + 1})
	}
	list = append(list, f.entries(s, claude.KeyAllowWrite)...)
	list = append(list, f.sealed(s, claude.Allow, claude.ToolEdit)...)
	slices.SortStableFunc(list, nearer)
	return list
}

// writes says whether a write of a sandboxed command arrives.
func (f File) Writes(s *Start, read Decision) (Decision, []report.Evidence) {
	if free, by := s.unrestricted("writes what you can write"); by != nil {
		return free, by
	}
	kept := append(f.entries(s, claude.KeyDenyWrite), f.sealed(s, claude.Deny, claude.ToolEdit)...)
	open := f.writable(s)
	fixed, always := claude.ProtectedAt(f.Real, s.Dirs.Start, s.Git)
	switch {
	case always:
		return Decision{Answer: report.Denied, Final: true, Why: "its content runs, or is trusted, outside the sandbox: " +
				"the runtime keeps it read-only"},
			[]report.Evidence{report.FileEvidence(fixed, "read-only whatever the settings say")}
	case len(kept) > 0:
		return Decision{Answer: report.Denied, Final: true, Why: "write-protected, whatever allows it"},
			evidence(kept[0], open)
	case len(open) > 0 && read.Answer == report.Denied:
		closed := f.closing(s)
		return Decision{Answer: report.Denied, Final: closed[0].final, Why: "a hidden path cannot be written: the write " +
			"fails or is discarded"}, evidence(closed[0], open)
	case len(open) > 0:
		return Decision{Answer: report.Allowed, Why: "allowed for writing"}, []report.Evidence{open[0].by}
	case read.Answer == report.Denied:
		return Decision{Answer: report.Denied, Final: read.Final, Why: "hidden: a write fails, or seems to succeed and is " +
				"discarded when the command ends"},
			[]report.Evidence{f.closing(s)[0].by}
	}
	return Decision{Answer: report.Denied, Why: "read-only: outside of the project only TMPDIR and allowWrite are " +
			"writable"},
		[]report.Evidence{noEntry(claude.KeyAllowWrite, "covers")}
}

// autoAllowed says that sandboxed commands run without rules for paths.
func (s *Start) autoAllowed() bool { return s.State.Mode == inforce.OnAutoAllow }
