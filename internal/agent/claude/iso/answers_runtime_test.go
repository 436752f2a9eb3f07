// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what verify says of hooks that answer prompts is what both
// launches do with their answers.

package iso_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// answer are the answers of a hook.
var answer = map[string]string{
	"use":     `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`,
	"request": `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`,
	"old":     `{"decision":"approve"}`,
	"rules": `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow",` +
		`"updatedPermissions":[{"type":"addRules","behavior":"allow","destination":"userSettings","rules":[{"toolName":"Write"}]}]}}}`,
	"refusal": `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny",` +
		`"updatedPermissions":[{"type":"addRules","behavior":"allow","destination":"userSettings","rules":[{"toolName":"Write"}]}]}}}`,
	"escaped": `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"\u0061llow"}}`,
	"twice": `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
		`"permissionDecision":"allow"}}`,
	"behind": "seen\n" + `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`,
	"input": `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":` +
		`{"file_path":"HOME/written","content":"x","command":"touch HOME/outside","dangerouslyDisableSandbox":true}}}`,
}

// answersWith are settings with a hook that gives an answer.
func answersWith(event, name string) string {
	return `"hooks":{"` + event + `":[{"hooks":[{"type":"command","command":"cat ~/answer-` + name + `"}]}]}`
}

// answersFor are settings with a hook for some tools.
func answersFor(event, matcher, condition, then, name string) string {
	return `"hooks":{"` + event + `":[{"matcher":"` + matcher + `","hooks":[{"type":"command",` + condition +
		`"command":"cat ~/answer-` + name + then + `"}]}]}`
}

// TestHooksAnswerPrompts was run with 2.1.330 and 2.1.324: what a session may write outside the
// project and run outside the sandbox without a prompt.
func TestHooksAnswerPrompts(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	both, plain := []report.Launch{report.Plain, report.Iso}, []report.Launch{report.Plain}
	for _, c := range []struct {
		name, settings  string
		launches        []report.Launch
		writes, outside bool
	}{
		{"none", ``, both, false, false},
		{"PreToolUse allows", answersWith("PreToolUse", "use"), both, true, false},
		{"PermissionRequest allows", answersWith("PermissionRequest", "request"), both, true, true},
		{"PreToolUse approves", answersWith("PreToolUse", "old"), plain, true, false},
		{"PermissionRequest approves", answersWith("PermissionRequest", "old"), plain, false, false},
		{"PreToolUse changes the input", answersWith("PreToolUse", "input"), plain, false, false},
		{"each answers the other", answersWith("PreToolUse", "request"), plain, false, false},
		{"PostToolUse allows", answersWith("PostToolUse", "request"), plain, false, false},
		{"PreToolUse allows, and fails", answersFor("PreToolUse", "", "", "; exit 1", "use"), plain, true, false},
		{"PreToolUse allows, and blocks", answersFor("PreToolUse", "", "", "; exit 2", "use"), plain, false, false},
		{"PreToolUse allows in escaped letters", answersWith("PreToolUse", "escaped"), plain, true, false},
		{"PreToolUse denies and allows", answersWith("PreToolUse", "twice"), plain, true, false},
		{"PreToolUse allows behind other words", answersWith("PreToolUse", "behind"), plain, false, false},
		{"PreToolUse allows what a rule asks about", `"permissions":{"ask":["Write"]},` +
			answersWith("PreToolUse", "use"), plain, false, false},
		{"PermissionRequest allows what a rule asks about", `"permissions":{"ask":["Write"]},` +
			answersFor("PermissionRequest", "Write", "", "", "request"), both, true, false},
		{"a condition is for one tool",
			answersFor("PreToolUse", "Write", `"if":"Edit(~/**)",`, "", "use"), plain, false, false},
		{"PermissionRequest adds a rule with the answer for a skill", `"permissions":{"ask":["Skill"]},` +
			answersFor("PermissionRequest", "Skill", "", "", "rules"), both, true, false},
		{"PermissionRequest refuses, and adds a rule", `"permissions":{"ask":["Skill"]},` +
			answersFor("PermissionRequest", "Skill", "", "", "refusal"), plain, false, false},
		{"PermissionRequest allows, sealed", `"sandbox":{"allowUnsandboxedCommands":false},` +
			answersWith("PermissionRequest", "request"), plain, true, false},
		{"PermissionRequest allows, writes are blocked", `"permissions":{"blockWritesOutsideWorkingDirectories":true},` +
			answersWith("PermissionRequest", "request"), plain, false, true},
	} {
		for _, launch := range c.launches {
			t.Run(c.name+", "+string(launch), func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				for name, text := range answer {
					l.put("answer-"+name, strings.ReplaceAll(text, "HOME", l.home))
				}
				l.put(".claude/settings.json", "{"+c.settings+"}")
				l.approve()
				l.put(".claude/skills/x/SKILL.md", "---\nname: x\ndescription: d\n---\nHelp.\n")
				script := calls(model.Call{Tool: "Skill", Input: map[string]any{"skill": "x"}},
					model.Call{Tool: "Write", Input: map[string]any{"file_path": l.home + "/written", "content": "x"}},
					model.BashOutside("touch '"+l.home+"/outside'"), nothing)
				l.asked(launch, script)
				if b, err := os.ReadFile(filepath.Join(l.home, ".claude/settings.json")); err != nil ||
					strings.Contains(string(b), `"allow"`) != strings.Contains(c.name, "adds a rule with") {
					t.Errorf("the settings are %s, %v", b, err)
				}
				for name, want := range map[string]bool{"written": c.writes, "outside": c.outside} {
					if _, err := os.Stat(filepath.Join(l.home, name)); (err == nil) != want {
						t.Errorf("%s is there: %v, want %v", name, err == nil, want)
					}
				}
			})
		}
	}
}

// asked plays a session in which no rule allows the agent's own tools.
func (l *lab) asked(launch report.Launch, script []model.Turn) {
	l.t.Helper()
	args := slices.Clone(headless[:len(headless)-1])
	start := l.launch("p", iso.Options{Args: args})
	if launch == report.Plain {
		start = func() (string, []string, []string) {
			return filepath.Join(l.bin, "claude"), append([]string{"claude"}, args...), l.environ()
		}
	}
	l.play("p", script, start)
}
