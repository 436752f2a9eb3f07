// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a git hook that commands cannot write, and that starts what they can,
// is named with its line, or with that of the file beside it.

package checks_test

import (
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// hook is a fault in a hook that commands cannot write: text is what it holds, or leads to;
// a shell script, if no first line says otherwise.
func hook(name, path, text string) Fault {
	return Fault{Name: "a git hook " + name, Breaks: "policy-invariants", Want: report.Warn, Where: path,
		Break: func(m *Machine) {
			if to, is := strings.CutPrefix(text, "-> "); is {
				m.symlink(to, path)
				return
			}
			if !strings.HasPrefix(text, "#!") {
				text = "#!/bin/sh\n" + text
			}
			m.write(filepath.Dir(path)+"/husky.sh", "run_command npx husky-run $hookName\n", 0o755)
			m.write(filepath.Dir(path)+"/pre-push.d/lint", "npm run lint\n", 0o755)
			m.write(path, text+"\n", 0o755)
			m.write("~/.gitconfig", m.read("~/.gitconfig")+"[core]\n\thooksPath = "+m.at(filepath.Dir(path))+"\n", 0o644)
		}}
}

// besideHook is a fault that is told with a file beside the hook.
func besideHook(where string, f Fault) Fault {
	f.Where = filepath.Dir(f.Where) + "/" + where
	return f
}

var gitHookFaults = []Fault{
	hook("is a symlink into the project", "~/code/tracker/.git/hooks/pre-commit", "-> ../../tools/pre-commit"),
	hook("starts a script of the project", "~/code/tracker/.git/hooks/pre-push", "exec ./tools/check.sh"),
	hook("starts a manager, which reads the project", "~/code/tracker/.git/hooks/commit-msg",
		`exec pre-commit hook-impl --hook-type=commit-msg -- "$@"`),
	hook("of the user's own puts the name of a file into a command of sh", "~/.githooks/pre-commit",
		"git diff --cached --name-only | xargs -I{} sh -c 'grep -q WIP {} && exit 1'"),
	hook("of the user's own starts a hook of the project", "~/.githooks/pre-commit",
		"if [ -x tools/pre-commit ]; then tools/pre-commit; fi"),
	hook("in Ruby starts a manager", "~/.githooks/pre-commit", "#!/usr/bin/env ruby\nrequire 'overcommit'"),
	hook("in Python starts a script of the project", "~/.githooks/pre-commit",
		"#!/usr/bin/env python3\nimport subprocess, sys\nsys.exit(subprocess.call(['./tools/lint.sh']))"),
	besideHook("husky.sh#husky-run", hook("sources a manager's file beside it", "~/.githooks/pre-commit",
		`. "$(dirname "$0")/husky.sh"`)),
	besideHook("pre-push.d/lint#npm", hook("starts what a directory beside it lists", "~/.githooks/pre-push",
		`for x in "${0%/*}"/pre-push.d/*; do "$x"; done`)),
	{Name: "a git hook that git copies into new repositories starts a script there", Breaks: "policy-invariants",
		Want: report.Warn, Where: "~/.git-template/hooks/post-checkout#tools", Break: func(m *Machine) {
			m.write("~/.git-template/hooks/post-checkout", "#!/bin/sh\n./tools/setup.sh\n", 0o755)
			m.write("~/.gitconfig", m.read("~/.gitconfig")+"[init]\n\ttemplateDir = ~/.git-template\n", 0o644)
		}},
}
