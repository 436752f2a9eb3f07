// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: who starts in a worktree or a submodule without a policy
// is told first how it gets one.

package checks_test

import (
	"os"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestAWorkTreeWithoutThePolicyIsToldHowToGetIt(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := build(t, usualSetup)
	main := m.Project
	expect := func(summary, first string) {
		t.Helper()
		m.write("~/.bashrc", "true\n", 0o644) // which fails clean-env, and comes later
		found := m.verify()
		f := find(found, "project-settings")
		if f.Status != report.Fail || !f.Voids || f.Summary != summary {
			t.Errorf("project-settings: %s %s\nwant %s", f.Status, f.Summary, summary)
		}
		if e := find(found, "effective-sandbox"); !strings.Contains(e.Summary, summary) {
			t.Errorf("effective-sandbox: %s", e.Summary)
		}
		for _, r := range find(found, "effective-sandbox").Remedies {
			if c, ok := r.(report.Command); ok && c.Line != first {
				t.Errorf("effective-sandbox proposes %s", c.Line)
			}
		}
		steps := report.Steps(found, nil)
		if len(steps) == 0 || steps[0].Command == nil || steps[0].Command.Line != first {
			t.Errorf("the first step is not %s: %v", first, steps)
		}
	}

	m.git(main, "worktree", "add", "--quiet", "-b", "proj-fix", m.Home+"/code/proj-fix", "HEAD~1")
	m.Project = m.Home + "/code/proj-fix"
	expect("proj-fix has no policy: merge it (git merge main)", "git -C "+m.Project+" merge main")

	m.git(main, "rm", "--quiet", "--cached", ".claude/settings.json")
	m.git(main, "worktree", "remove", "--force", m.Worktree)
	expect("proj-fix has no policy: it is not committed in tracker", "git -C "+main+
		" add .claude/settings.json && git -C "+main+
		" commit -m 'Add the policy for the coding agent' -- .claude/settings.json")

	m.write(main+"/.git/info/exclude", ".claude/settings.json\n", 0o644)
	expect("proj-fix has no policy: git ignores that of tracker", "cd "+m.Project+" && steward-setup install")

	m.Project = main + "/sub"
	m.write(m.Home+"/upstream/README", "x\n", 0o644)
	m.git(m.Home+"/upstream", "init", "--quiet", "--template=")
	m.git(m.Home+"/upstream", "add", "--all")
	m.git(m.Home+"/upstream", "commit", "--quiet", "--message", "x")
	m.git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", m.Home+"/upstream", "sub")
	if _, err := os.Stat(m.Project + "/README"); err != nil {
		t.Fatal(err)
	}
	expect("sub has no policy: that of tracker does not apply in its submodules", "cd "+m.Project+
		" && steward-setup install")
}

// A policy in the user's settings switches the sandbox on there all the same;
// to approve what the branch has would revoke the project's approval.
func TestAWorkTreeWithoutTheApprovedPolicyIsNotToldToApprove(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := build(t, floored)
	m.approve()
	main := m.Project
	m.Project = m.Home + "/code/proj-fix"
	m.git(main, "worktree", "add", "--quiet", "-b", "proj-fix", m.Project, "HEAD~1")
	f := m.judged("effective-sandbox")
	if want := "claude-iso would not start here: proj-fix has no policy: merge it (git merge main)"; f.Summary != want ||
		len(f.Remedies) != 2 || f.Remedies[0].(report.Command).ID != "policy/merge" {
		t.Errorf("effective-sandbox: %s %v\nwant %s", f.Summary, f.Remedies, want)
	}
}
