// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook of the user's own runs git, and a sandboxed command
// makes a repository whose configuration names a program. Each attack is seen
// to work where it is not closed.

package iso_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// nested is a repository in the project that runs a program of its own.
const nested = `git init -q n && git -C n -c user.name=x -c user.email=x@y.invalid commit -q --allow-empty -m x && git -C n config core.fsmonitor "touch 'MARKS/ran'; false #" && `

// userHook gives the user a hook after every call, and variables.
func (l *lab) userHook(command string, env map[string]string) {
	l.t.Helper()
	hook := map[string]any{"hooks": []any{map[string]any{"type": "command", "command": command}}}
	doc := map[string]any{"hooks": map[string]any{"PostToolUse": []any{hook}}}
	if env != nil {
		doc["env"] = env
	}
	b, err := json.Marshal(doc)
	if err != nil {
		l.t.Fatal(err)
	}
	l.put(".claude/settings.json", string(b))
}

// TestGitOfAHookInARepositoryThatACommandMade: hooks run in the directory that
// the agent changed to; the launch keeps it in the project.
func TestGitOfAHookInARepositoryThatACommandMade(t *testing.T) {
	testenv.AsRoot(t)
	stay := map[string]string{claude.StayVariable: "1"}
	const stays = "after cd, in a session that stays by a setting of the project"
	for _, c := range []struct {
		name, hook, attack    string
		env                   map[string]string // of the user's settings
		runsPlain, runsLaunch bool
	}{
		{"after cd", "git status", "cd n && echo DONE", nil, true, false},
		{"after cd, in a session that stays", "git status", "cd n && echo DONE", stay, false, false},
		{stays, "git status", "cd n && echo DONE", nil, false, false},
		{"in the index", `git -C "$CLAUDE_PROJECT_DIR" status`, "git add n && echo DONE", nil, true, true},
		{"after cd and in the index: what passes it over, and what looks at no file",
			`git -C "$CLAUDE_PROJECT_DIR" status --ignore-submodules; ` +
				"git branch --show-current; git rev-parse --show-toplevel; git remote -v",
			"git add n && cd n && echo DONE", nil, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			testenv.Need(t, "git")
			for hardened, want := range map[bool]bool{false: c.runsPlain, true: c.runsLaunch} {
				l := newLab(t)
				l.userHook(c.hook, c.env)
				if c.name == stays {
					l.settings(`{"env":{"` + claude.StayVariable + `":"1"}}`)
				}
				script := calls(model.Bash(strings.ReplaceAll(nested+c.attack, "MARKS", l.marks)), model.Bash("true"))
				var s session
				if hardened {
					l.approve()
					s = l.hardened("p", iso.Options{}, script...)
				} else {
					s = l.plain("p", script...)
				}
				if got := s.text(t, 0); !strings.Contains(got, "DONE") || l.marked("ran") != want {
					t.Errorf("launch %v: the program ran: %v, want %v: %s", hardened, l.marked("ran"), want, got)
				}
			}
		})
	}
}

// TestFiltersOfTheUsersGitRunAtTheStart: the runtime asks git for the state of
// the work tree, outside of the sandbox. The filters of the user's own
// configuration take part in that, other programs of it do not. A file's name that
// such a filter has in quotes is one more command of the shell.
func TestFiltersOfTheUsersGitRunAtTheStart(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "git")
	for _, hardened := range []bool{false, true} {
		l := newLab(t)
		named := "p/$(sh run).txt"
		l.put("p/.gitattributes", "*.md filter=x\n*.txt filter=named\n")
		l.put("p/a.md", "one\n")
		l.put(named, "one\n")
		l.git("add", ".")
		l.git("-c", "user.name=x", "-c", "user.email=x@y.invalid", "commit", "-qm", "x")
		l.put("p/run", l.mark("named", "")) // no commit has it: it names a place of this run
		l.put("p/dot/gitconfig", "[filter \"x\"]\n\tclean = \"touch '"+l.marks+
			"/filter'; cat\"\n[filter \"named\"]\n\tclean = \"sh -c 'cat %f'\"\n"+
			"[core]\n\tfsmonitor = \"touch '"+l.marks+"/fsmonitor'; false #\"\n")
		l.put("p/a.md", "two\n")
		l.put(named, "two\n")
		l.put(".gitconfig", "[include]\n\tpath = p/dot/gitconfig\n")
		if hardened {
			l.approve()
			l.hardened("p", iso.Options{}, calls(model.Bash("true"))...)
		} else {
			l.plain("p", calls(model.Bash("true"))...)
		}
		if !l.marked("filter") || !l.marked("named") || l.marked("fsmonitor") {
			t.Errorf("launch %v: the filter ran: %v, a file's name: %v, core.fsmonitor: %v", hardened, l.marked("filter"),
				l.marked("named"), l.marked("fsmonitor"))
		}
	}
}

// TestALaunchStopsAtALeftCommondir: git takes the configuration of the
// directory that .git/commondir names. The runtime removes the file after each
// command, not one that a command in the background writes (measured with
// 2.1.329: a git hook of the user's ran what it named).
func TestALaunchStopsAtALeftCommondir(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.claude(nil)
	l.approve()
	if _, err := l.prepare("p", iso.Options{}); err != nil {
		t.Fatal(err)
	}
	l.put("n/x", "")
	l.git("init", "-q", l.home+"/n")
	l.git("--git-dir", l.home+"/n/.git", "config", "core.fsmonitor", "touch '"+l.marks+"/ran'; false #")
	l.put("p/.git/commondir", "../../n/.git\n")
	l.git("status")
	if !l.marked("ran") {
		t.Error("git did not run what the other configuration names, so nothing was shown")
	}
	_, err := l.prepare("p", iso.Options{})
	if known := (*report.Error)(nil); !errors.As(err, &known) || known.Where != l.project+"/.git/commondir" {
		t.Errorf("the launch starts: %v", err)
	}
}
