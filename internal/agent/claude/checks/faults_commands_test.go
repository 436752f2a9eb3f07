// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command of the user's own that starts what the project
// holds is an escape in both launches, however it is written; one that nobody
// can resolve is unknown.

package checks_test

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// hookOf is a machine whose user has a hook.
func hookOf(commands ...string) setup {
	return on(func(s *setup) {
		s.after = func(m *Machine) {
			m.write("~/.claude/scripts/note.sh", "#!/bin/sh\ncd \"$(dirname \"$0\")\" || exit\n"+
				"jq -r .x | while read -r l; do ./part \"$l\" \"$1\"; done\nprintf '%s\\n' \"$@\"\n", 0o755)
			m.write("~/.claude/scripts/note.py", "import json\n", 0o644)
			for _, command := range commands {
				m.userHook(command)
			}
		}
	})
}

func (m *Machine) userHook(command string) {
	m.add(userFile, "hooks.Stop", map[string]any{"hooks": []any{map[string]any{"type": "command", "command": command}}})
}

// ordinaryHooks run nothing of the project, however long they are.
var ordinaryHooks = hookOf(
	"jq -r '.tool_input.command' >> ~/log.txt",
	`f=$(jq -r .tool_input.file_path); case "$f" in *.go) gofmt -w "$f";; *.py) black -q "$f";; esac`,
	`jq -r .tool_input.file_path | { read f; if echo "$f" | grep -q 'x$'; then shfmt -w "$f"; fi; }`,
	"notify-send 'Claude Code' done",
	"~/.claude/scripts/note.sh --quiet",
	`"$HOME/.claude/scripts/note.sh" "$CLAUDE_PROJECT_DIR"`,
	"python3 ~/.claude/scripts/note.py",
	`python3 -I -c "import json, sys; print(json.load(sys.stdin))"`,
	"[ -x ~/.claude/scripts/note.sh ] && ~/.claude/scripts/note.sh",
	`cd ~/.claude/scripts && ./note.sh`,
	"uvx ruff@0.9.1 check",
	`GIT_COMMON_DIR="$CLAUDE_PROJECT_DIR/.git" git -C "$CLAUDE_PROJECT_DIR" status --short --ignore-submodules | wc -l`,
	"git branch --show-current",
	"less README.md",
)

// startsFault is a hook of the user's own that starts what the project holds.
func startsFault(command string) Fault {
	return Fault{Name: "a hook of the user's own: " + command, Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: userFile + "#\"Stop\"#command",
		Break: func(m *Machine) {
			m.write("~/code/tracker/tools/x", "#!/bin/sh\n", 0o755)
			m.userHook(command)
		}}
}

// unresolved is one of which nobody knows what it starts.
func unresolved(command string) Fault {
	f := startsFault(command)
	f.Want, f.Voids = report.Unknown, false
	return f
}

// server is an MCP server of the user's own.
func server(name, command string, want report.Status) Fault {
	return Fault{Name: "an MCP server of the user's own: " + name, Breaks: "mcp-servers", Want: want,
		Voids: want == report.Fail, Where: `~/.claude.json#"x"`,
		Break: func(m *Machine) {
			m.write("~/code/tracker/tools/x", "#!/bin/sh\n", 0o755)
			m.write("~/.claude.json", "{\n  \"mcpServers\": {\n    \"x\": {"+strings.ReplaceAll(command, "HOME", m.Home)+
				"}\n  }\n}\n", 0o600)
		}}
}

// serving is a server that is the runtime itself.
func serving(command string) Fault {
	f := server("claude mcp serve", command, report.Warn)
	f.Where = "starts mcp serve"
	return f
}

var commandFaults = slices.Concat(each(startsFault,
	"npx prettier --write .", "npx -y prettier@3.3.3 --write .", "npm run lint", "yarn lint", "pnpm lint", "make fmt",
	"just fmt", "cargo run", "go run ./tools",
	"uv run lint", "poetry run lint", "cd tools && ./x", `"$(git rev-parse --show-toplevel)/tools/x"`,
	"for s in x; do tools/$s; done", "test -x tools/x && tools/x",
	"[ -f tools/x ] && . tools/x", "source tools/x", "bash tools/x", "bash -c 'cd tools && ./x'", "env A=b tools/x",
	"exec tools/x", "pipx install .", "uv tool install .", "go install ./...", "gh extension install .",
	"gem install ./x.gem", "/lib64/ld-linux-x86-64.so.2 tools/x", "timeout 5 tools/x", "ls | xargs tools/x",
	"python3 -m tools", `python3 -c "import json"`, "python3 tools/x", "node tools/x", "bash < tools/x",
	"PATH=$PWD/tools:$PATH x", `"${CLAUDE_PROJECT_DIR:-.}"/tools/x`,
	"f() { tools/x; }; f", "echo $(tools/x)", "pytest -q", "cd /nowhere; tools/x"),
	each(unresolved, `"$TOOL"`, "cat tools/x | sh", `eval "$X"`, `cd "$X" && ./x`, `bash -c "$X"`,
		". ~/.nvm/nvm.sh && npm run lint",
		"jq -r .tool_input.command | sqlite3 ~/log.db", "jq -r .tool_input.file_path | xargs env",
		"n=$(cat .counter); echo $((n+1))", "n=$(jq -r .version package.json); [[ $n -gt 3 ]] && echo old",
		`F=$(jq -r .tool_input.file_path); tar czf ~/b.tgz "$F"`, `M=$(jq -r .message); swaymsg "nop $M"`,
		"swaymsg exec tools/x",
		"gum spin -- tools/x", "X=$(jq -r .cwd); sed -i \"1s|.*|$X|\" ~/t.txt",
		`F=$(jq -r .tool_input.file_path); jq -r .tool_input.content > "$HOME/backup/$F"`),
	each(startsFault, "jq -r .tool_input.command >> ~/.ssh/config", "pee tools/x"),
	[]Fault{
		{Name: "a script of the user's own that a hook calls runs npx", Breaks: "policy-invariants", Want: report.Fail,
			Voids: true, Where: "~/.claude/scripts/fmt.sh#npx",
			Break: func(m *Machine) {
				m.write("~/.claude/scripts/fmt.sh", "#!/usr/bin/env bash\nset -eu\nf=$(jq -r .tool_input.file_path)\n"+
					"[ -n \"$f\" ] || exit 0\nnpx prettier --write \"$f\"\n", 0o755)
				m.userHook("~/.claude/scripts/fmt.sh")
			}},
		{Name: "a script of the user's own that a hook calls runs what data names", Breaks: "policy-invariants",
			Want: report.Unknown, Where: "~/.claude/scripts/tool.sh#$tool",
			Break: func(m *Machine) {
				m.write("~/.claude/scripts/tool.sh", "#!/bin/sh\ntool=$(jq -r .tool_input.tool)\nJQ=$(command -v jq)\n"+
					"here=$(cd \"$(dirname \"$0\")\" && pwd)\n\"$JQ\" . ~/x\n\"$1\" x\n\"$here/lib\"\n\"$tool\" --version\n", 0o755)
				m.userHook("~/.claude/scripts/tool.sh")
			}},
		serving(`"command": "/usr/local/bin/claude", "args": ["mcp", "--debug", "serve"]`),
		server("npx", `"command": "npx", "args": ["-y", "notes@1.2.3"]`, report.Fail),
		server("a file of the project", `"command": "node", "args": ["HOME/code/tracker/tools/x"]`, report.Fail),
		server("python3 -m", `"command": "python3", "args": ["-m", "notes"]`, report.Fail),
		server("uv in the project", `"command": "uv", "args": ["--directory", "HOME/code/tracker", "run", "notes"]`,
			report.Fail),
		server("a relative path", `"command": "./tools/x"`, report.Fail),
		server("a shell", `"command": "sh", "args": ["-c", "cd tools && ./x"]`, report.Fail),
		server("a command that is not resolved", `"command": "bash", "args": ["-c", "$NOTES"]`, report.Unknown),
		{Name: "commands can change a hook of the project's that the user has approved", On: &approvedHook,
			Breaks: "project-code", Want: report.Fail,
			Where: projectFile + `#"./tools/format.sh`,
			Break: func(m *Machine) {
				m.set(projectFile, "sandbox.filesystem.denyWrite", []any{"./.claude"})
			}},
	})

func each(fault func(string) Fault, commands ...string) (list []Fault) {
	for _, command := range commands {
		list = append(list, fault(command))
	}
	return list
}
