// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime keeps from commands it keeps by its path, in one spelling. On a
// file system of a program (FUSE) that ignores case, `.git/CONFIG`, `.CLAUDE/settings.local.json` and
// `.ENV` were written and read by commands (measured with 2.1.330); the agent's own tools refused.

package outsiders

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// CaseOpenings names the directory that ignores the case of names, if the
// session lies in one.
func CaseOpenings(r host.Reader, s session.Settings) []opening.Opening {
	path, other := host.IgnoringCase(r, s.Dirs.Start, ".git", claude.Dir)
	if path == "" {
		return nil
	}
	dir := filepath.Dir(path)
	return []opening.Opening{{Status: report.Fail, Voids: true, Where: dir, What: dir,
		Opens: "Commands can write .git/config and settings, and read .env, in another spelling: " + dir +
			" ignores the case of names (" + other + " is " + path + ").",
		Step: "move the project to a file system that tells upper from lower case"}}
}
