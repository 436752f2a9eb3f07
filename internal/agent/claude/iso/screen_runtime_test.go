// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a project runs only on a screen is shown on one.

package iso_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// onScreen runs an interactive session: it types a prompt, and returns when
// the last call of the script is answered, or as soon as the screen shows an end.
func (l *lab) onScreen(path string, argv, environ []string, prompt string, script []model.Turn,
	ended func(screen string) bool) {
	l.t.Helper()
	cmd := exec.Command(path)
	cmd.Args, cmd.Env, cmd.Dir = argv, environ, l.project
	term := testenv.NewTerminal(l.t, cmd, 150, 45)
	term.Sees("❯")
	const clear = "\x15"
	term.TypeUntil(clear+prompt, "what was typed", func(screen string) bool {
		return strings.Contains(strings.ReplaceAll(screen, "\u00a0", " "), "❯ "+prompt)
	})
	term.TypeUntil("\r", "the end of the script", func(screen string) bool {
		_, answered := l.server.Result(len(script)-1, 0)
		return answered || ended(screen)
	})
}

// TestProjectCodeRunsOnTheScreen: a project's statusLine and
// subagentStatusLine.
func TestProjectCodeRunsOnTheScreen(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	b := brings{name: "run", settings: `{"subagentStatusLine":{"type":"command","command":"HOME/evil/run"},"statusLine":{"type":"command","command":"HOME/evil/line"}}`,
		files: map[string]string{"evil/line": "#!/bin/sh\ntouch 'MARKS/line'\n", "p/.claude/agents/X.md": front("")},
		calls: []model.Call{useAgent, model.Bash("sleep 3"), model.Bash("sleep 3"), model.Bash("sleep 3")}}
	for _, hardened := range []bool{false, true} {
		l, script := bringing(t, testenv.Claude(t), b)
		l.put(".claude/settings.json", `{"permissions":{"allow":["Agent","Bash"]}}`)
		path, argv, environ := l.asAPerson(hardened, script)
		l.onScreen(path, argv, environ, "go", script, func(string) bool { return l.marked("run") })
		for _, mark := range []string{"line", "run"} {
			if l.marked(mark) == hardened {
				t.Errorf("%s: ran %v, in the launch %v", mark, l.marked(mark), hardened)
			}
		}
	}
}

// asAPerson is how a person starts an interactive session in the project, who has
// done so before.
func (l *lab) asAPerson(hardened bool, script []model.Turn) (path string, argv, environ []string) {
	l.t.Helper()
	l.put(".claude.json", `{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":["sk-fake-000"]},"projects":{"`+l.project+`":{"hasTrustDialogAccepted":true}}}`)
	l.vars = []string{"TERM=xterm-256color"}
	path, argv, environ = l.claude(script), []string{"claude", "--model", "claude-sonnet-4-5"}, l.environ()
	if hardened {
		launch, err := l.prepare("p", iso.Options{Args: argv[1:]})
		if err != nil {
			l.t.Fatal(err)
		}
		path, argv, environ = launch.Runtime.Path, launch.Argv, launch.Environ
	}
	return path, argv, environ
}

// TestStatuslineReadsTheHome: the runtime's own command /statusline, typed by a
// person, lets the Read tool take every file of the home that no rule names.
// blockReadsOutsideWorkingDirectories holds it; it does not start where it is switched
// off, as by claude-iso. Run with 2.1.329 and 2.1.332.
func TestStatuslineReadsTheHome(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	for _, c := range []struct {
		name                   string
		settings               string
		hardened, off, reached bool
	}{
		{name: "plain", settings: `{}`, reached: true},
		{name: "plain, switched off", settings: `{"skillOverrides":{"statusline":"off"}}`, off: true},
		{name: "claude-iso", settings: `{}`, hardened: true, off: true},
		{name: "a rule for its agent",
			settings: `{"permissions":{"disableAutoMode":"disable","deny":["Agent(statusline-setup)"]}}`, reached: true},
		{name: "reads are held",
			settings: `{"permissions":{"disableAutoMode":"disable","blockReadsOutsideWorkingDirectories":true}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.settings(c.settings)
			l.approve()
			script := calls(readTool(filepath.Join(l.home, "secret.txt")))
			path, argv, environ := l.asAPerson(c.hardened, script)
			off := false
			l.onScreen(path, argv, environ, "/statusline", script, func(screen string) bool {
				off = strings.Contains(screen, `"statusline" is disabled via skillOverrides`)
				return off
			})
			r, made := l.server.Result(0, 0)
			if off != c.off || made == c.off || strings.Contains(r.Text, secret) != c.reached {
				t.Errorf("switched off: %v, want %v; reached %v, want %v: %q", off, c.off, !c.reached, c.reached, r.Text)
			}
		})
	}
}
