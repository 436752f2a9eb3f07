// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is said of a hook that did not answer says why, and
// ends where there is nothing more to say.

package checks

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
	"github.com/steward-setup/steward-setup/internal/report"
)

func TestWhatAHookSaid(t *testing.T) {
	answer := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"SANDBOX BYPASS: it asks"}}`
	for _, c := range []struct {
		name string
		run  agent.HookRun
		ok   bool
		saw  string
	}{
		{"an answer", agent.HookRun{Stdout: answer}, true, "answered ask to a request to run unsandboxed"},
		{"nothing", agent.HookRun{}, false, "fired without output"},
		{"a failure", agent.HookRun{Exit: 2, Stderr: "no\n"}, false, "fired and ended with exit code 2: no"},
		{"a failure without a word", agent.HookRun{Exit: 1, Stderr: "\n"}, false, "fired and ended with exit code 1"},
		{"out of time", agent.HookRun{Exit: 1, Outcome: "cancelled"}, false,
			"fired and was stopped before it ended: its timeout ran out"},
		{"an answer that came too late", agent.HookRun{Stdout: answer, Outcome: "cancelled"}, false,
			"fired and was stopped before it ended: its timeout ran out"},
	} {
		c.run.Event = wiring.Wires[0].Event
		if ok, saw := hookAnswered([]agent.HookRun{c.run}, wiring.Wires[0]); ok != c.ok || saw != c.saw {
			t.Errorf("%s: %v %q", c.name, ok, saw)
		}
	}
}

// A call that got through is no error to explain: without a sandbox nothing denies it.
func TestACallThatNothingBlocksIsNoError(t *testing.T) {
	for got, line := range map[string]string{"Exit code 3: HTTP/1.1 200 OK\r: Content-Length: 7\r: \r: /hooks": " install",
		"curl: (6) Could not resolve host": " doctor --explain 'curl: (6) Could not resolve host'"} {
		if _, steps := unprovoked(got); len(steps) != 1 || !strings.HasSuffix(steps[0].(report.Command).Line, line) {
			t.Errorf("%q leads to %+v", got, steps)
		}
	}
}
