// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a change is held against the denials of verify on a stage,
// beside the same session without it.

package doctor

import (
	"context"
	"errors"
	"sync"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/probe"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Outcome is what the denials of verify came to with a change.
type Outcome struct {
	// Opened are those that do not hold with it, Held how many hold.
	Opened []string
	Held   int
	// Err says why it was not tried.
	Err error
}

// Denials plays the denials of verify on a stage with each of some changes.
func Denials(ctx context.Context, r host.Reader, o Options, changes []report.Change) []Outcome {
	list := make([]Outcome, len(changes))
	b := &bench{r: host.Once(r), o: o, slots: make(chan struct{}, rehearsal.AtOnce(r)), emit: func(engine.Event) {}}
	if b.prepare(ctx); b.noStage != nil {
		for i := range list {
			list[i].Err = b.noStage
		}
		return list
	}
	plan := func(mode rehearsal.Mode) *scene { return b.scene(mode, "", nil, nil, nil) }
	p := pair{plan(rehearsal.Policy), plan(rehearsal.Twin)}
	b.scenes = map[string]pair{"": p}
	var playing sync.WaitGroup
	for _, s := range []*scene{p.policy, p.twin} {
		playing.Go(func() { b.slot(func() { s.play(ctx, b.theatre, b.o.Played) }) })
	}
	trials := make([]*trial, len(changes))
	for i, c := range changes {
		trials[i] = &trial{name: "with a change", host: with(b.r, c), scenes: map[string]*scene{"": plan(rehearsal.Policy)}}
		playing.Go(func() { trials[i].play(ctx, b) })
	}
	playing.Wait()
	alone := errors.Join(p.policy.err, p.twin.err)
	if alone == nil {
		b.held = map[string][]probe.Outcome{"": b.denials("", p.policy)}
	}
	for i, t := range trials {
		if list[i].Err = errors.Join(alone, t.scenes[""].err); list[i].Err == nil {
			list[i].Opened, list[i].Held = b.opened(t), b.holding()
		}
	}
	return list
}
