// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a variable that means something to the runtime alone is judged
// the same in the shell, in its start files and in "env" of the user's settings.
// What puts other settings or rules in force protects nobody.

package checks_test

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

const (
	cowork = "CLAUDE_CODE_USE_COWORK_PLUGINS"
	// replaced is a rule set of the environment that opens the home.
	replaced = `{"allow":["Read(//**)"],"deny":[],"addDirs":["HOME"]}`
)

// meansTo is a variable of the shell that only the runtime reads.
func meansTo(name, value string, want report.Status) Fault {
	f := exports(name, value, want)
	f.Break = func(m *Machine) { m.Env[name] = strings.ReplaceAll(value, "HOME", m.Home) }
	return f
}

// otherUser are the checks that look at the user's own settings, which are not in
// force.
func otherUser(f Fault) Fault {
	f.Also = effects{"effective-sandbox": {report.Fail, "the settings in force are others than the user's"},
		"user-wiring": {report.Fail, "nothing is wired in the file that is in force"}}
	return f
}

// inState is a variable that the runtime's state sets.
func inState(name, value string) Fault {
	return Fault{Name: "the runtime's state sets " + name, Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: "~/.claude.json#" + name,
		Break: func(m *Machine) { m.set("~/.claude.json", "env."+name, value) }}
}

// onUser is a machine whose policy stands in the user's settings only: no sandbox is
// in force, in either launch.
func onUser(name string) Fault {
	f := otherUser(setsEnv(name, "1"))
	f.On, f.Breaks, f.Name = &wholeUser, "effective-sandbox", f.Name+", where the policy stands there"
	delete(f.Also, "effective-sandbox")
	f.Also["policy-invariants"], f.Also["project-settings"] = isOpen, noPolicy
	return f
}

var replacedFaults = []Fault{
	otherUser(meansTo(cowork, "1", report.Fail)),
	otherUser(setsEnv(cowork, "yes")),
	otherUser(inState(cowork, "true")),
	onUser(cowork),
	{Name: "the hooks are wired in a settings file that is not in force", Breaks: "user-wiring", Want: report.Fail,
		Where: "~/.claude/cowork_settings.json there is no status line", Voids: true,
		Also: effects{"effective-sandbox": {report.Fail, "the settings in force are others than the user's"},
			"policy-invariants": isOpen},
		Break: func(m *Machine) {
			m.Env[cowork] = "1"
			m.write("~/.claude/cowork_settings.json", `{"model": "opus"}`, 0o644)
		}},
	meansTo("CLAUDE_BG_SESSION_PERMISSION_RULES", replaced, report.Fail),
	{Name: "the shell holds permission rules and starts sessions of the background", Breaks: "effective-sandbox",
		Want: report.Fail, Voids: true, Where: "CLAUDE_BG_SESSION_PERMISSION_RULES",
		Also: effects{"policy-invariants": isOpen},
		Break: func(m *Machine) {
			m.Env["CLAUDE_CODE_SESSION_KIND"] = "bg"
			m.Env["CLAUDE_BG_SESSION_PERMISSION_RULES"] = strings.ReplaceAll(replaced, "HOME", m.Home)
		}},
	meansTo("CLAUDE_CODE_SESSION_KIND", "bg", report.Warn),
	meansTo("CLAUDE_CODE_SIMPLE", "1", report.Warn),
	meansTo("CLAUDE_CODE_SAFE_MODE", "1", report.Warn),
	meansTo("CLAUDE_CODE_DISABLE_REDIRECT_DENY_RECHECK", "1", report.Warn),
	meansTo("CLAUDE_CODE_REMOTE_SETTINGS_PATH", "/srv/settings.json", report.Fail),
	meansTo("CLAUDE_CODE_NEW_THING", "1", report.Unknown),
	meansTo("CLAUDE_RELAUNCH_SESSION_ADD_DIRS", "HOME", report.Unknown),
	rcFault("an rc file exports a variable that exchanges the settings", "~/.bashrc", "export "+cowork+"=1", "",
		report.Fail),
	rcFault("an rc file exports permission rules", "~/.bashrc", `export CLAUDE_BG_SESSION_PERMISSION_RULES='`+replaced+`'`,
		"", report.Fail),
	rcFault("an rc file exports a variable of Claude Code that nobody documents", "~/.bashrc",
		"export CLAUDE_CODE_NEW_THING=1", "", report.Unknown),
	rcFault("an rc file moves the notes of the model to the home", "~/.bashrc",
		`export CLAUDE_COWORK_MEMORY_PATH_OVERRIDE="$HOME"`, "", report.Fail),
	inShell(&fishSetup, rcFault("fish exports a variable that exchanges the settings", "~/.config/fish/config.fish",
		"set -gx "+cowork+" 1", "", report.Fail)),
}

// usualOfRuntime are variables of the runtime as people, editors and the agent itself
// set them.
const usualOfRuntime = `
CLAUDE_CODE_MAX_OUTPUT_TOKENS=32000
DISABLE_TELEMETRY=1
CLAUDE_CODE_USE_BEDROCK=1
CLAUDE_CODE_USE_VERTEX=1
CLAUDE_CODE_SKIP_BEDROCK_AUTH=1
ANTHROPIC_API_KEY=sk-ant-x
ANTHROPIC_ADMIN_API_KEY=sk-ant-admin-x
ANTHROPIC_BASE_URL=https://gateway.example.com
ANTHROPIC_VERTEX_PROJECT_ID=x
ANTHROPIC_MODEL=opus
CLAUDE_CODE_OAUTH_TOKEN=x
CLAUDE_CODE_SSE_PORT=41234
CLAUDE_API_KEY=x
CLAUDE_MODEL=opus
ENABLE_IDE_INTEGRATION=true
CLAUDECODE=1
CLAUDE_CODE_ENTRYPOINT=cli
CLAUDE_CODE_EXECPATH=/usr/local/bin/claude
CLAUDE_CODE_CHILD_NOTES_DIR=/tmp/claude-1000/x/started
CLAUDE_CODE_CHILD_SESSION=1
CLAUDE_CODE_SESSION_ID=x
CLAUDE_EFFORT=high
CLAUDE_PID=1
CLAUDE_CODE_DISABLE_FILE_MENTIONS=1
CLAUDE_CODE_ENABLE_TELEMETRY=1
OTEL_METRICS_EXPORTER=otlp
BASH_DEFAULT_TIMEOUT_MS=600000
CLAUDE_CODE_USE_COWORK_PLUGINS=0
CLAUDE_CODE_SESSION_KIND=interactive
IS_SANDBOX=1
HTTPS_PROXY=http://127.0.0.1:3128
`

// healthyRuntime are machines with such variables.
var healthyRuntime = []Variant{{Name: "variables of the runtime as people, editors and the agent set them",
	Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			for line := range strings.Lines(strings.TrimSpace(usualOfRuntime)) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				m.Env[name] = value
			}
		}
	})}}

// replacedLive are sessions that show what a plain start opens then.
var replacedLive = []liveFault{
	{"the shell exchanges the user's settings", "denials", report.Fail, "succeeded: sends ~/notes/attached.txt", withTwin,
		func(m *Machine) { m.Env[cowork] = "1" }},
	{"the user's settings exchange themselves", "denials", report.Fail, "succeeded: writes ~/.bashrc, unseen by rules",
		withTwin, func(m *Machine) {
			m.write("~/.claude/cowork_settings.json", `{"sandbox": {"filesystem": {"allowWrite": ["~/"]}}}`, 0o644)
			m.set(userFile, "env."+cowork, "1")
		}},
	{"the shell holds permission rules", "denials", report.Fail, "succeeded: writes ~/.bashrc, unseen by rules", withTwin,
		func(m *Machine) {
			m.Env["CLAUDE_CODE_SESSION_KIND"] = "bg"
			m.Env["CLAUDE_BG_SESSION_PERMISSION_RULES"] = strings.ReplaceAll(replaced, "HOME", m.Home)
		}},
}
