// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the commit of a policy is one line, the same wherever it is offered.

package gitruns

import (
	"bytes"
	"context"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// IgnoreFile has the rule that keeps a worktree's own settings out of commits.
const IgnoreFile = ".gitignore"

// Commit commits the policy of the work tree at root, with the .gitignore that is there,
// nil if none, where HEAD has none or not its rule: left out, it would stand in the way
// of the first branch that commits one of its own. One that git keeps out of commits
// stays out: git add would refuse the whole line.
func Commit(ctx context.Context, r host.Reader, root string, ignore []byte) report.Command {
	name := "HEAD:" + IgnoreFile
	head, rule := gitrepo.Contents(ctx, r, root, name)[name], []byte(claude.LocalSettingsFile)
	files := filepath.ToSlash(session.PolicyFile)
	if ignore != nil && (head == nil || bytes.Contains(ignore, rule) && !bytes.Contains(head, rule)) {
		if kept, _, err := gitrepo.KeptOut(ctx, r, root, IgnoreFile); !kept || err != nil {
			files += " " + IgnoreFile
		}
	}
	git := "git -C " + scripts.Quote(root)
	return report.Command{ID: "policy/commit",
		Why:  "commit the policy: it then applies to everyone, and in every worktree whose branch has it",
		Line: git + " add " + files + " && " + git + " commit -m 'Add the policy for the coding agent' -- " + files}
}

// Merge brings what is committed in the work tree w into the one at root; from is what it
// merges, "" where w has no commit to name.
func Merge(root string, w gitrepo.Worktree) (c report.Command, from string) {
	if from = w.Head; w.Branch != "" {
		from = strings.TrimPrefix(w.Branch, "refs/heads/")
	}
	if from == "" || strings.HasPrefix(from, "-") {
		return c, ""
	}
	from = scripts.Quote(from)
	return report.Command{ID: "policy/merge",
		Why:  "bring the policy of " + filepath.Base(w.Path) + " into this worktree",
		Line: "git -C " + scripts.Quote(root) + " merge " + from}, from
}

// commits is the line that commits the policy that is here; ok is false where none is,
// or git keeps it out.
func (c checkouts) commits(ctx context.Context) (report.Command, bool) {
	if _, err := c.r.ReadIn(c.tree.Root, session.PolicyFile); err != nil {
		return report.Command{}, false
	}
	kept, _, err := gitrepo.KeptOut(ctx, c.r, c.tree.Root, filepath.ToSlash(session.PolicyFile))
	ignore, unread := c.r.ReadIn(c.tree.Root, IgnoreFile)
	if kept || err != nil || unread != nil && !errors.Is(unread, iofs.ErrNotExist) {
		return report.Command{}, false
	}
	return Commit(ctx, c.r, c.tree.Root, ignore), true
}
