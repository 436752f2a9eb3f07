// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line about what git was left in names the work tree that it was
// left in: pasted anywhere, it does nothing elsewhere.

package checks_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestALineForAnotherWorktreeNamesIt(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	const main = "~/code/tracker/.git"
	for _, c := range []struct{ dir, file, text, want string }{
		{main, "rebase-merge/git-rebase-todo", "exec x", "rebase --edit-todo"},
		{main, "sequencer/opts", "[options]\nstrategy = x", "cherry-pick --quit"},
		{main + "/worktrees/tracker-fix", "rebase-merge/strategy", "x", "rebase --quit"},
		{main + "/worktrees/tracker-fix", "rebase-apply/patch", "+++ b/.claude/settings.json", "am --quit"},
	} {
		m := copyOf(t, healthy)
		m.write(filepath.Join(c.dir, c.file), c.text+"\n", 0o644)
		tree := m.Project
		if strings.Contains(c.dir, "worktrees") {
			tree = m.Worktree
		}
		want, f := "git -C "+tree+" "+c.want, m.judged("policy-invariants")
		if !slices.ContainsFunc(f.Remedies, func(r report.Remedy) bool {
			line, _ := r.(report.Command)
			return line.Line == want
		}) {
			t.Errorf("%s: the line is not %s: %v", c.file, want, f.Remedies)
		}
	}
}
