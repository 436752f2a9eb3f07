// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what opens a file does not open a socket: on Linux no unix
// socket can be made, whatever its path (measured with Claude Code 2.1.329).

package access

import (
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
)

// connects says whether a sandboxed command reaches what listens on a socket.
func (f File) connects(s *Start, read Decision, readBy []report.Evidence) report.Ruling {
	r := report.Ruling{Who: WhoCommand, Does: Connects}
	on, why := s.Sandboxed()
	all := s.Settings.Scalar(claude.KeyAllowAllUnixSockets...)
	switch {
	case !on:
		r.Answer, r.Why, r.By = report.Allowed, "no sandbox is in force: a command connects to what you can connect to",
			[]report.Evidence{why}
	case !all.Value.True():
		r.Answer, r.Why = report.Denied, "the sandbox refuses every unix socket; no path in allowRead or allowUnixSockets "+
			"opens this one on Linux"
		r.By = []report.Evidence{report.FileEvidence(claude.KeyAllowAllUnixSockets.String(), "no scope sets it")}
	case read.Answer == report.Denied:
		r.Answer, r.Why, r.By = report.Denied, "unix sockets are allowed, but this one lies in what is hidden: allowRead "+
			"has to name it too", readBy
	default:
		r.Answer, r.Why, r.By = report.Allowed, "all unix sockets are allowed",
			[]report.Evidence{s.At(all.Candidate, claude.KeyAllowAllUnixSockets...)}
	}
	return r
}
