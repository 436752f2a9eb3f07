// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the first step after an agent that does not start is the
// line that mends it, whatever else is wrong.

package checks_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/startfailure"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
)

func TestTheFirstStepMendsAnAgentThatDoesNotStart(t *testing.T) {
	testenv.AsUser(t)
	line := "npm install -g --no-save @anthropic-ai/claude-code@" + pinned.Claude()
	healthy := build(t, usualSetup)
	healthy.write(healthy.dir+"/bin/npm", "#!/bin/sh\n", 0o755)
	for _, c := range startFaults {
		if c.Breaks != "tools-pinned" || c.Name == "claude is not executable" { // that one needs its mode alone
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			m := copyOf(t, healthy)
			c.Break(m) // what npm's link leads to
			if got := first(m); got != line {
				t.Errorf("the first step is\n%s\nnot\n%s", got, line)
			}
			m.remove(m.dir + "/bin/claude")
			c.Break(m) // a file of its own, which npm does not replace
			aside := "mv " + m.dir + "/bin/claude " + m.dir + "/bin/claude.broken && " + line
			if got := first(m); got != aside {
				t.Errorf("the first step is\n%s\nnot\n%s", got, aside)
			}
			m.write(m.dir+"/bin/claude.broken", "kept", 0o644) // by an earlier mend
			m.symlink("/nowhere", m.dir+"/bin/claude.broken2")
			third := "mv " + m.dir + "/bin/claude " + m.dir + "/bin/claude.broken3 && " + line
			if got := first(m); got != third {
				t.Errorf("the first step is\n%s\nnot\n%s", got, third)
			}
			c, ok := startfailure.Mends(t.Context(), ofOthers{m.host()}, "")
			if !ok || !c.Privileged || c.Line != "sudo "+third {
				t.Errorf("in the directory of somebody else, the line is\n%s\nprivileged: %v", c.Line, c.Privileged)
			}
			m.remove(m.dir + "/bin/claude.broken")
			m.remove(m.dir + "/bin/claude.broken2")
			m.remove(projectFile) // commands are then unsandboxed, which comes second
			if got := first(m); got != aside {
				t.Errorf("without a policy the first step is\n%s\nnot\n%s", got, aside)
			}
			m.remove(m.dir + "/bin/npm")
			if got := first(m); got == aside {
				t.Errorf("a line that cannot work is offered: %s", got)
			}
		})
	}
	if got := first(healthy); got == line {
		t.Error("an agent that starts is mended")
	}
}

// ofOthers is a machine whose files belong to somebody else.
type ofOthers struct{ host.Reader }

func (o ofOthers) System() env.System {
	s := o.Reader.System()
	s.UID++
	return s
}

// first is the line of the first step of a run.
func first(m *Machine) string {
	steps := report.Steps(m.verify(), nil)
	switch {
	case len(steps) == 0:
		return ""
	case steps[0].Command == nil:
		return steps[0].Text
	}
	return steps[0].Command.Line
}
