// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the sections of the tests' plan that do not depend on the
// answers, with the shapes that real ones have: a link, a conflict, a line for
// a shell's file, a worktree with an unkind name.

package tui

import (
	"github.com/steward-setup/steward-setup/internal/report"
)

func create(id report.ID, path, body, why string) report.Change {
	return report.Change{ID: id, Why: why, Path: path, Target: path, After: []byte(body), Mode: 0o755}
}

func wrapper() report.Section {
	dir := home + "/.claude/agent-isolation/"
	return report.Section{ID: "wrapper", Title: "Clean-env wrapper",
		Why: "claude-iso starts the agent with an environment that holds no credentials.",
		Items: []report.Item{
			create("wrapper/sh", dir+"claude-iso.sh", "# claude-iso\nclaude-iso() {\n\tsteward-setup iso \"$@\"\n}\n",
				"the function for bash and zsh"),
			report.Command{ID: "wrapper/rc", Why: "your shell has to know the function", Where: home + "/.zshrc",
				Line: `[ -f "$HOME/.claude/agent-isolation/claude-iso.sh" ] && . "$HOME/.claude/agent-isolation/claude-iso.sh"`},
		}}
}

func hooks() report.Section {
	s := report.Section{ID: "hooks", Title: "Hook scripts", Why: "Small scripts that say when a command leaves the " +
		"sandbox and what a sandbox error means."}
	for _, name := range []string{"sandbox-bypass-warn", "sandbox-error-hint", "sandbox-status-line",
		"sandbox-status-line-rich", "sandbox-add-project-root"} {
		s.Items = append(s.Items, create(report.ID("hooks/"+name), home+"/.claude/scripts/"+name+".sh",
			"#!/bin/sh\n# "+name+"\nexec steward-setup hook "+name+"\n", "called by the runtime"))
	}
	return s
}

func wiring() report.Section {
	return report.Section{ID: "wiring", Title: "User wiring", Why: "Tells the runtime to call the scripts.",
		Opens: []string{"nothing: hooks run outside the sandbox as they do now"},
		Findings: []report.Finding{{Check: "user-wiring", Layer: report.LayerVisibility, Status: report.Warn, Decide: true,
			Summary:  "statusLine is your own and is kept; --status-line replace would change it",
			Evidence: []report.Evidence{report.FileEvidence(home+"/.claude/settings.json:14:3", `"statusLine": "my-line.sh"`)}}},
		Items: []report.Item{report.Change{ID: "wiring/settings", Why: "the hooks and the status line", Path: home +
			"/.claude/settings.json",
			Target: home + "/dotfiles/claude/settings.json", Before: []byte("{\n\t\"theme\": \"dark\"\n}\n"),
			After: []byte("{\n\t\"theme\": \"dark\",\n\t\"hooks\": {\n\t\t\"PreToolUse\": [{\"matcher\": \"Bash\"}]\n\t}\n}\n"),
			Mode:  0o600}}}
}

func roots() report.Section {
	s := report.Section{ID: "roots", Title: "Project roots", Why: "Each worktree may read itself, in its own ignored " +
		"settings file."}
	for _, root := range []string{project, home + "/code/tracker-日本語 branch\x1b[31m"} {
		path := root + "/.claude/settings.local.json"
		s.Items = append(s.Items, create(report.ID("roots/"+root), path,
			"{\n  \"sandbox\": {\n    \"filesystem\": {\n      \"allowRead\": [\n        \""+root+"\"\n      ]\n    }\n  }\n}\n",
			"the worktree's own path"))
	}
	s.Opens = []string{"reading " + project}
	return s
}

func scope() report.Section {
	return report.Section{ID: "scope", Title: "Scope",
		Why: "The policy holds in this project. To hold it for every project of yours there is `steward-setup scope " +
			"whole-user`, which has questions of its own and is not part of this wizard."}
}
