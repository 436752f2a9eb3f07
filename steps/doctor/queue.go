// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is tried whatever comes of anything else begins at once,
// what takes longest first, so that no session is left to the end alone.

package doctor

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
)

// queue plays what fixes are refuted by, and what is tried in any case, each as soon
// as there is room. It returns at once; all waits for it.
func (b *bench) queue(ctx context.Context, cases []*inquiry, all *sync.WaitGroup) {
	sieve := b.sieves(ctx, cases)
	list := certain(cases)
	slices.SortStableFunc(list, func(x, y *treatment) int { return cmp.Compare(y.length(), x.length()) })
	if sieve != nil { // others wait for it
		list = slices.Insert(list, 0, sieve)
	}
	for _, t := range list {
		t.queued = make(chan struct{})
	}
	all.Go(func() {
		for _, t := range list {
			begun := make(chan struct{})
			begin := sync.OnceFunc(func() { close(begun) })
			all.Go(func() {
				defer close(t.queued)
				defer begin()
				defer func() { t.broke = recover() }() // play raises it again, for each probe's guard
				t.perform(ctx, b, begin)
			})
			<-begun
		}
	})
}

// certain are the treatments of the attempts that nothing refutes before, and that
// no smaller fix of their probe makes needless.
func certain(cases []*inquiry) (list []*treatment) {
	for _, c := range cases {
		for _, a := range c.tried {
			needless := func(o *attempt) bool { return o.treatment != nil && o.treatment != a.treatment && a.holds(o) }
			if a.treatment != nil && a.sieve == nil && !slices.ContainsFunc(c.tried, needless) {
				list = report.Union(list, a.treatment)
			}
		}
	}
	return list
}

// slowCalls is how many calls a slow one counts for (measured: a browser or a
// package manager takes about as long as eight commands of git).
const slowCalls = 8

// length is what the sessions of a treatment have to do, in calls.
func (t *treatment) length() (calls int) {
	for _, m := range t.members {
		for _, a := range m.c.asked {
			switch {
			case !m.tells(a, t.root):
			case a.slow:
				calls += slowCalls
			default:
				calls++
			}
		}
	}
	return calls
}

// announced is a player that says when its first session begins.
type announced struct {
	rehearsal.Player
	begin func()
}

// Play implements rehearsal.Player.
func (p announced) Play(ctx context.Context, s rehearsal.Session) (rehearsal.Raw, error) {
	p.begin()
	return p.Player.Play(ctx, s)
}
