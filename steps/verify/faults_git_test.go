// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git runs what a repository configures. Where a command can
// make or choose the repository, that is an escape.

package verify_test

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/report"
)

// stay is the setting that keeps the working directory of hooks in the project.
const stay = "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"

// staying is a machine whose user keeps hooks in the project.
func staying(f Fault) Fault {
	seed := f.Break
	f.Name += ", in a session that stays in the project"
	f.Break = func(m *Machine) {
		m.set(userFile, "env", map[string]any{stay: "1"})
		seed(m)
	}
	return f
}

var gitFaults = slices.Concat(each(starts, "git log -1", "git status --short --ignore-submodules", "git diff --cached", "cd tools && git log", `cd "$(git rev-parse --show-toplevel)" && git log`,
	`git -C "$CLAUDE_PROJECT_DIR" status --short`, "git add -A && git commit -qm wip", `git -C "$CLAUDE_PROJECT_DIR/tools" log`, "gh pr create --fill", "claude -p hello",
	"git -c core.fsmonitor=false status", ".claude/hooks/x.sh"),
	each(unresolved, `git -C "$X" log`, `cd "$X" && git log`, "git -c core.pager=x log"),
	[]Fault{
		staying(starts("git status")),
		staying(starts("cd tools && git log")),
		{Name: "a script of the user's own that a hook calls runs git in the agent's directory", Breaks: "policy-invariants", Want: report.Unknown, Where: "~/.claude/scripts/line.sh#git",
			Break: func(m *Machine) {
				m.write("~/.claude/scripts/line.sh", "#!/bin/bash\ndir=$(jq -r .workspace.current_dir)\ncd \"$dir\" || exit\ngit status --short | wc -l\n", 0o755)
				m.userHook("~/.claude/scripts/line.sh")
			}},
		{Name: "a CwdChanged hook runs git, in a session that stays in the project", Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: userFile + "#CwdChanged#command",
			Break: func(m *Machine) {
				m.set(userFile, "env", map[string]any{stay: "1"})
				m.set(userFile, "hooks.CwdChanged", []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": "git log -1"}}}})
			}},
	})
