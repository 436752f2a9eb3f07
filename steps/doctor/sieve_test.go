// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: fixes that could decide about each other's probes are not
// tried together, and what could have helped is not refuted by a trial of many.

package doctor

import (
	"errors"
	"testing"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

const (
	readsAgent   = `{"sandbox":{"filesystem":{"allowRead":["/run/agent"]}}}`
	readsDocker  = `{"sandbox":{"filesystem":{"allowRead":["/run/docker"]}}}`
	readsBoth    = `{"sandbox":{"filesystem":{"allowRead":["/run/agent","/run/docker"]}}}`
	everySocket  = `{"sandbox":{"network":{"allowAllUnixSockets":true}}}`
	asksToo      = `{"permissions":{"ask":["Bash(ssh-add *)"]}}`
	deniesHost   = `{"sandbox":{"network":{"deniedDomains":["example.org"]}}}`
	opensAndShut = `{"sandbox":{"filesystem":{"allowWrite":["/a"],"denyWrite":["/a/b"]}}}`
)

func tries(settings ...string) *inquiry {
	c := &inquiry{}
	for _, s := range settings {
		c.tried = append(c.tried, &attempt{settings: s, treatment: &treatment{}})
	}
	return c
}

func TestWhatIsTriedTogether(t *testing.T) {
	for settings, want := range map[string]bool{readsAgent: true, readsBoth: true, everySocket: false, opensAndShut: false,
		asksToo: false, deniesHost: false, "{": false, "{}": false} {
		if onlyAllows(settings) != want {
			t.Errorf("%s: %v", settings, !want)
		}
	}
	agent, docker, both := tries(readsAgent, everySocket), tries(readsDocker), tries(readsBoth)
	first := func(c *inquiry) member { return member{c, c.tried[0]} }
	for _, c := range []struct {
		a, b member
		want bool
	}{
		{first(agent), first(docker), false},
		{first(agent), first(both), true},
		{first(both), first(docker), true},
		{first(agent), member{agent, agent.tried[1]}, true},
		{member{tries(everySocket), &attempt{settings: everySocket}}, first(agent), true},
	} {
		if c.a.meets(c.b) != c.want || c.b.meets(c.a) != c.want {
			t.Errorf("%s and %s: %v", c.a.a.settings, c.b.a.settings, !c.want)
		}
	}
}

// TestWhatATrialOfManyRefutes: a call that was made and refused, and nothing
// else.
func TestWhatATrialOfManyRefutes(t *testing.T) {
	entry := catalog.Entry{ID: "agent"}
	control := trial.Probe{ID: trial.ControlCommand, Call: model.Bash("echo it-works"),
		Through: trial.Through{Reply: "it-works"}, Control: true}
	noSandbox := model.Result{Text: "bwrap: Can't mkdir /run/agent: Read-only file system"}
	for name, c := range map[string]struct {
		reply   string // "" where the call was not made
		control model.Result
		err     error
		refuted bool
	}{
		"refused":               {reply: "refused", refuted: true},
		"it got through":        {reply: "works"},
		"it was not made":       {},
		"the session broke off": {reply: "refused", err: errors.New("broke off")},
		"it was cut off":        {reply: "Command timed out after 2m"},
		"no command could run":  {reply: noSandbox.Text, control: noSandbox},
	} {
		replies := map[string]model.Result{model.ID(0, 0): {Text: "it-works"}}
		if c.control.Text != "" {
			replies[model.ID(0, 0)] = c.control
		}
		if c.reply != "" {
			replies[model.ID(1, 0)] = model.Result{Text: c.reply}
		}
		q := ask{id: "agent", entry: "agent", through: trial.Through{Reply: "works"}}
		s := trial.New(rehearsal.Session{}, []trial.Probe{control, q.probe()})
		s.Raw.Results, s.Err = replies, c.err
		a := &attempt{entry: entry, sieve: &treatment{trials: map[string]*trial.Trial{"": s},
			members: make([]member, 3)}}
		a.sieve.once.Do(func() {}) // it was played
		m := member{&inquiry{results: []result{{ask: q, status: report.Fail, layer: catalog.Mount}}}, a}
		if got := (&bench{}).refuted(t.Context(), m); (got != "") != c.refuted {
			t.Errorf("%s: %q", name, got)
		}
	}
}
