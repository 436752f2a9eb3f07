// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a fix works if what was refused gets through with it, in a
// session that differs in nothing else; it is offered if every denial that held
// before still holds.

package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// treatment is one change, tried for every probe that would gain by it.
type treatment struct {
	name string      // what is tried
	host host.Reader // the machine with it
	// root says that the denials at the root are asked for whatever else is.
	root    bool
	members []member
	fixes   int                     // that a sieve has
	trials  map[string]*trial.Trial // by start directory, once played
	once    sync.Once
	// queued, where it is not nil, is closed once queue played it.
	queued chan struct{}
	// broke is what playing it panicked with.
	broke any
}

// treatmentOf adds an attempt for an inquiry to the treatment with its change.
func (b *bench) treatmentOf(c *inquiry, a *attempt) *treatment {
	key := a.change.Path + "\x00" + string(a.change.After)
	t := b.treatments[key]
	if t == nil {
		t = &treatment{name: "with “" + a.fix.Title + "”", host: host.Changed(b.r, a.change), root: true}
		if b.treatments == nil {
			b.treatments = map[string]*treatment{}
		}
		b.treatments[key] = t
	}
	t.members = append(t.members, member{c, a})
	return t
}

// play plays the sessions of the treatment, once, or waits where queue does.
func (t *treatment) play(ctx context.Context, b *bench) {
	if t.queued != nil {
		<-t.queued
		if t.broke != nil {
			panic(t.broke)
		}
		return
	}
	t.perform(ctx, b, func() {})
}

// perform plays the sessions of the treatment, once. begun is called when the first
// begins.
func (t *treatment) perform(ctx context.Context, b *bench, begun func()) {
	t.once.Do(func() {
		theatre := *b.theatre
		theatre.Host = t.host
		trials := map[string]*trial.Trial{}
		for at := range b.trials {
			cases, wanted := t.asks(at.dir)
			if !at.slow && (cases != nil || t.root && at == root) {
				s := b.trial(rehearsal.Policy, at, cases, func(a ask) bool { return slices.Contains(wanted, a.id) })
				s.Session.Name += ", " + t.name
				trials[at.dir] = s
			}
		}
		b.play(ctx, slices.Collect(maps.Values(trials)), announced{&theatre, begun}, nil)
		t.trials = trials
	})
}

// asks are what is asked in a session that starts in dir, and for which
// inquiries.
func (t *treatment) asks(dir string) (cases []*inquiry, ids []string) {
	for _, m := range t.members {
		if !slices.ContainsFunc(m.c.results, func(r result) bool { return r.dir == dir && m.a.helps(r) }) {
			continue
		}
		cases = report.Union(cases, m.c)
		for _, a := range m.c.asked {
			if a.dir == dir && m.tells(a, t.root) {
				ids = report.Union(ids, m.c.with(a)...)
			}
		}
	}
	return cases, ids
}

// tells says whether what becomes of a call with an attempt is wanted: of what it
// is for, and of what worked, where it may change how the sandbox is made; what
// another fix is for waits for that, and a clue is none about a fix. One that only
// allows more refuses nothing that was let. others says that what it lets besides is
// wanted, too.
func (m member) tells(a ask, others bool) bool {
	i := slices.IndexFunc(m.c.results, func(r result) bool { return r.id == a.id })
	if i < 0 {
		return false
	}
	r, allows := m.c.results[i], m.a.effect.Allows
	if r.status != report.Fail {
		return !allows
	}
	fixed := func(a *attempt) bool { return a.helps(r) }
	return m.a.helps(r) || others && !(allows && a.slow) && !slices.ContainsFunc(m.c.tried, fixed)
}

// with is a call and those without which it cannot work.
func (c *inquiry) with(a ask) []string {
	ids := []string{a.id}
	for _, before := range c.asked {
		if a.after != "" && before.id == a.after {
			ids = append(ids, c.with(before)...)
		}
	}
	return ids
}

// outcome is what became of a fix.
type outcome struct {
	works, untried bool // untried: no session came of it

	said  string
	price []report.Evidence
}

// outcome judges what the treatment of an attempt showed for an inquiry.
func (b *bench) outcome(c *inquiry, a *attempt) outcome {
	if a.treatment.trials == nil {
		return outcome{untried: true, said: "not tested: its sessions were not played"}
	}
	for _, s := range a.treatment.trials {
		if s.Err != nil {
			return outcome{untried: true, said: "not tested: " + s.Err.Error()}
		}
	}
	broken := ""
	for _, r := range c.results {
		s := a.treatment.trials[r.dir]
		if s == nil || !s.Asks(r.id) || !a.helps(r) && r.status != report.Pass {
			continue
		}
		if seen := s.Of(r.id); !seen.Through && broken == "" {
			broken = trial.Line(seen.Text)
		}
	}
	opened := b.opened(a.treatment)
	switch {
	case opened != nil && broken == "":
		return outcome{said: "rejected, although it works: it removes a protection: " + several(opened)}
	case opened != nil:
		return outcome{said: "does not work, and removes a protection: " + several(opened)}
	case broken != "":
		return outcome{said: "does not work, seen here: " + broken}
	}
	o := outcome{works: true, said: fmt.Sprintf("works, and does not work without it; %sall %d other protections still "+
		"work. Price: %s", letsSay(a.lets(c)), b.holding(), a.fix.Price)}
	if a.effect.Sockets {
		o.price = b.openedSockets()
	}
	return o
}

// opened lists the denials that do not hold with a change, or that nobody can
// judge any more.
func (b *bench) opened(t *treatment) []string {
	var list []string
	for _, dir := range slices.Sorted(maps.Keys(t.trials)) {
		for _, o := range denials(t.trials[dir].Judge(b.trials[scene{dir: dir}].twin)) {
			// What is allowed on purpose is no denial, with a fix or without it.
			if o.Status != report.Pass && o.Status != report.Warn {
				list = append(list, o.Says()+": "+o.Why)
			}
		}
	}
	return list
}

// holding counts the denials that hold at the root under the user's policy.
func (b *bench) holding() int {
	n := 0
	for _, o := range denials(b.trials[root].outcomes) {
		if !o.Control && o.Status == report.Pass {
			n++
		}
	}
	return n
}
