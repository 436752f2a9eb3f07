// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a variable, a default or a directory with which a program
// of the user's own is started leads out of the sandbox like its command.

package checks_test

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// withEnv is a server of the user's own that is given a variable.
func withEnv(name, value string, want report.Status) Fault {
	return server(name+" is "+value, `"command": "uvx", "env": {"`+name+`": "`+value+`"}`, want)
}

// startedFaults are faults of what programs of the user's own are started with.
var startedFaults = slices.Concat([]Fault{
	server("found on a PATH of its own", `"command": "notes", "env": {"PATH": "./node_modules/.bin:/usr/bin:/bin"}`,
		report.Fail),
	server("a PATH of its own whose end is the project's",
		`"command": "notes", "env": {"PATH": "/usr/bin:/bin:HOME/code/tracker/bin"}`, report.Fail),
	server("a PATH with an empty entry in front",
		`"command": "/usr/bin/env", "args": ["true"], "env": {"PATH": ":/usr/bin:/bin"}`, report.Fail),
	server("a PATH with a default", `"command": "notes", "env": {"PATH": "${NOTES_BIN:-tools}:${PATH}"}`, report.Fail),
	server("a default of its command", `"command": "${NOTES:-./tools/x}"`, report.Fail),
	server("a default of an argument", `"command": "node", "args": ["${NOTES:-tools/x}"]`, report.Fail),
	server("a helper for headers", `"type": "http", "url": "https://mcp.example.org/", "headersHelper": "tools/x"`,
		report.Fail),
	server("a path that is relative to a working directory of its own",
		`"command": "./x", "cwd": "HOME/code/tracker/tools"`, report.Fail),
	withEnv("LD_PRELOAD", "./x.so", report.Fail),
	withEnv("NODE_OPTIONS", "--require ./n.js", report.Fail),
	withEnv("NODE_OPTIONS", "--import=notes", report.Fail),
	withEnv("BASH_ENV", "env.sh", report.Fail),
	withEnv("PYTHONPATH", "src", report.Fail),
	withEnv("CLASSPATH", "build/classes", report.Fail),
	withEnv("UV_CONFIG_FILE", "./uv.toml", report.Fail),
	withEnv("GIT_EXEC_PATH", "HOME/code/tracker", report.Fail),
	withEnv("SSL_CERT_FILE", "./ca.pem", report.Warn),
	withEnv("NODE_OPTIONS", "${NOTES_OPTIONS}", report.Unknown),
}, []Fault{
	ownFault("your agent starts a server with a PATH in the project", "~/.claude/agents/x.md#PATH:",
		writes("~/.claude/agents/x.md", "---\nname: x\ndescription: d\nmcpServers:\n  - notes:\n      command: notes\n"+
			"      env:\n        PATH: PROJECT/bin:/usr/bin\n---\nHelp.\n")),
	ownFault("your plugin starts a server with code of the project", "~/.claude/skills/p/.mcp.json#\"LD_PRELOAD",
		writes("~/.claude/skills/p/.mcp.json", "{\"notes\": {\n\"command\": \"uvx\",\n\"env\": {\"A\": \"b\",\n"+
			"\"LD_PRELOAD\": \"PROJECT/x.so\"}}}")),
	ownFault("your plugin starts a language server with code of the project", "~/.claude/skills/p/.lsp.json#\"NODE_PATH",
		writes("~/.claude/skills/p/.lsp.json",
			"{\"notes\": {\n\"command\": \"uvx\",\n\"env\": {\n\"NODE_PATH\": \"lib\"}}}")),
	{Name: "an MCP server that you have reviewed is given code of the project", Breaks: "mcp-servers", Want: report.Fail,
		Voids: true, Where: `~/.claude.json#"x"`,
		Break: func(m *Machine) {
			withEnv("LD_PRELOAD", "./x.so", report.Fail).Break(m)
			m.install(report.Answers{"mcp-reviewed": {"yes"}})
		}},
})

// ordinaryServers are given variables that load nothing of the project's.
var ordinaryServers = on(func(s *setup) {
	s.after = func(m *Machine) {
		m.write("~/.claude.json", strings.ReplaceAll(`{"mcpServers": {
  "a": {"command": "uvx", "args": ["notes", "${NOTES_LEVEL:-info}"], "env": {"NOTES_DIR": "HOME/code/tracker/notes", "DB": "./notes.db", "TOKEN": "${NOTES_TOKEN}", "ENV": "production",
    "NODE_OPTIONS": "--max-old-space-size=4096 --no-warnings", "PYTHONUNBUFFERED": "1", "SHELL": "bash", "EDITOR": "code --wait", "NODE_ENV": "production"}},
  "b": {"command": "uvx", "env": {"PATH": "/usr/local/bin:/usr/bin:/bin:${PATH}", "PYTHONPATH": "/opt/notes", "JAVA_HOME": "/opt/java", "HTTPS_PROXY": "http://proxy.example:3128"}},
  "c": {"command": "cat", "env": {"PATH": "/usr/bin:/bin:HOME/code/tracker/node_modules/.bin", "GIT_WORK_TREE": "HOME/code/tracker"}}}}`, "HOME", m.Home), 0o600)
	}
})

// unclearHook is a hook of the user's own that starts a program of which
// nothing is known.
func unclearHook(command string) Fault {
	f := startsFault(command)
	f.Want, f.Voids = report.Warn, false
	return f
}

// besideScript is a hook's script that starts another one beside itself, which runs a file of the project.
func besideScript(how, text string) Fault {
	return Fault{Name: "a hook's script starts another beside itself: " + how, Breaks: "policy-invariants",
		Want: report.Fail, Voids: true, Where: "~/bin/more.sh#tools/x",
		Break: func(m *Machine) {
			m.write("~/bin/more.sh", "#!/bin/bash\n\"$CLAUDE_PROJECT_DIR\"/tools/x\n", 0o755)
			hookScript("Stop", "", "x", "#!/bin/bash\n"+text+"\n")(m)
		}}
}

// hookFaults are hooks that take code from the project by what they do not name.
var hookFaults = slices.Concat(
	[]Fault{besideScript("dirname", `exec "$(dirname "$0")/more.sh"`), besideScript("expansion", `. "${0%/*}/more.sh"`),
		besideScript("cd and pwd", `D="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"`+"\n"+`"$D/more.sh"`)},
	each(startsFault, "tar czf ~/backup/p.tgz *", "run-parts tools", "ant -q", "mage", "rspec",
		"sqlite3 :memory: < tools/x",
		"psql < tools/x", "gradlew test", "prisma generate", "nodemon"),
	each(startsFault, "cp tools/x ~/.local/bin/x", "install -m 755 tools/x ~/.local/bin/",
		"ln -sf $PWD/tools/x ~/.local/bin/x",
		"mv tools/x ~/.config/autostart/", "rsync -a tools/ ~/bin/",
		"cat tools/x >> ~/.bashrc", "jq -r .x | tee ~/.profile", "cp -t ~/.claude/scripts tools/*",
		"tar xzf dist.tgz -C ~/.local/bin", "unzip -o dist.zip -d ~/.local/bin",
		"git -C ~ apply $PWD/x.diff",
		"cp tools/x ~/.config/systemd/user/x.service", "jq -r .x > ~/.claude/settings.json",
		`git config --global core.hooksPath "$CLAUDE_PROJECT_DIR/tools"`),
	each(unclearHook, "frobnicate --check", "vim -es -c q", "golangci-lint run", "cd tools && frobnicate"),
	each(unresolved, "watchexec make", "strace ./x", "jq -r .x | entr ./x"))

// quietHooks run nothing of the project, and no program that is unknown.
var quietHooks = hookOf(
	"tar czf ~/backup/p.tgz -C \"$CLAUDE_PROJECT_DIR\" .", "tar czf ~/backup/p.tgz -- *", "rm -f *.tmp",
	"cp *.md ~/notes/",
	`osascript -e 'display notification "done" with title "Claude"'`, "say done", "paplay /usr/share/sounds/done.oga",
	"terminal-notifier -message done", "tmux display-message done",
	"curl -s -d done https://ntfy.example.org/x", "~/bin/mytool --quiet", "/opt/tools/prettier-lint \"$1\"",
	"cd / && frobnicate", "printf '\\a' > /dev/tty",
	"sqlite3 ~/log.db \"insert into t values (1)\"", "jq -c . >> ~/.claude/log.jsonl", "date >> ~/log.txt",
	"logger -t claude done", "hyprctl notify 1 2000 0 done",
	"cp tools/x ~/backup/x", "cp /opt/x ~/.local/bin/x", "echo 'alias ll=ls' >> ~/.bashrc", "jq -r .x | tee -a ~/log.txt",
	"rsync -a \"$CLAUDE_PROJECT_DIR/\" ~/backup/", "cp ~/.bashrc ~/.bashrc.old",
	"git config --global user.name Ada", "jq . > /dev/null 2>&1")
