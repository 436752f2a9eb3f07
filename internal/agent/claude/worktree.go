// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime does outside the sandbox when the agent
// enters a worktree is stated as it was measured.

package claude

import "slices"

// EntersWorktree and IsolatesAgents are the rules that have the runtime ask before
// the agent makes a worktree. The runtime calls git fetch origin and git worktree
// add for it, outside the sandbox: without hooks, and with the filters of the
// user's git configuration. In a repository without a remote of that name, origin
// is a path: a command makes a symlink origin to another repository of the user's
// in the project, and reads what was fetched. The filter of git-lfs downloads from
// the address in .lfsconfig, which a command writes. Measured with 2.1.329 in both
// launches, the symlink with 2.1.324 too; the rules hold whatever an allow rule
// says. A workflow is asked about by itself.
const (
	EntersWorktree = "EnterWorktree"
	IsolatesAgents = "Agent(isolation:worktree)"
)

// HoldsWorktrees says whether a deny or ask rule holds the agent's own change to a
// worktree.
func HoldsWorktrees(rule string) bool {
	tool, content, call, _ := SplitRule(rule)
	return tool == EntersWorktree && (!call || content == "*")
}

// HoldsIsolation says whether a deny or ask rule holds agents in worktrees of their
// own.
func HoldsIsolation(rule string) bool {
	tool, content, call, _ := SplitRule(rule)
	return tool == "Agent" && (!call || slices.Contains([]string{"*", "isolation:*", "isolation:worktree"}, content))
}
