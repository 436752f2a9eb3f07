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
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// Outcome is what the denials of verify came to with a change.
type Outcome struct {
	// Opened are those that do not hold with it, Held how many hold.
	Opened []string
	Held   int
	// Err says why it was not tried.
	Err error
}

// ErrOpen is why a change is not judged: what it would open is open.
var ErrOpen = errors.New("without it denials do not hold here either; verify says which")

// Denials plays the denials of verify on a stage with each of some changes.
func Denials(ctx context.Context, r host.Reader, o Options, changes []report.Change) []Outcome {
	list := make([]Outcome, len(changes))
	b := &bench{r: host.Once(r), o: o, slots: trial.NewSlots(r), emit: func(engine.Event) {}}
	if b.prepare(ctx); b.noStage != nil {
		for i := range list {
			list[i].Err = b.noStage
		}
		return list
	}
	pair := b.pairs([]scene{root}, nil)
	var playing sync.WaitGroup
	playing.Go(func() { b.play(ctx, pair, b.theatre, nil) })
	treatments := make([]*treatment, len(changes))
	for i, c := range changes {
		treatments[i] = &treatment{name: "with a change", host: host.Changed(b.r, c), root: true}
		playing.Go(func() { treatments[i].play(ctx, b) })
	}
	playing.Wait()
	b.trials[root].judge()
	alone := errors.Join(pair[0].Err, pair[1].Err)
	if alone == nil && unheld(b.trials[root].outcomes) != nil {
		alone = ErrOpen
	}
	for i, t := range treatments {
		if list[i].Err = errors.Join(alone, t.trials[""].Err); list[i].Err == nil {
			list[i].Opened, list[i].Held = b.opened(t), b.holding()
		}
	}
	return list
}
