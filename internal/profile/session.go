// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a session's parts follow one another without a gap that is
// not named.

package profile

import (
	"cmp"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
)

// Session adds a session that was played with its times.
func (t *Trace) Session(raw rehearsal.Raw) {
	at := raw.Times
	if at == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if raw.Session == rehearsal.FloorName {
		t.floor = at.CPU
	} else {
		t.sessions++
		t.cpu += at.CPU
	}
	lane := t.lane(at.Begun, at.Done)
	calls := raw.Record().Times()
	args := map[string]any{"cpu_ms": at.CPU.Milliseconds(), "calls": len(raw.Results), "requests": len(at.Requests)}
	if at.Plays > 1 {
		args["plays"] = at.Plays
	}
	t.span(lane, raw.Session, at.Begun, at.Done, args)
	t.span(lane, "stage: work out the layout", at.Begun, at.Started, nil)
	t.span(lane, "stage: start", at.Started, at.Inside, nil)
	t.span(lane, "stage: lay files", at.Inside, at.Laid, nil)
	t.span(lane, "stage: listeners, offers, sandbox status", at.Laid, at.Launched, nil)
	t.span(lane, "runtime", at.Launched, at.Ended, nil)
	if len(at.Requests) == 0 {
		t.span(lane, "runtime: never asked the model", at.Launched, at.Ended, nil)
	} else {
		t.span(lane, "runtime: start", at.Launched, at.Requests[0].At, nil)
		t.span(lane, "runtime: end", at.Requests[len(at.Requests)-1].Answered, at.Ended, nil)
	}
	for i, r := range at.Requests {
		t.span(lane, "model: answer", r.At, r.Answered, map[string]any{"request_bytes": r.Bytes})
		if i+1 < len(at.Requests) {
			t.turn(lane, r.Answered, at.Requests[i+1].At, calls)
		}
	}
	t.span(lane, "gather, hand over and read the result", at.Ended, at.Done, nil)
}

// turn adds the calls between two requests, and the waits before and after
// them.
func (t *Trace) turn(lane int, from, to time.Time, calls []agent.CallTime) {
	last := from
	for _, c := range calls {
		began := c.Began
		if began.IsZero() {
			began = last // this record keeps no more
		}
		if c.Ended.IsZero() || began.Before(from) || c.Ended.Before(began) || c.Ended.After(to) {
			continue
		}
		if began.Before(last) {
			began = last // it waited for the call before it
		} else {
			t.span(lane, "wait", last, began, nil)
		}
		t.span(lane, strings.TrimSpace("call: "+cmp.Or(c.Tool, c.ID)+" "+c.What), began, c.Ended, map[string]any{"id": c.ID})
		last = c.Ended
	}
	t.span(lane, "wait", last, to, nil)
}

// Sink hands events to next and notes those that bracket checks.
func (t *Trace) Sink(next engine.Sink) engine.Sink {
	return func(e engine.Event) {
		t.note(e)
		next(e)
	}
}

func (t *Trace) note(e engine.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e := e.(type) {
	case engine.CheckStarted:
		t.open[string(e.ID)] = t.now()
	case engine.CheckDone:
		t.span(checksLane, "check "+string(e.Finding.Check), t.open[string(e.Finding.Check)], t.now(),
			map[string]any{"status": string(e.Finding.Status)})
	}
}
