// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook of the user's own that writes or prints a file which
// commands can replace by a symlink is named, whatever writes or prints it.

package checks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// makesFile is a hook that makes a file in the project, or writes fixed text
// there.
func makesFile(command string) Fault {
	f := startsFault(command)
	f.Want, f.Voids = report.Warn, false
	return f
}

// tellsModel is a hook whose output goes to the model.
func tellsModel(event, command string) Fault {
	return Fault{Name: "a " + event + " hook of the user's own: " + command, Breaks: "policy-invariants",
		Want: report.Warn, Where: userFile + "#\"" + event + "\"#command",
		Break: func(m *Machine) {
			m.add(userFile, "hooks."+event, map[string]any{"hooks": []any{map[string]any{"type": "command",
				"command": command}}})
		}}
}

// scriptTells is a script of the user's own, started by a hook, whose output goes to the model.
func scriptTells(event, name, script string) Fault {
	return Fault{Name: "a " + event + " hook starts a script that " + name, Breaks: "policy-invariants", Want: report.Warn,
		Where: "~/bin/told.sh#NOTES.md", Break: func(m *Machine) {
			m.write("~/bin/told.sh", "#!/bin/sh\n"+script+"\n", 0o755)
			m.add(userFile, "hooks."+event, map[string]any{"hooks": []any{map[string]any{"type": "command",
				"command": "~/bin/told.sh"}}})
		}}
}

// codeStarts is a script of the user's own in another language, which a hook starts.
func codeStarts(name, what, call string) Fault {
	return Fault{Name: "a PostToolUse hook starts a script, " + name + ", that starts " + what,
		Breaks: "policy-invariants", Want: report.Warn, Where: "~/bin/" + name + "#" + call, Break: func(m *Machine) {
			m.write("~/bin/"+name, "// or #\n"+call+"\n", 0o755)
			m.add(userFile, "hooks.PostToolUse", map[string]any{"hooks": []any{map[string]any{"type": "command",
				"command": map[bool]string{true: "python3 ", false: "node "}[name[len(name)-1] == 'y'] + "~/bin/" + name}}})
		}}
}

// unnamed is a script of the user's own whose first line names no program.
func unnamed(command, text string) Fault {
	return Fault{Name: "a PostToolUse hook starts a script without a first line: " + command, Breaks: "policy-invariants",
		Want: report.Fail, Voids: true, Where: "~/bin/unnamed#npm", Break: func(m *Machine) {
			m.write("~/bin/unnamed", text, 0o755)
			m.add(userFile, "hooks.PostToolUse", map[string]any{"hooks": []any{map[string]any{"type": "command",
				"command": command}}})
		}}
}

// hookWriteFaults are hooks that write to, or tell the model of, a path that
// commands can replace by a symlink.
var hookWriteFaults = slices.Concat(
	each(startsFault, `jq -r .tool_input.command >> "$CLAUDE_PROJECT_DIR/commands.log"`, "jq -r .x | tee -a build.log",
		"jq -c . >> logs/audit.jsonl", "> x", "cp ~/x build/",
		`sed -i 's/a/b/' notes.txt`, `sed -Ei 's/a/b/' notes.txt`, "dd of=out.bin",
		"curl -s -o out.json https://example.org/x", `jq . > "$CLAUDE_PROJECT_DIR/logs/$(date +%F).jsonl"`,
		`echo "$(jq -r .x)" >> log.txt`, "sort -o list.txt ~/list.txt", "{ jq .x; date; } &> logs/x", "jq . | sponge x.json",
		"tar czf logs.tgz ~/.claude/logs", "tar --create --file=logs.tar ~/x", "tar -c -f logs.tar ~/x",
		"zip -r logs.zip ~/x", "split ~/log part", "split ~/log",
		"patch notes.txt ~/x.diff", "gpg --batch -o x.gpg -e ~/x", "openssl rand -out seed 8", "script -qc date session.log",
		"uniq ~/x list.txt", "gzip -f build.log", `d="$CLAUDE_PROJECT_DIR"; jq . >> "$d/x.log"`),
	each(makesFile, "touch .stamp", "mkdir -p build/logs", "date >> times.log", "echo done > state.txt",
		"chmod 600 notes.txt"),
	[]Fault{
		unnamed("bash ~/bin/unnamed", "npm run lint\n"),
		unnamed("~/bin/unnamed", "# mine\nnpm run lint\n"),
		unnamed(". ~/bin/unnamed", "cd \"$CLAUDE_PROJECT_DIR\"\nnpm run lint\n"),
		codeStarts("lint.py", "npm run lint", `subprocess.run(["npm", "run", "lint"])`),
		codeStarts("fmt.js", "npx prettier", `require('child_process').execSync('npx prettier --write .')`),
		codeStarts("own.py", "a file of the project", `os.system(f"{os.environ['CLAUDE_PROJECT_DIR']}/x")`),
		tellsModel("SessionStart", "cat CONTEXT.md"),
		tellsModel("SessionStart", `head -n 50 "$CLAUDE_PROJECT_DIR/NOTES.md"`),
		tellsModel("SessionStart", `echo "Notes: $(cat docs/notes.md 2>/dev/null)"`),
		tellsModel("UserPromptSubmit", "sed -n 1,20p NOTES.md"),
		tellsModel("UserPromptSubmit", "grep -n FIXED README.md | head"),
		tellsModel("UserPromptSubmit", "jq -r .version < package.json"),
		tellsModel("SessionStart", `echo "Notes: $(<NOTES.md)"`),
		tellsModel("SessionStart", `while read -r line; do echo "$line"; done < NOTES.md`),
		tellsModel("UserPromptSubmit", `read -r branch < .branch.txt; echo "on $branch"`),
		tellsModel("UserPromptExpansion", "cat CONTEXT.md"),
		tellsModel("PreCompact", "cat CONTEXT.md"),
		tellsModel("Stop", "cat NOTES.md >&2; exit 2"),
		tellsModel("SubagentStart", `jq -n --rawfile c NOTES.md '{hookSpecificOutput: {additionalContext: $c}}'`),
		tellsModel("Stop", `jq -n --rawfile r NOTES.md '{decision: "block", reason: $r}'`),
		tellsModel("PreSkillShellCommand", `jq -n --rawfile r NOTES.md '{hookSpecificOutput: {hookEventName: "PreSkillShellCommand",
permissionDecision: "deny", permissionDecisionReason: $r}}'`),
		tellsModel("Stop", "cat < NOTES.md 3>/dev/null >&2; exit 2"),
		scriptTells("Stop", "refuses with a file of the project", "cat NOTES.md >&2\nexit 2"),
		scriptTells("PostToolUse", "has a context", `c=$(head NOTES.md) > /dev/null
jq -n --arg c "$c" '{hookSpecificOutput: {hookEventName: "PostToolUse", additionalContext: $c}}'`),
		tellsModel("SessionStart", `mapfile -t lines < NOTES.md; printf '%s\n' "${lines[@]}"`),
	})

// hooksOutside write and print files that no command can replace, or that the
// hook is given.
var hooksOutside = on(func(s *setup) {
	s.after = func(m *Machine) {
		for _, command := range []string{"jq -c . >> ~/.claude/audit.jsonl", "jq . > ~/logs/$(date +%F).json",
			`f=$(jq -r .x); gofmt -w "$f"; sed -i 's/a/b/' "$f"; prettier --no-config --write "$f"`,
			"jq . > /dev/null 2> /dev/stderr", "tar tzf ~/x.tgz", "tar xzf ~/x.tgz -C ~/logs", "tar czf ~/logs/x.tgz ~/notes",
			"gzip -c README.md > ~/logs/x.gz", "uniq README.md", "openssl rand 8", "jq . >&2",
			"curl -s -o /dev/null https://example.org/x", "touch ~/.claude/stamp", "mkdir -p ~/logs",
			"rsync -a tools/ host:backup/", "cat NOTES.md; exit 1",
			"if grep -Fq locked NOTES.md; then echo locked >&2; exit 2; fi",
			`jq . > "$UNKNOWN"`, "jq . > ~/.claude/log-$(date +%F).jsonl"} {
			m.userHook(command)
		}
		for _, event := range []string{"SessionStart", "UserPromptSubmit"} {
			for _, command := range []string{"cat ~/notes.md", `echo "$(<~/notes.md)"`,
				"while read -r l; do echo $l; done < ~/notes.md", "head -n 50 ~/notes.md", "date", "jq -r .prompt", "echo hello",
				"grep -q FIXED NOTES.md && echo fixed",
				"cat NOTES.md > /dev/null && echo there", "{ head NOTES.md; tail NOTES.md; } >> ~/logs/notes.log",
				"git branch --show-current"} {
				m.add(userFile, "hooks."+event, map[string]any{"hooks": []any{map[string]any{"type": "command",
					"command": command}}})
			}
		}
	}
})

// What is named is what the hook writes, a directory too.
func TestTheRemedyNamesWhereAHookWrites(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, usualSetup)
	m.userHook("tar xf tools/x.tar -C ~/.config/autostart")
	f := m.judged("policy-invariants")
	want := "do not write to " + m.Home + "/.config/autostart in a hook"
	if !slices.ContainsFunc(f.Remedies, func(r report.Remedy) bool {
		l, is := r.(report.DocLink)
		return is && strings.HasPrefix(l.Title, want)
	}) {
		t.Errorf("%s: %+v", f.Summary, f.Remedies)
	}
}
