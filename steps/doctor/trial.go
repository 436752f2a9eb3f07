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
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
)

// trial is one change, tried for every probe that would gain by it.
type trial struct {
	name   string            // what is tried
	host   host.Reader       // the machine with it
	scenes map[string]*scene // by start directory
	once   sync.Once
}

// trialOf adds the calls of an inquiry to the trial of a change.
func (b *bench) trialOf(c *inquiry, a *attempt) *trial {
	key := a.change.Path + "\x00" + string(a.change.After)
	t := b.trials[key]
	if t == nil {
		t = &trial{name: "with “" + a.fix.Title + "”", host: with(b.r, a.change),
			scenes: map[string]*scene{"": b.scene(rehearsal.Policy, "", nil, nil, nil)}}
		if b.trials == nil {
			b.trials = map[string]*trial{}
		}
		b.trials[key] = t
	}
	b.join(t, c, a)
	return t
}

// join adds the calls of an inquiry that would gain by an attempt.
func (b *bench) join(t *trial, c *inquiry, a *attempt) {
	for dir := range b.scenes {
		gains := func(r result) bool { return r.dir == dir && a.helps(r) }
		if !slices.ContainsFunc(c.results, gains) {
			continue
		}
		var asks []ask
		var offers []rehearsal.Offer
		var environ []string
		if s := t.scenes[dir]; s != nil {
			asks, offers, environ = s.asks, s.session.Offers, s.extra
		}
		for _, more := range c.asked {
			if more.dir == dir && !slices.ContainsFunc(asks, func(a ask) bool { return a.id == more.id }) {
				asks = append(asks, more)
			}
		}
		t.scenes[dir] = b.scene(rehearsal.Policy, dir, asks, union(offers, c.control.offers),
			union(environ, c.control.environ))
	}
}

// union is a followed by what else there is in b.
func union[T comparable](a, b []T) []T {
	a = slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(a, v) {
			a = append(a, v)
		}
	}
	return a
}

// play plays the trial's sessions, once.
func (t *trial) play(ctx context.Context, b *bench) {
	t.once.Do(func() {
		theatre := *b.theatre
		theatre.Host = t.host
		var playing sync.WaitGroup
		for _, s := range t.scenes {
			s.session.Name += ", " + t.name
			playing.Go(func() { b.slot(func() { s.play(ctx, &theatre, b.o.Played) }) })
		}
		playing.Wait()
	})
}

// outcome is what became of a fix.
type outcome struct {
	works, untried bool // untried: no session came of it

	said  string
	price []report.Evidence
}

// outcome judges what the trial of an attempt showed for an inquiry.
func (b *bench) outcome(c *inquiry, a *attempt) outcome {
	for _, s := range a.trial.scenes {
		if s.err != nil {
			return outcome{untried: true, said: "not tested: " + s.err.Error()}
		}
	}
	broken := ""
	for _, r := range c.results {
		s := a.trial.scenes[r.dir]
		if s == nil || !a.helps(r) && r.status != report.Pass {
			continue
		}
		if call, through := s.of(r.id); !through && broken == "" {
			broken = literal(call.Text)
		}
	}
	opened := b.opened(a.trial)
	switch {
	case opened != nil && broken == "":
		return outcome{said: "rejected, although it works: it removes a protection: " + several(opened)}
	case opened != nil:
		return outcome{said: "does not work, and removes a protection: " + several(opened)}
	case broken != "":
		return outcome{said: "does not work, seen here: " + broken}
	}
	o := outcome{works: true, said: fmt.Sprintf("works, and does not work without it; %sall %d other protections still "+
		"work. Price: %s",
		letsSay(a.lets(c)), b.holding(), a.fix.Price)}
	if strings.Contains(a.fix.Settings, "allowAllUnixSockets") {
		o.price = b.openedSockets()
	}
	return o
}

// opened lists the denials that do not hold in a trial, or that nobody can
// judge any more.
func (b *bench) opened(t *trial) []string {
	var list []string
	for _, dir := range slices.Sorted(maps.Keys(t.scenes)) {
		for _, o := range b.denials(dir, t.scenes[dir]) {
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
	for _, o := range b.held[""] {
		if !o.Control && o.Status == report.Pass {
			n++
		}
	}
	return n
}
