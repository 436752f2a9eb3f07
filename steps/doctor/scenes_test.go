// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is asked in which session follows from the calls alone.

package doctor

import (
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// TestWhatTakesLongIsAskedApart, if anything else is asked at the root.
func TestWhatTakesLongIsAskedApart(t *testing.T) {
	quick, slow, tree := ask{id: "quick"}, ask{id: "slow", slow: true}, ask{id: "tree", dir: "/tree"}
	for name, c := range map[string]struct {
		asked []ask
		want  []scene
	}{
		"both":             {[]ask{tree, slow, quick}, []scene{root, {slow: true}, {dir: "/tree"}}},
		"slow alone":       {[]ask{slow}, []scene{root}},
		"slow in the root": {[]ask{slow, tree}, []scene{root, {dir: "/tree"}}},
		"nothing":          {nil, nil},
	} {
		var cases []*inquiry
		for _, a := range c.asked {
			cases = append(cases, &inquiry{control: control{status: report.Pass},
				probe: probe{asks: func(*bench, control) []ask { return []ask{a} }}})
		}
		if got := (&bench{}).asks(cases); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		for _, c := range cases {
			if places := c.places(); !slices.Contains(places, root) || !slices.Contains(places, c.asked[0].at) {
				t.Errorf("%s: %s waits for %v", name, c.asked[0].id, places)
			}
		}
	}
}

// TestWhatIsAskedWithAFix: where it only allows more, what it is for and what no
// other fix is for; where it is a switch, what worked, too.
func TestWhatIsAskedWithAFix(t *testing.T) {
	entry := func(id, settings string) *attempt { return trying(id, settings) }
	c := &inquiry{tried: []*attempt{entry("agent", readsAgent), entry("docker", readsDocker), entry("agent", everySocket)}}
	c.asked = []ask{{id: "a clue", role: clue}}
	for _, r := range []result{
		{ask: ask{id: "works"}, status: report.Pass},
		{ask: ask{id: "first"}, status: report.Pass},
		{ask: ask{id: "agent", entry: "agent", after: "first"}, status: report.Fail},
		{ask: ask{id: "docker", entry: "docker"}, status: report.Fail},
		{ask: ask{id: "nobody's"}, status: report.Fail},
		{ask: ask{id: "nobody's, slow", slow: true}, status: report.Fail},
		{ask: ask{id: "elsewhere", entry: "agent", dir: "/tree"}, status: report.Fail},
	} {
		r.layer = catalog.Mount
		c.asked, c.results = append(c.asked, r.ask), append(c.results, r)
	}
	for i, want := range [][]string{{"agent", "first", "nobody's"}, {"docker", "nobody's"},
		{"works", "first", "agent", "nobody's", "nobody's, slow"}} {
		s := &treatment{root: true, members: []member{{c, c.tried[i]}}}
		if _, got := s.asks(""); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.tried[i].settings, got, want)
		}
	}
	sieve := &treatment{members: []member{{c, c.tried[0]}}}
	if _, got := sieve.asks(""); !slices.Equal(got, []string{"agent", "first"}) {
		t.Errorf("tried together: %q", got)
	}
}

// TestCallsOfTheToolShareTheCommandOfTheDenials: and what cannot be told apart
// there is unknown.
func TestCallsOfTheToolShareTheCommandOfTheDenials(t *testing.T) {
	self := ask{id: "self", call: tool(rehearsal.ToolSelf, "/self"), through: trial.Through{Reply: "/self"},
		layer: always(catalog.Namespace, "alone")}
	for name, c := range map[string]struct {
		ask    ask
		shares bool
	}{
		"a call of the tool": {self, true},
		"of another program": {ask{id: "x", call: bash("true")}, false},
		"after others":       {ask{id: "x", call: self.call, turn: 1}, false},
		"alone":              {ask{id: "x", call: self.call, alone: true}, false},
	} {
		if p := c.ask.probe(); p.Alone == c.shares || (p.Turn == 0) != c.shares {
			t.Errorf("%s: turn %d, alone %v", name, p.Turn, p.Alone)
		}
	}
	say := trial.Inputs{Run: "r"}.Control()
	for reply, want := range map[string]report.Status{
		"x\n(part 0 has ended)\nrefused\n(part 1 has ended)\n(the tool has ended)": report.Fail,
		"x\n(part 0 has ended)\n/sel": report.Unknown,
	} {
		p := &pair{}
		for _, s := range []struct {
			at    **trial.Trial
			reply string
		}{{&p.baseline, reply}, {&p.twin, "x\n(part 0 has ended)\n/self\n(part 1 has ended)\n(the tool has ended)"}} {
			*s.at = trial.New(rehearsal.Session{}, []trial.Probe{say, self.probe()})
			(*s.at).Raw.Results = map[string]model.Result{model.ID(0, 0): {Text: s.reply}}
		}
		p.outcomes = p.baseline.Judge(p.twin)
		b := &bench{r: plainHost(t, "linux"), o: Options{Agent: fixes.Claude{}}, trials: map[scene]*pair{root: p}}
		if got := b.result(t.Context(), self); got.status != want {
			t.Errorf("%q: %s, %s", reply, got.status, got.why)
		}
		if n := len(denials(p.outcomes)); n != 1 {
			t.Errorf("%d denials beside an ask", n)
		}
	}
}

// trying is an attempt of a fix with these settings.
func trying(entry, settings string) *attempt {
	return &attempt{entry: catalog.Entry{ID: entry}, settings: settings,
		effect: fixes.Claude{}.Effect(catalog.Fix{Settings: settings})}
}
