// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: status reads and says; it fetches nothing and writes
// nothing.

package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/internal/ui/text"
	"github.com/steward-setup/steward-setup/steps/sync"
)

func newSyncStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show what differs from the remote, and the next command",
		Long: `status shows the state of the repository, the files that differ and the next
command. Nothing is fetched: how far the remote is ahead is as of the last fetch.
Exit code 1: something is left to commit, push, pull or decide.`,
		Example: `  steward-setup sync status
  steward-setup sync status --json`,
		Args: cobra.NoArgs,
		RunE: a.onHost(func(cmd *cobra.Command, h *host.Host, _ []string) error { return a.syncStatus(cmd.Context(), h) }),
	}
}

func (a *app) syncStatus(ctx context.Context, h *host.Host) error {
	done := a.waitFor("looking at the sync repository")
	s, err := sync.Look(ctx, h, agent)
	done()
	out := a.output("sync status", a.facts(h))
	if err != nil {
		return out.end(0, err)
	}
	if out.doc != nil {
		out.doc.Data(s)
	} else {
		for _, line := range a.syncLines(s, h.Places().Home) {
			if line = indented(line); strings.HasPrefix(line, "    git ") { // to be pasted
				fmt.Fprintln(a.out, line)
			} else {
				a.say("%s", line)
			}
		}
	}
	if s.Settled() {
		return out.end(report.ExitOK, nil)
	}
	return out.end(report.ExitLeft, nil)
}

// syncWords says what each state means and what comes next.
var syncWords = map[syncrepo.State]string{
	syncrepo.Absent:                 "no sync repository",
	syncrepo.NoRepository:           "not a git repository",
	syncrepo.Unreadable:             "state unknown",
	syncrepo.LockHeld:               syncrepo.Held,
	syncrepo.Conflict:               "conflict: finish or abort the merge or rebase by hand",
	syncrepo.Detached:               "no branch is checked out: check one out by hand",
	syncrepo.NoRemote:               "no remote: nothing is synced",
	syncrepo.Diverged:               "diverged: commits here and on the remote",
	syncrepo.PullThenCommitThenPush: "behind the remote, with uncommitted changes",
	syncrepo.Pull:                   "behind the remote",
	syncrepo.CommitThenPush:         "uncommitted changes",
	syncrepo.PushOnly:               "commits to push",
	syncrepo.InSync:                 "in sync",
}

// syncNext is the command that a state waits for.
var syncNext = map[syncrepo.State]string{
	syncrepo.NoRemote:               "init ADDRESS",
	syncrepo.Diverged:               "push",
	syncrepo.PullThenCommitThenPush: "push",
	syncrepo.Pull:                   "pull",
	syncrepo.CommitThenPush:         "push",
	syncrepo.PushOnly:               "push",
}

// syncLines say the state, and the files that it follows from.
func (a *app) syncLines(s sync.Status, home string) (lines []string) {
	line := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	line("%s: %s", text.Home(s.Dir, home), syncWords[s.State])
	if s.State == syncrepo.Absent {
		line("  to make one: %s sync init", a.selfHere())
	}
	if s.Why != "" {
		line("  %s", s.Why)
	}
	if s.Branch != "" {
		upstream := cmp.Or(s.Upstream, "no upstream branch yet")
		line("  branch %s, %s: %d to push, %d to pull", s.Branch, upstream, s.Ahead, s.Behind)
	}
	if s.Remote != "" {
		fetched := "never fetched"
		switch {
		case s.Fetched.IsZero() && s.Counted:
			fetched = "time of the last fetch unknown"
		case !s.Fetched.IsZero():
			fetched = "fetched " + report.Ago(max(0, a.sys.Now().Sub(s.Fetched)).Truncate(time.Minute))
		}
		line("  remote %s, %s", s.Remote, fetched)
	}
	if next := syncNext[s.State]; next != "" {
		line("  next: %s sync %s", a.selfHere(), next)
	}
	if s.Open != "" {
		line("Commands can replace it: it is a symlink, and %s.", s.Open)
	}
	if len(s.Changed) > 0 {
		line("Not committed:")
	}
	for _, f := range s.Changed {
		line("  %-8s %s", f.What, f.Path)
	}
	if len(s.Forbidden) > 0 {
		line("Tracked, and must not be:")
	}
	for _, f := range s.Forbidden {
		line("  %s (%s)", f.Path, f.What) // redaction takes "credentials: words" for a value
		line("    %s", syncrepo.Untrack(s.Dir, f.Path))
	}
	unlinked := s.Unlinked()
	if len(unlinked) > 0 {
		line("Not linked (%s sync link):", a.selfHere())
	}
	for _, l := range unlinked {
		now := ""
		if l.Now != "" {
			now = ", to " + text.Home(l.Now, home)
		}
		line("  %s: %s%s", text.Home(l.Path, home), l.State, now)
	}
	if n := len(s.Links) - len(unlinked); n > 0 {
		line("%s", report.Counted(n, "1 symlink in place", "%d symlinks in place"))
	}
	if len(s.Scripts) > 0 {
		line("Not what this version writes (%s install --plan):", a.selfHere())
	}
	for _, script := range s.Scripts {
		line("  %s: %s", script.Path, scriptState(script))
	}
	return lines
}

// scriptState says in words how a script of this program differs.
func scriptState(s sync.Script) string {
	var words []string
	if s.What != "" {
		words = append(words, s.What)
	}
	if s.Calls != "" {
		words = append(words, "calls "+s.Calls+", which is not here")
	}
	return strings.Join(words, "; ")
}
