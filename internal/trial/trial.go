// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package trial is scripted calls, the session that makes them, its twin, and
// the judgement of both.
//
// Contract: verify, the doctor and its explanations try calls in the same way:
// New plans a session that makes them, Slots play it, Judge holds it against
// its twin. A call that got through is seen by what it left: a canary's nonce,
// a file of the stage, a request at the listener. One that did not is a denial
// only if the layer that kept it is known: a rule's by the runtime's word and
// a neighbouring call that passed, one of the operating system or the network
// by its twin, the identical call without the sandbox, that got through. All
// else is unknown. What is tried, and how it is judged, is pure.
package trial

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
)

// Trial is one session that makes calls, and what came of them.
type Trial struct {
	Session rehearsal.Session
	// Probes are judged, More are made beside them.
	Probes, More []Probe
	// Played says that the rest is known: what was seen, why there is
	// nothing to judge, and how long it took.
	Played bool
	Raw    rehearsal.Raw
	Err    error
	Took   time.Duration

	script script
	// calls reads Raw, which was read once; nil if the session was not played.
	calls func(turn, i int) rehearsal.Call
}

// New plans a session: after the turns that it has, it makes the calls of
// probes, which are judged, and of more, which are not.
func New(s rehearsal.Session, probes []Probe, more ...Probe) *Trial {
	t := &Trial{Probes: probes, More: more, script: newScript(s.Turns, append(slices.Clip(probes), more...))}
	s.Turns = t.script.turns
	for _, p := range probes {
		if f := p.Through.File; f != "" && !slices.Contains(s.Watch, f) {
			s.Watch = append(slices.Clip(s.Watch), f)
		}
	}
	t.Session = s
	return t
}

// notMade is what came of a call that a session does not have.
var notMade = rehearsal.Call{Told: agent.Told{Decision: agent.NotMade}}

// Seen is what came of a call in one session, and whether it got through.
type Seen struct {
	rehearsal.Call
	Through bool
}

// See is what came of the call of a probe. One that leaves nothing got through
// when the runtime started it.
func (t *Trial) See(p Probe) Seen { return t.reader()(p) }

// reader is See for many probes: the session is read once.
func (t *Trial) reader() func(Probe) Seen {
	calls := t.calls
	if calls == nil {
		calls = t.Raw.Calls()
	}
	return func(p Probe) Seen {
		c := t.script.call(calls, p)
		if p.Through == (Through{}) {
			return Seen{c, c.Decision == agent.Ran}
		}
		own := !p.Control || p.Through.Reply == "" || apart(c) // the reply of another call is no control's
		return Seen{c, c.Decision != agent.NotMade && own && p.Through.Seen(t.Raw, c.Text)}
	}
}

// Asks says whether the session makes the call of the probe with that ID.
func (t *Trial) Asks(id string) bool {
	return slices.ContainsFunc(t.Probes, func(p Probe) bool { return p.ID == id })
}

// Of is what came of the call of the probe with that ID; one that the session
// does not have was not made.
func (t *Trial) Of(id string) Seen {
	if i := slices.IndexFunc(t.Probes, func(p Probe) bool { return p.ID == id }); i >= 0 {
		return t.See(t.Probes[i])
	}
	return Seen{Call: notMade}
}

// maxPlays bounds how often a session is played: a proxy that never comes is a
// finding. It is seldom late twice: 120 sessions of 2.1.141 on a busy machine
// saw it in time (measured).
const maxPlays = 3

// play is the trial once it was played, again if the runtime's own proxy came
// too late for a call: chance is no finding.
func (t Trial) play(ctx context.Context, player rehearsal.Player) Trial {
	for range maxPlays {
		if t.Raw, t.Err = player.Play(ctx, t.Session); t.Err == nil {
			t.Err = t.Raw.Complete()
		}
		t.calls = t.Raw.Calls()
		if t.Err != nil || !t.late() {
			break
		}
	}
	t.Played = true
	return t
}

// lateProxy is the catalog's entry for a proxy that does not listen yet.
const lateProxy = "proxy-not-ready"

// late says whether a call found no proxy. Those of the stage's own tool wait
// for it.
func (t Trial) late() bool {
	return slices.ContainsFunc(t.Probes, func(p Probe) bool {
		if !p.Alone {
			return false
		}
		c := t.See(p)
		_, found := catalog.Match(c.Text, "", func(f catalog.Found) bool { return f.Hint.ID == lateProxy })
		return found && !c.Through
	})
}

// Slots bound how many sessions play at once.
type Slots struct {
	free chan struct{}
	now  func() time.Time
}

// NewSlots are those that this machine has room for.
func NewSlots(r host.Reader) Slots {
	return Slots{make(chan struct{}, rehearsal.AtOnce(r)), r.System().Now}
}

// Do runs f when there is room beside the others that run.
func (s Slots) Do(f func()) {
	s.free <- struct{}{}
	defer func() { <-s.free }()
	f()
}

// Play plays trials, begun in their order, and returns when all were played.
// done, if not nil, is handed each then, by one goroutine at a time.
func (s Slots) Play(ctx context.Context, player rehearsal.Player, done func(*Trial), trials ...*Trial) {
	var playing sync.WaitGroup
	var mu sync.Mutex
	for _, t := range trials {
		s.free <- struct{}{}
		playing.Go(func() {
			defer func() { <-s.free }()
			begun := s.now()
			played := t.play(ctx, player)
			played.Took = s.now().Sub(begun)
			mu.Lock()
			defer mu.Unlock()
			if *t = played; done != nil {
				done(t)
			}
		})
	}
	playing.Wait()
}
