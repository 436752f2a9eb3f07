// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a worktree begins with "git fetch origin", and where no remote
// has that name, a file of the project decides what is fetched.

package gitruns

import (
	"context"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// originOpenings names what is called origin in a work tree whose repository has no
// remote of that name. A command makes it a symlink to another repository of the
// user's; "claude -w" then fetches that, outside the sandbox, and commands read it
// (measured with 2.1.330 in both launches).
func originOpenings(ctx context.Context, r host.Reader, t host.Tree) []opening.Opening {
	if t.Root == "" {
		return nil
	}
	path := filepath.Join(t.Root, "origin")
	if _, err := r.Lstat(path); err != nil || gitrepo.HasRemote(ctx, r, t.Root, "origin") {
		return nil
	}
	return []opening.Opening{{Status: report.Warn, Where: path, What: path,
		Opens: "No remote is called origin, so claude -w fetches from " + path +
			", outside the sandbox: a command can make that a symlink to another repository of yours, and read it.",
		Remedy: report.DocLink{Title: "rename it, or add a remote called origin",
			Target: path}}}
}
