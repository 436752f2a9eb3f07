// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: many checks ask the same of git and of the tools; each
// question is asked once. Nothing else is remembered: what tries something
// out is tried each time.

package host

import (
	"context"
	"sync"

	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// Once returns r as a reader that asks each question (proc.Spec.Question) only
// once, for the time of one command. It may be used by several goroutines: the
// second that asks waits for the answer to the first.
func Once(r Reader) Reader { return &once{Reader: r, answers: map[string]*answer{}} }

type once struct {
	Reader
	mu      sync.Mutex
	answers map[string]*answer
}

type answer struct {
	once   sync.Once
	result proc.Result
}

func (o *once) Run(ctx context.Context, s proc.Spec) proc.Result {
	key, ok := s.Question()
	if !ok {
		return o.Reader.Run(ctx, s)
	}
	o.mu.Lock()
	a := o.answers[key]
	if a == nil {
		a = &answer{}
		o.answers[key] = a
	}
	o.mu.Unlock()
	a.once.Do(func() { a.result = o.Reader.Run(ctx, s) })
	return a.result
}

// Anew returns the reader below Once and Still: it is for who has to notice what
// changed since they were asked.
func Anew(r Reader) Reader {
	for {
		switch known := r.(type) {
		case *once:
			r = known.Reader
		case *still:
			r = known.Reader
		default:
			return r
		}
	}
}
