// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what may turn out to be needless is not begun early, and what is
// begun early is played once.

package doctor

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

func TestWhatIsTriedInAnyCase(t *testing.T) {
	try := func(settings string) *attempt {
		return &attempt{settings: settings, treatment: &treatment{name: settings}}
	}
	smaller, larger, other, sieved := try(readsAgent), try(readsBoth), try(everySocket), try(allowsHost)
	sieved.sieve = &treatment{}
	again := &attempt{settings: everySocket, treatment: other.treatment}
	cases := []*inquiry{{tried: []*attempt{smaller, larger, other, sieved, {why: "is set already"}}},
		{tried: []*attempt{again}}}
	if got := certain(cases); !slices.Equal(got, []*treatment{smaller.treatment, other.treatment}) {
		t.Errorf("%d treatments: %v", len(got), got)
	}
	smaller.treatment = nil // not tried: the larger one is the smallest then
	if got := certain(cases); !slices.Equal(got, []*treatment{larger.treatment, other.treatment}) {
		t.Errorf("%d treatments: %v", len(got), got)
	}
}

// oneCore is a machine with room for one session, which notes when it is asked.
type oneCore struct {
	host.Reader
	asked func()
}

func (o oneCore) System() env.System {
	o.asked()
	s := o.Reader.System()
	s.Cores = 1
	return s
}

// TestWhatTakesLongestBeginsFirst, after the fixes that are tried together; who needs
// what came of one waits for it.
func TestWhatTakesLongestBeginsFirst(t *testing.T) {
	var order []string
	plain := plainHost(t, "linux")
	note := func(name string) host.Reader {
		return oneCore{plain, func() {
			if !slices.Contains(order, name) {
				order = append(order, name)
			}
		}}
	}
	b := &bench{r: note("together"), o: Options{Agent: fixes.Claude{}}, theatre: &rehearsal.Theatre{Agent: play.Claude{}},
		trials: map[scene]*pair{root: {}}}
	b.inputs.Root = t.TempDir()
	b.slots, order = trial.NewSlots(b.r), nil
	refused := func(id string, calls int, slow bool, settings string) *inquiry {
		c := &inquiry{}
		for i := range calls {
			a := ask{id: id + strings.Repeat("x", i), entry: id, slow: slow, call: bash("true")}
			c.asked = append(c.asked, a)
			c.results = append(c.results, result{ask: a, status: report.Fail, layer: catalog.Mount})
		}
		x := trying(id, settings)
		x.treatment = &treatment{host: note(id), root: true, members: []member{{c, x}}}
		c.tried = []*attempt{x}
		return c
	}
	cases := []*inquiry{refused("quick", 2, false, everySocket), refused("slow", 1, true, asksToo),
		refused("many", 3, false, deniesHost), refused("agent", 1, false, readsAgent),
		refused("docker", 1, false, readsDocker)}
	var all sync.WaitGroup
	b.queue(t.Context(), cases, &all)
	cases[0].tried[0].treatment.play(t.Context(), b)
	if !slices.Equal(order, []string{"together", "slow", "many", "quick"}) || cases[0].tried[0].treatment.trials == nil {
		t.Errorf("%q", order)
	}
	all.Wait()
	for _, c := range cases {
		a := c.tried[0]
		if s := cmp.Or(a.sieve, a.treatment); s.queued == nil || s.trials == nil {
			t.Errorf("%s was not played", a.entry.ID)
		}
	}
	if sieve := cases[3].tried[0].sieve; sieve == nil || sieve != cases[4].tried[0].sieve {
		t.Error("what only allows more is not tried together")
	}
}
