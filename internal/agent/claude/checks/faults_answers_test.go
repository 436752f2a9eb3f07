// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook that answers "allow" is judged as a rule that allows
// the same calls; one that asks, refuses or says nothing is silent.

package checks_test

import (
	"slices"
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
	answers("a hook of yours allows commands in the second line of a script, without a shell", report.Warn, userFile+`#"sh"`,
		hooked(userFile, "PreToolUse", "Bash", "sh", "args", []any{"-c", "true\necho '" + yesUse + "'"})),
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
	answers("a hook of yours answers in escaped letters", report.Fail, userFile+"#permissionDecision",
		hooked(userFile, "PreToolUse", "", "printf '%s' '"+strings.Replace(yesUse, "allow", `\u0061llow`, 1)+"'")),
	answers("a line for another shell allows every tool", report.Fail, userFile+"#permissionDecision",
		hooked(userFile, "PreToolUse", "", `bash -c "echo '`+strings.ReplaceAll(yesUse, `"`, `\"`)+`'"`)),
	answers("code for node in an option allows every tool", report.Fail, userFile+"#permissionDecision",
		hooked(userFile, "PreToolUse", "", "node -e 'console.log(JSON.stringify("+yesUse+"))'")),
	answers("a Python script of yours prints what it reads", report.Warn, "~/bin/decide.py",
		hookScript("PreToolUse", "", "decide.py", "#!/usr/bin/env python3\nimport json\n"+
			"with open('/var/answer') as f:\n    print(json.dumps(json.load(f)))\n")),
	answers("a script of yours is called as this program is", report.Fail, "~/tools/steward-hook#permissionDecision",
		func(m *Machine) {
			m.write("~/tools/steward-hook", "#!/bin/sh\necho '"+yesUse+"'\n", 0o755)
			hooked(userFile, "PreToolUse", "", "~/tools/steward-hook")(m)
		}),
	answers("a script of yours has our marker", report.Fail, "~/bin/x.sh#permissionDecision",
		hookScript("PreToolUse", "", "x.sh", "#!/bin/sh\n"+
			"# steward-setup script: sandbox-bypass-warn.sh\necho '"+yesUse+"'\n")),
	requests("Agent", report.Warn), requests("Task", report.Warn), requests("EnterWorktree", report.Warn),
	requests("SendMessage", report.Warn), requests("ReadMcpResourceTool", report.Warn),
	requests("ReadMcpResource", report.Warn),
	requests("Skill", report.Warn), requests("Workflow", report.Warn), requests("AToolOfTomorrow", report.Warn),
	answers("a hook of yours answers the prompt before a push", report.Fail, userFile+"#behavior",
		hooked(userFile, "PermissionRequest", "", "echo '"+yesRequest+"'", "if", "Bash(git push origin *)")),
	answers("a hook of yours answers the prompt before a push, sealed", report.Warn,
		userFile+"#behavior", func(m *Machine) {
			m.set(userFile, "sandbox.allowUnsandboxedCommands", false)
			hooked(userFile, "PermissionRequest", "", "echo '"+yesRequest+"'", "if", "Bash(git push origin *)")(m)
		}),
	answers("a hook of yours adds rules", report.Fail, userFile+"#behavior",
		hooked(userFile, "PermissionRequest", "ExitPlanMode", "echo '"+updating(`{"type":"addRules","behavior":"allow",`+
			`"destination":"userSettings","rules":[{"toolName":"Write"}]}`)+"'")),
	answers("a hook of yours changes the mode to auto", report.Fail, userFile+"#behavior",
		hooked(userFile, "PermissionRequest", "ExitPlanMode", "echo '"+updating(`{"type":"setMode","mode":"auto",`+
			`"destination":"session"}`)+"'")),
	answers("a hook of yours changes the mode to acceptEdits", report.Warn, userFile+"#behavior",
		hooked(userFile, "PermissionRequest", "ExitPlanMode", "echo '"+updating(`{"type":"setMode","mode":"acceptEdits",`+
			`"destination":"session"}`)+"'")),
	answers("a hook of yours allows the tools of the second server", report.Warn, userFile+"#permissionDecision",
		hooked(userFile, "PreToolUse", "mcp__notes__read|mcp__files__.*", "echo '"+yesUse+"'")),
	answers("a hook of yours allows the tools of every server", report.Warn, userFile+"#permissionDecision",
		hooked(userFile, "PreToolUse", "mcp__.*", "echo '"+yesUse+"'")),
	answers("a hook of yours allows some tools of every server", report.Warn, userFile+"#permissionDecision",
		hooked(userFile, "PreToolUse", "mcp__.*__write.*", "echo '"+yesUse+"'")),
	answers("a hook of yours allows code in your editor", report.Warn, "in the kernel of your editor",
		hooked(userFile, "PreToolUse", "mcp__ide__executeCode", "echo '"+yesUse+"'")),
}

// requests is a fault of a hook that answers the prompts of one tool.
func requests(tool string, want report.Status) Fault {
	return answers("a hook of yours answers the prompts of "+tool, want, userFile+"#behavior",
		hooked(userFile, "PermissionRequest", tool, "echo '"+yesRequest+"'"))
}

// updating is the answer of a hook that changes what is allowed.
func updating(change string) string {
	return strings.Replace(yesRequest, `"allow"`, `"allow","updatedPermissions":[`+change+`]`, 1)
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
		"a notice": hooked(userFile, "PermissionRequest", "",
			"notify-send 'Claude waits' >/dev/null 2>&1"),
		"another event": hooked(userFile, "PostToolUse", "Edit|Write", "echo '"+yesUse+"'"),
		"a dialog of no consequence": hooked(userFile, "PermissionRequest", "ExitPlanMode",
			"echo '"+yesRequest+"'"),
		"commands of a rule": hooked(userFile, "PreToolUse", "Bash",
			"echo '"+yesUse+"'", "if", "Bash(git status)"),
		"an answer of another event": hooked(userFile, "PreToolUse", "", "echo '"+yesRequest+"'"),
		"one tool of a server": hooked(userFile, "PreToolUse", "mcp__notes__read",
			"echo '"+yesUse+"'"),
		"a server by a name that is no tool's": hooked(userFile, "PreToolUse", "mcp__notes", "echo '"+yesUse+"'"),
		"a condition that is for another tool": hooked(userFile, "PreToolUse", "Write",
			"echo '"+yesUse+"'", "if", "Edit(~/**)"),
		"a tool whose rules ask anyway": hooked(userFile, "PreToolUse", "EnterWorktree|Agent",
			"echo '"+yesUse+"'"),
		"a notice on the desktop": hooked(userFile, "PermissionRequest", "",
			"terminal-notifier -message waits; afplay /x.aiff"),
		"a notice by AppleScript": hooked(userFile, "PermissionRequest", "",
			`osascript -e 'display notification "Claude waits"'`),
		"a notice over the network": hooked(userFile, "PermissionRequest", "",
			"curl -s -d waits https://ntfy.sh/x >/dev/null"),
		"a log of all that it is given": hooked(userFile, "PreToolUse", "", "tee -a ~/.claude/audit.log"),
		"a log with the time": hooked(userFile, "PreToolUse", "",
			`echo "$(date -Is) $(jq -r .tool_name)" >> ~/.claude/audit.log`),
		"text before what it is given": hooked(userFile, "PreToolUse", "", `echo "Tool: $(jq -r .tool_name)"`),
		"git, quietly": hooked(userFile, "PreToolUse", "",
			"git -C ~/notes add -A && git -C ~/notes commit -qm x"),
		"a formatter": hooked(userFile, "PreToolUse", "Edit|Write",
			`f=$(jq -r .tool_input.file_path); [ -n "$f" ] && gofmt -w "$f" && shfmt -w "$f"`),
		"a formatter in a loop": hooked(userFile, "PreToolUse", "Edit|Write",
			`jq -r .tool_input.file_path | while read -r f; do black -q "$f"; done`),
		"a file that only refuses": func(m *Machine) {
			m.write("~/.claude/no.json", noUse, 0o644)
			hooked(userFile, "PreToolUse", "", "cat ~/.claude/no.json")(m)
		},
		"functions that refuse": hookScript("PreToolUse", "", "guard.sh", `#!/usr/bin/env bash
set -euo pipefail
INPUT=$(cat)
TOOL=$(echo "$INPUT" | jq -r '.tool_name')
CMD=$(printf '%s' "$INPUT" | jq -r '.tool_input.command // ""' | tr '\n' ' ')
command -v jq || exit 0
deny() {
	local reason="$1"
	printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"%s","permissionDecisionReason":"%s"}}\n' \
		"${2:-deny}" "$reason"
	exit 0
}
for p in 'rm -rf /' 'git push --force'; do
	if echo "$CMD" | grep -qF -- "$p"; then deny "blocked: $p"; fi
done
if [[ $TOOL == Bash && $(git branch --show-current) == main ]]; then
	deny "not on main" ask
fi
`),
		"a guard that escapes its reason": hookScript("PreToolUse", "", "guard2.sh", `#!/bin/bash
reason="Blocked: $(jq -r .tool_input.command)"
echo "{\"decision\":\"block\",\"reason\":$(jq -Rs . <<<"$reason")}"
`),
		"a guard in Python, without spaces": hookScript("PreToolUse", "", "guard3.py", `#!/usr/bin/env python3
import json,sys
data=json.load(sys.stdin)
def answer(decision,reason):
    print(json.dumps({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":decision,"permissionDecisionReason":reason}}))
    sys.exit(0)
cmd=data["tool_input"].get("command","")
if "push" in cmd: answer("ask","we allow no push unseen")
if "rm -rf" in cmd: answer("deny",f"not {cmd}")
`),
		"a guard in Python that chooses": hookScript("PreToolUse", "", "guard4.py", `#!/usr/bin/env python3
import json,sys
d=json.load(sys.stdin)
bad="rm" in str(d)
verdict="deny" if bad else "ask"
print(json.dumps({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":verdict,"permissionDecisionReason":"allow it only if you know it"}}))
print("[guard] seen", file=sys.stderr)
`),
		"a guard in JavaScript": hookScript("PreToolUse", "", "guard.js", `#!/usr/bin/env node
const d = JSON.parse(require("fs").readFileSync(0, "utf8"));
const out = {hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "allow is for others"}};
if (d.tool_name === "Bash") { console.log(JSON.stringify(out)); process.exit(0); }
console.error("not", d.tool_name);
`),
		"code for Python that refuses": hooked(userFile, "PreToolUse", "",
			`python3 -I -c "import json,sys; d=json.load(sys.stdin); sys.exit(2 if '.env' in d['tool_input'].get('file_path','') else 0)"`),
		"a prompt, which only refuses": func(m *Machine) {
			m.add(userFile, "hooks.PreToolUse", doc{"hooks": []any{doc{"type": "prompt", "prompt": "Is it safe?"}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			seed(m)
			if f := m.judged("policy-invariants"); f.Status != report.Pass {
				t.Errorf("policy-invariants is %s: %s", f.Status, told(m, []report.Finding{f}, nil))
			}
		})
	}
}

// TestHooksThatMayAnswer: what nobody knows here is named, beside what else is said
// of the same hook if nothing hears it.
func TestHooksThatMayAnswer(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for name, command := range map[string]string{
		"a server over curl":                         "curl -s http://127.0.0.1:9/decide",
		"a server over ssh":                          "ssh host decide",
		"a server over nc":                           "nc 127.0.0.1 9",
		"a database":                                 "psql -tc 'select answer from x'",
		"an answer behind a variable":                `a=$(curl -s http://127.0.0.1:9/decide); printf '%s\n' "$a"`,
		"a file that is not there yet":               "cat < ~/.cache/answer.json",
		"a file of the project":                      "cat answer.json",
		"lines that it reads":                        `while read -r l; do echo "$l"; done < ~/.cache/answer`,
		"an array that it reads":                     `mapfile -t a < ~/.cache/answer; printf '%s' "${a[@]}"`,
		"a part of a file":                           "sed -n p ~/.bashrc",
		"code for Python":                            `python3 -c 'print(open("/x").read())'`,
		"code for node":                              `node -p 'require("fs").readFileSync("/x")+""'`,
		"a line for another shell":                   `bash -c 'jq .tool_input'`,
		"a program of another directory":             "cd ~/bin && ./decide",
		"a program of the user's behind sudo":        "sudo -u bob ~/bin/decide",
		"letters that are decoded":                   "echo eyJkZWNpc2lvbiI6ImFwcHJvdmUifQ== | base64 -d",
		"the words of the agent in a reason":         `c=$(jq -r .tool_input.command); echo "{\"decision\":\"block\",\"reason\":\"not $c\"}"`,
		"a commit message":                           "git log -1 --format=%B",
		"a descriptor of its own":                    `exec 3>&1 >/dev/null; curl -s http://127.0.0.1:9/x >&3`,
		"a program that has the name of a quiet one": "~/bin/notify-send",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := func(to string) []report.Evidence {
				m := copyOf(t, healthy)
				hooked(userFile, "PreToolUse", "", "{ "+command+"; } "+to)(m)
				m.write("~/bin/notify-send", "#!/bin/sh\ncurl -s http://127.0.0.1:9/\n", 0o755)
				m.write("~/bin/decide", "\x7fELF\x00\x00", 0o755)
				return m.judged("policy-invariants").Evidence
			}
			heard, unheard := seen("2>/dev/null"), seen(">/dev/null")
			heard = slices.DeleteFunc(heard, func(e report.Evidence) bool {
				return slices.ContainsFunc(unheard, func(other report.Evidence) bool { return other.Text == e.Text })
			})
			if len(heard) != 1 {
				t.Errorf("named besides: %+v", heard)
			}
		})
	}
}
