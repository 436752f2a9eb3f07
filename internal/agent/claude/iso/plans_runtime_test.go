// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a setting that names where the agent may write without a prompt
// is seen to let it write what the next session loads and runs outside the sandbox.

package iso_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// writer is a machine with these settings of the project, whose folder is trusted, and
// the text of an agent whose hook leaves the mark X.
func writer(t *testing.T, runtime, settings string) (l *lab, agent string) {
	t.Helper()
	l = newLab(t)
	l.runtime = runtime
	l.approve()
	l.put("p/.claude/agents/README", "")
	l.put(".claude.json", `{"hasCompletedOnboarding":true,"projects":{"`+l.project+`":{"hasTrustDialogAccepted":true}}}`)
	l.settings(settings)
	l.put("evil/X", l.mark("X", ""))
	return l, strings.ReplaceAll(front(frontHooks), "HOME", l.home)
}

func writes(path, text string) model.Call {
	return model.Call{Tool: "Write", Input: map[string]any{"file_path": path, "content": text}}
}

// written says whether the last call of a session wrote its file without a prompt.
func written(t *testing.T, s session, turn int) bool {
	t.Helper()
	return strings.Contains(s.text(t, turn), "created successfully")
}

var planFile = regexp.MustCompile(`create your plan at (/[^\s"\\]+?\.md)`)

// plan has a session write its plan, which it names when it starts, in a second start.
func (l *lab) plan(agent string, play func(args []string, script ...model.Turn) session) bool {
	l.t.Helper()
	read := readTool(l.project + "/README.md")
	var plan string
	for _, r := range play(nil, calls(read)...).Requests() {
		if m := planFile.FindSubmatch(r.Body); m != nil {
			plan = string(m[1])
		}
	}
	return written(l.t, play([]string{"-c"}, calls(read, writes(plan, agent))...), 1)
}

// TestPlansAreAgents: the plan of a session is written without a prompt into
// plansDirectory, and is an agent of the next plain one.
func TestPlansAreAgents(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	for name, runtime := range map[string]string{"pinned": testenv.Claude(t), "floor": testenv.ClaudeFloor(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dirs := map[string]bool{".claude/agents": true, "docs/plans": false}
			if name == "floor" {
				delete(dirs, "docs/plans")
			}
			for dir, runs := range dirs {
				l, agent := writer(t, runtime, `{"plansDirectory":"`+dir+`","permissions":{"defaultMode":"plan"}}`)
				plain := func(args []string, script ...model.Turn) session { return l.plainWith("p", args, script...) }
				if !l.plan(agent, plain) {
					t.Errorf("%s: the plan is not written", dir)
				}
				l.plain("p", calls(useAgent, nothing)...)
				if l.marked("X") != runs {
					t.Errorf("%s: the plan is an agent: %v, want %v", dir, !runs, runs)
				}
			}
		})
	}
}

// TestTheLaunchDoesNotTakePlansDirectory: the key of a project does nothing there.
func TestTheLaunchDoesNotTakePlansDirectory(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	l, agent := writer(t, testenv.Claude(t), `{"plansDirectory":".claude/agents"}`)
	l.put(".claude/settings.json", `{"permissions":{"defaultMode":"plan"}}`)
	l.plan(agent, func(args []string, script ...model.Turn) session {
		return l.hardened("p", iso.Options{Args: args}, script...)
	})
	l.plain("p", calls(useAgent, nothing)...)
	if l.marked("X") {
		t.Error("a plan became an agent of the project")
	}
}

// TestNotesAreAgents: a text in autoMemoryDirectory of the project is written without a
// prompt, in every mode, and is an agent of the next plain session. The runtime takes
// hooks out of a note that it can write anew, so not of one with a comment behind a value.
func TestNotesAreAgents(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	for key, runs := range map[string]bool{`"autoMemoryDirectory":"HOME/p/.claude/agents"`: true, `"verbose":false`: false} {
		l, agent := writer(t, testenv.Claude(t), "{"+key+"}")
		agent = strings.Replace(agent, "description", "\"color\": blue # x\ndescription", 1)
		if written(t, l.plain("p", calls(writes(l.project+"/.claude/agents/X.md", agent))...), 0) != runs {
			t.Errorf("%s: the agent writes its agent: %v, want %v", key, !runs, runs)
		}
		l.plain("p", calls(useAgent, nothing)...)
		if l.marked("X") != runs {
			t.Errorf("%s: its hook ran: %v, want %v", key, !runs, runs)
		}
	}
}
