// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what verify says of files beside managed settings is what
// both launches do with them.

package iso_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// withEtc makes the runtime of a lab one that has a directory of the home in the
// place of /etc/claude-code.
func (l *lab) withEtc(dir string) {
	l.t.Helper()
	words := "set -- --ro-bind " + scripts.Quote(filepath.Join(l.home, dir)) + " /etc/claude-code -- " +
		scripts.Quote(testenv.Claude(l.t)) + ` "$@"
for e in /etc/*; do
  [ -L "$e" ] || [ "$e" = /etc/claude-code ] || set -- --ro-bind-try "$e" "$e" "$@"
done
exec bwrap --dev-bind / / --tmpfs /etc "$@"`
	l.runtime = l.put("etc-claude", "#!/bin/sh\n"+words+"\n")
}

// TestFilesBesideManagedSettingsRun: a server of managed-mcp.json at the start, in
// the place of the user's own, and the hook of a skill; what a command wrote there
// runs outside the sandbox. What the instructions there import of the project is
// sent, and without a terminal not what a command had that lead to. Run with 2.1.330 and 2.1.324.
func TestFilesBesideManagedSettingsRun(t *testing.T) {
	inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
		l.put("etc/managed-mcp.json", `{"mcpServers":{"x":{"command":"./tools/server"}}}`)
		l.put("etc/.claude/skills/x/SKILL.md", "---\nname: x\ndescription: d\nhooks:\n  PreToolUse:\n    - hooks:\n"+
			"        - type: command\n          command: '\"$CLAUDE_PROJECT_DIR\"/tools/hook'\n---\nHelp.\n")
		l.put("etc/CLAUDE.md", "MANAGED-TEXT\n@"+l.project+"/notes/a.md\n")
		l.put("etc/.claude/rules/r.md", "MANAGED-RULE\n@"+l.project+"/notes/b.md\n")
		l.put("p/notes/a.md", "NOTE-A\n")
		l.put("p/notes/b.md", "NOTE-B\n")
		l.put("second.txt", "CANARY-TWO\n")
		own := l.put("own-server", l.mark("own", "exit 1"))
		l.put(".claude.json", `{"hasCompletedOnboarding":true,"mcpServers":{"own":{"command":"`+own+`"}}}`)
		l.put(".claude/settings.json", `{"permissions":{"allow":["Skill"]}}`)
		l.withEtc("etc")
		write := func(name string) string {
			return "printf '%s' " + scripts.Quote(l.mark(name, "exit 0")) + " > tools/" + name + "; chmod +x tools/" + name
		}
		plant := strings.Join([]string{"mkdir -p tools", write("server"), write("hook"), "echo @~/secret.txt >> notes/a.md",
			"rm notes/b.md", "ln -s ~/second.txt notes/b.md", "echo planted"}, "; ")
		start(calls(model.Bash(plant), nothing)...)
		s := start(calls(model.Call{Tool: "Skill", Input: map[string]any{"skill": "x"}}, nothing)...)
		for _, name := range []string{"server", "hook"} {
			if !l.marked(name) {
				t.Errorf("tools/%s did not run outside the sandbox:\n%s", name, s.out)
			}
		}
		if l.marked("own") {
			t.Error("the user's own server was started beside managed-mcp.json")
		}
		for text, want := range map[string]bool{"MANAGED-TEXT": true, "MANAGED-RULE": true, "NOTE-A": true, secret: false,
			"CANARY-TWO": false} {
			if s.Told(text) != want {
				t.Errorf("%s is sent: %v, want %v", text, !want, want)
			}
		}
	})
}

// TestManagedSettingsCountNoOtherRules: with that key neither rules of the user's own nor
// those that claude-iso hands over keep the agent's Read tool from a file. Run with 2.1.330.
func TestManagedSettingsCountNoOtherRules(t *testing.T) {
	inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
		l.put(".claude/settings.json", `{"permissions":{"deny":["Read(/`+l.project+`/denied.txt)"]}}`)
		at := l.put("p/denied.txt", "DENIED-TEXT\n")
		for i, text := range []string{`{}`, `{"allowManagedPermissionRulesOnly":true}`} {
			open := i == 1
			l.put("etc/managed-settings.json", text)
			l.withEtc("etc")
			s := start(calls(model.Call{Tool: "Read", Input: map[string]any{"file_path": at}}, nothing)...)
			if s.Told("DENIED-TEXT") != open {
				t.Errorf("with %s the file is read: %v\n%s", text, !open, s.out)
			}
		}
	})
}
