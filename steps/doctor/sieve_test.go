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
	"github.com/steward-setup/steward-setup/internal/probe"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
)

const (
	readsAgent   = `{"sandbox":{"filesystem":{"allowRead":["/run/agent"]}}}`
	readsDocker  = `{"sandbox":{"filesystem":{"allowRead":["/run/docker"]}}}`
	readsBoth    = `{"sandbox":{"filesystem":{"allowRead":["/run/agent","/run/docker"]}}}`
	everySocket  = `{"sandbox":{"network":{"allowAllUnixSockets":true}}}`
	opensAndShut = `{"sandbox":{"filesystem":{"allowWrite":["/a"],"denyWrite":["/a/b"]}}}`
)

func tries(settings ...string) *inquiry {
	c := &inquiry{}
	for _, s := range settings {
		c.tried = append(c.tried, &attempt{settings: s, trial: &trial{}})
	}
	return c
}

func TestWhatIsTriedTogether(t *testing.T) {
	for settings, want := range map[string]bool{readsAgent: true, readsBoth: true, everySocket: false, opensAndShut: false, "{": false, "{}": false} {
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
	for name, c := range map[string]struct {
		replies map[string]model.Result
		err     error
		refuted bool
	}{
		"refused":               {replies: map[string]model.Result{model.ID(0, 0): {Text: "refused"}}, refuted: true},
		"it got through":        {replies: map[string]model.Result{model.ID(0, 0): {Text: "works"}}},
		"it was not made":       {},
		"the session broke off": {replies: map[string]model.Result{model.ID(0, 0): {Text: "refused"}}, err: errors.New("broke off")},
		"it was cut off":        {replies: map[string]model.Result{model.ID(0, 0): {Text: "Command timed out after 2m"}}},
	} {
		q := ask{id: "agent", entry: "agent", through: probe.Through{Reply: "works"}}
		s := &scene{asks: []ask{q}, at: map[string][2]int{"agent": {0, 0}}, raw: rehearsal.Raw{Results: c.replies}, err: c.err}
		a := &attempt{entry: entry, sieve: &sieve{trial: &trial{scenes: map[string]*scene{"": s}}, members: make([]member, 3)}}
		a.sieve.once.Do(func() {}) // it was played
		m := member{&inquiry{results: []result{{ask: q, status: report.Fail, layer: catalog.Mount}}}, a}
		if got := (&bench{}).refuted(t.Context(), m); (got != "") != c.refuted {
			t.Errorf("%s: %q", name, got)
		}
	}
}
