// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the word claude is another thing than the runtime in every
// way in which users make it one.

package checks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// own defines claude in the user's rc file.
func own(name, line string, want report.Status, voids bool) Fault {
	return Fault{Name: name, Breaks: "clean-env", Want: want, Voids: voids, Where: "~/.bashrc#" + line,
		Break: func(m *Machine) {
			m.write("~/off.json", `{"sandbox": {"enabled": false}}`, 0o644)
			m.write("~/theme.json", `{"theme": "dark"}`, 0o644)
			m.write("~/bin/claude", "#!/bin/sh\n", 0o755)
			m.write("~/.bashrc", m.read("~/.bashrc")+line+"\n", 0o644)
		}}
}

// ownScript puts a script called claude first on PATH.
func ownScript(m *Machine, text string) {
	m.write("~/off.json", `{"sandbox": {"enabled": false}}`, 0o644)
	m.write("~/bin/other", "#!/bin/sh\ncase x in x) exec "+m.dir+"/bin/claude \"$@\" ;; esac\n", 0o755)
	m.write("~/bin/claude", "#!/bin/sh\n"+text, 0o755)
	m.first(m.at("~/bin"))
}

// onPath is a script called claude; DIR stands for the runtime's directory.
func onPath(name, text string, want report.Status, voids bool) Fault {
	return Fault{Name: name, Breaks: "clean-env", Want: want, Voids: voids, Where: "~/bin/claude",
		Break: func(m *Machine) { ownScript(m, strings.ReplaceAll(text, "DIR", m.dir+"/bin")) }}
}

var wordFaults = []Fault{
	own("an alias that switches the sandbox off", "alias claude='claude --settings ~/off.json'", report.Fail, true),
	own("an alias that switches the sandbox off in the line",
		`alias claude="claude --settings='{\"sandbox\":{\"enabled\":false}}'"`, report.Fail, true),
	own("a function that switches the sandbox off", `claude() { command claude --settings "$HOME/off.json" "$@"; }`,
		report.Fail, true),
	own("an alias that loads other settings", "alias claude='claude --settings ~/theme.json'", report.Fail, false),
	own("an alias that leaves the project's settings out", "alias claude='claude --setting-sources user'", report.Fail,
		true),
	own("an alias that skips permission prompts", "alias claude='claude --dangerously-skip-permissions'", report.Fail,
		false),
	own("an alias that sets the permission mode", "alias claude='claude --permission-mode=acceptEdits'", report.Fail,
		false),
	own("an alias that opens a directory", "alias claude='claude --add-dir ~'", report.Fail, false),
	own("an alias with a log in the directory that you are in", "alias claude='claude --debug-file claude.log'",
		report.Fail, false),
	own("an alias with a log in the project", "alias claude='claude --debug-file ~/code/tracker/d'", report.Fail, false),
	own("a function with a log in the directory that you are in",
		`claude() { command claude --debug-file=./logs/claude.log "$@"; }`, report.Fail, false),
	own("an alias that sets the shell", "alias claude='SHELL=/tmp/sh claude'", report.Fail, false),
	own("an alias with other settings of the user's", "alias claude='env CLAUDE_CONFIG_DIR=$HOME/cc claude'", report.Fail,
		false),
	own("an alias with a variable that is unknown", "alias claude='CLAUDE_SECRET_SWITCH=1 claude'",
		report.Unknown, false),
	own("an alias with an option that is unknown", "alias claude='claude --yolo'", report.Unknown, false),
	own("an alias to another executable", "alias claude='~/bin/claude'", report.Unknown, false),
	own("an alias to another program", "alias claude='npx @anthropic-ai/claude-code'", report.Unknown, false),
	own("an alias that sends it past the policy through claude-iso", "alias claude='claude-iso --anyway'", report.Fail,
		false),
	own("a function with a branch", `claude() { if [ -t 0 ]; then tmux new claude "$@"; else command claude "$@"; fi; }`,
		report.Unknown, false),
	own("a function with a branch that switches the sandbox off",
		`claude() { if [ -t 0 ]; then command claude --settings ~/off.json; else command claude "$@"; fi; }`, report.Fail,
		false),
	own("an alias with arguments that only the shell knows", "alias claude='claude $CLAUDE_FLAGS'", report.Unknown, false),
	onPath("a script on PATH that switches the sandbox off", "exec DIR/claude --settings ~/off.json \"$@\"\n", report.Fail,
		true),
	onPath("a script on PATH that switches the sandbox off on a terminal",
		"if [ -t 1 ]; then set -- --settings ~/off.json \"$@\"; fi\nexec DIR/claude \"$@\"\n", report.Fail, false),
	onPath("a script on PATH with a branch", "case $1 in --version) exec DIR/claude \"$@\";; esac\n"+
		"exec DIR/claude \"$@\"\n", report.Unknown, false),
	onPath("a script on PATH that sets PATH", "PATH=/tmp:$PATH\nexec DIR/claude \"$@\"\n", report.Fail, false),
	onPath("a script on PATH that starts another script", "exec ~/bin/other \"$@\"\n", report.Unknown, false),
	own("an alias of another name that loads other settings", "alias cc='claude --settings ~/off.json'", report.Warn,
		false),
	own("an alias of another name, started by another program", "alias work='tmux new -s x claude --add-dir ~'",
		report.Warn, false),
	own("a function of another name with a branch",
		`yolo() { cd ~/code && if [ -t 0 ]; then claude --dangerously-skip-permissions "$@"; fi; }`, report.Warn, false),
	own("a function of another name with a variable", `remote() { CLAUDE_CONFIG_DIR=~/cc claude "$@"; }`, report.Warn,
		false),
	own("an alias of another name with an option that is unknown", "alias cx='claude --yolo'", report.Warn, false),
}

// otherNames are no other session, or no session at all.
var otherNames = []string{"alias cc='claude --continue'", "alias cr='claude \"review this\"'",
	"alias g='grep -rn claude'", "c() { claude-iso --model opus \"$@\"; }", "alias cdc='cd ~/claude --'",
	"alias old='claude-2 --settings x'"}

// TestAnotherNameIsToldWhereItStartsAnotherSession: as an alias, and as a script
// on PATH; with the launch that it starts.
func TestAnotherNameIsToldWhereItStartsAnotherSession(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for _, line := range otherNames {
		m := copyOf(t, healthy)
		m.write("~/.bashrc", m.read("~/.bashrc")+line+"\n", 0o644)
		if f := m.judged("clean-env"); f.Status != report.Pass {
			t.Errorf("%s: %s: %s", line, f.Status, f.Summary)
		}
	}
	m := copyOf(t, healthy)
	m.write("~/off.json", `{"sandbox": {"enabled": false}}`, 0o644)
	m.write("~/bin/cc", "#!/bin/sh\nexec "+m.dir+"/bin/claude --settings ~/off.json \"$@\"\n", 0o755)
	m.first(m.at("~/bin"))
	f := m.judged("clean-env")
	if f.Status != report.Warn || f.Voids || !strings.Contains(fmt.Sprint(f.Evidence),
		"`cc` starts the agent too: --settings loads other settings. The sandbox is off") {
		t.Errorf("a script: %s: %s", f.Status, fmt.Sprint(f.Evidence))
	}
	m = copyOf(t, healthy)
	m.write("~/.bashrc", m.read("~/.bashrc")+"alias ci='claude-iso --anyway'\n", 0o644)
	if l := m.judged("clean-env").Launches; l[1].Status != report.Warn {
		t.Errorf("claude-iso by another name: %+v", l)
	}
}

// TestClaudeIsoIsJudgedByWhatIsOnPathToo: a definition of the shell concerns a
// plain claude alone, what lies on PATH both.
func TestClaudeIsoIsJudgedByWhatIsOnPathToo(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for _, f := range wordFaults {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			f.Break(m)
			finding := m.judged("clean-env")
			want := report.Pass
			if f.Where == "~/bin/claude" || f.Name == "an alias that sends it past the policy through claude-iso" {
				want = f.Want
			}
			if l := finding.Launches; len(l) != 2 || l[0].Status != f.Want || l[0].Voids != f.Voids || l[1].Status != want ||
				l[1].Voids != (f.Voids && want == f.Want) {
				t.Errorf("judged for the launches as %+v", finding.Launches)
			}
			if len(finding.Remedies) == 0 {
				t.Error("nothing is said of what to do")
			}
		})
	}
}
