// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook that answers "allow" is judged as a rule that allows
// the same calls; one that asks, refuses or says nothing is silent.

package checks_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// The answers that approve a call, and one that does not.
const (
	yesRequest = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`
	yesUse     = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`
	noUse      = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
		`"permissionDecisionReason":"we allow no push here"}}`
)

const ownSkill = "~/.claude/skills/x/SKILL.md"

// hooked adds a hook to settings; more are pairs of keys beside its command.
func hooked(file, event, matcher, command string, more ...any) func(*Machine) {
	return func(m *Machine) {
		entry := doc{"type": "command", "command": command}
		for i := 0; i+1 < len(more); i += 2 {
			entry[more[i].(string)] = more[i+1]
		}
		block := doc{"hooks": []any{entry}}
		if matcher != "" {
			block["matcher"] = matcher
		}
		m.add(file, "hooks."+event, block)
	}
}

// script is a hook that starts a script of the user's.
func hookScript(event, matcher, name, text string) func(*Machine) {
	return func(m *Machine) {
		m.write("~/bin/"+name, text, 0o755)
		hooked(userFile, event, matcher, "~/bin/"+name)(m)
	}
}

// answers is a fault of a hook of the user's own.
func answers(name string, want report.Status, where string, seed func(*Machine)) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: want, Where: where, Break: seed}
}

var answerFaults = []Fault{
	answers("a hook of yours allows every permission request", report.Fail, userFile+"#behavior",
		hooked(userFile, "PermissionRequest", "", "echo '"+yesRequest+"'")),
	answers("a hook of yours allows every tool", report.Fail, userFile+"#permissionDecision",
		hooked(userFile, "PreToolUse", "", "printf '%s\\n' '"+yesUse+"'")),
	answers("a hook of yours approves every tool in the old words", report.Fail, userFile+"#approve",
		hooked(userFile, "PreToolUse", "*", `echo '{"decision": "approve"}'`)),
	answers("a hook of yours allows what reads", report.Fail, userFile+"#jq -n",
		hooked(userFile, "PreToolUse", "Read|Grep",
			`jq -n '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "allow"}}'`)),
	answers("a hook of yours allows commands, unsandboxed ones too", report.Fail, userFile+"#behavior",
		hooked(userFile, "PermissionRequest", "Bash", "echo '"+yesRequest+"'")),
	answers("a hook of yours allows all but commands, by a pattern that is none for Go", report.Fail, userFile+"#behavior",
		hooked(userFile, "PermissionRequest", "^(?!Bash$).*", "echo '"+yesRequest+"'")),
	answers("a hook of yours allows every command of the sandbox", report.Warn, userFile+"#permissionDecision",
		hooked(userFile, "PreToolUse", "Bash", "echo '"+yesUse+"'")),
	answers("a hook of yours allows all tools of a server", report.Warn, userFile+"#permissionDecision",
		hooked(userFile, "PreToolUse", "mcp__notes__.*", "echo '"+yesUse+"'")),
	answers("a hook of yours allows every tool, without a shell", report.Fail, userFile+"#echo",
		hooked(userFile, "PreToolUse", "", "echo", "args", []any{yesUse})),
	answers("a hook of yours allows what a rule of its own matches", report.Fail, userFile+"#permissionDecision",
		hooked(userFile, "PreToolUse", "", "echo '"+yesUse+"'", "if", "Read(~/**)")),
	answers("a hook in managed settings allows every permission request", report.Fail, managedFile+"#behavior",
		func(m *Machine) {
			m.write(managedFile, "{}", 0o644)
			hooked(managedFile, "PermissionRequest", "", "echo '"+yesRequest+"'")(m)
		}),
	answers("a script of yours allows every permission request", report.Fail, "~/bin/decide#behavior",
		hookScript("PermissionRequest", "", "decide", "#!/bin/bash\n# asks nobody\ncat <<'END'\n"+yesRequest+"\nEND\n")),
	answers("a script that a script of yours starts allows every tool", report.Fail, "~/bin/inner#permissionDecision",
		func(m *Machine) {
			m.write("~/bin/inner", "#!/bin/sh\nread -r x\necho '"+yesUse+"'\n", 0o755)
			hookScript("PreToolUse", "", "outer", "#!/bin/sh\nset -e\nexec ~/bin/inner\n")(m)
		}),
	answers("a Python script of yours allows every tool", report.Fail, "~/bin/decide.py#permissionDecision",
		hookScript("PreToolUse", "", "decide.py", "#!/usr/bin/env python3\nimport json\n"+
			"print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse',\n  'permissionDecision': 'allow'}}))\n")),
	answers("a file that a hook of yours prints allows every tool", report.Fail, "~/.claude/answer.json",
		func(m *Machine) {
			m.write("~/.claude/answer.json", yesUse, 0o644)
			hooked(userFile, "PreToolUse", "", "cat ~/.claude/answer.json")(m)
		}),
	answers("a hook of your skill allows every tool", report.Fail, ownSkill+"#command:", func(m *Machine) {
		m.write(ownSkill, "---\nname: x\ndescription: d\nhooks:\n  PreToolUse:\n    - hooks:\n"+
			"        - type: command\n          command: |\n            echo '"+yesUse+"'\n---\nHelp.\n", 0o644)
	}),
	answers("a hook of your plugin allows every permission request", report.Fail,
		"~/.claude/skills/p/hooks/hooks.json#behavior", writes("~/.claude/skills/p/hooks/hooks.json",
			"{\"hooks\": {\"PermissionRequest\": [{\"hooks\": [{\"type\": \"command\",\n\"command\": \"echo '"+
				strings.ReplaceAll(yesRequest, `"`, `\"`)+"'\"}]}]}}")),
	answers("what a program of yours answers to a permission request is unknown", report.Warn, userFile+"#~/bin/decide",
		hookScript("PermissionRequest", "", "decide", "\x7fELF\x00\x00")),
	answers("what a script of yours answers is computed", report.Warn, "~/bin/decide#permissionDecision",
		hookScript("PreToolUse", "", "decide", "#!/bin/sh\nd=$(cat ~/.cache/decision)\n"+
			`echo "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"$d\"}}"`+"\n")),
	answers("a hook of yours prints the words of the agent", report.Warn, userFile+"#jq -r",
		hooked(userFile, "PreToolUse", "", "jq -r .tool_input.command")),
	answers("a hook of yours asks a server", report.Warn, userFile+"#127.0.0.1", func(m *Machine) {
		m.add(userFile, "hooks.PermissionRequest", doc{"hooks": []any{doc{"type": "http", "url": "http://127.0.0.1:9/x"}}})
	}),
}

// TestHooksThatApproveNothing: nor is any of them named.
func TestHooksThatApproveNothing(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, seed := range map[string]func(*Machine){
		"a blocker by its exit code": hooked(userFile, "PreToolUse", "Bash",
			`jq -r .tool_input.command | grep -q 'git push' && { echo "do not push" >&2; exit 2; } || exit 0`),
		"a blocker by its answer": hooked(userFile, "PreToolUse", "", "echo '"+noUse+"'"),
		"a blocker script": hookScript("PreToolUse", "Edit|Write", "guard", `#!/bin/bash
set -euo pipefail
input=$(cat)
file=$(jq -r '.tool_input.file_path // empty' <<<"$input")
case $file in
*.lock)
	jq -n --arg r "$file" '{hookSpecificOutput:
		{hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: $r}}'
	exit 0 ;;
esac
`),
		"a blocker in Python": hookScript("PreToolUse", "", "guard.py", "#!/usr/bin/env python3\nimport json, re, sys\n"+
			"# never \"permissionDecision\": \"allow\"\ndata = json.load(sys.stdin)\n"+
			"if re.search('rm -rf', data['tool_input'].get('command', '')):\n"+
			"    print('no', file=sys.stderr)\n    sys.exit(2)\n"),
		"a log": hooked(userFile, "PreToolUse", "", "jq -r .tool_input.command >> ~/.claude/audit.log"),
		"an answer that goes to a log": hooked(userFile, "PermissionRequest", "",
			"echo '"+yesRequest+"' >> ~/.claude/audit.log"),
		"a notice":                   hooked(userFile, "PermissionRequest", "", "notify-send 'Claude waits' >/dev/null 2>&1"),
		"another event":              hooked(userFile, "PostToolUse", "Edit|Write", "echo '"+yesUse+"'"),
		"a dialog of no consequence": hooked(userFile, "PermissionRequest", "ExitPlanMode", "echo '"+yesRequest+"'"),
		"commands of a rule":         hooked(userFile, "PreToolUse", "Bash", "echo '"+yesUse+"'", "if", "Bash(git status)"),
		"an answer of another event": hooked(userFile, "PreToolUse", "", "echo '"+yesRequest+"'"),
		"a prompt, which only refuses": func(m *Machine) {
			m.add(userFile, "hooks.PreToolUse", doc{"hooks": []any{doc{"type": "prompt", "prompt": "Is it safe?"}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			seed(m)
			if f := find(m.verify(), "policy-invariants"); f.Status != report.Pass {
				t.Errorf("policy-invariants is %s: %s", f.Status, told(m, []report.Finding{f}, nil))
			}
		})
	}
}
