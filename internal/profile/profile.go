// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package profile says where the time of a run went: the checks, and of every
// session its stage, the start of the runtime, each call, and what lies
// between.
//
// Contract: what it makes is a Chrome trace, a JSON array of complete events
// (chrome://tracing and Perfetto open it). It measures nothing itself, and
// holds no text that did not pass internal/redact.
package profile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/steward-setup/steward-setup/internal/redact"
)

// event is one event of the trace (Trace Event Format, "complete events" and
// "metadata events").
type event struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	Begin int64          `json:"ts"`             // microseconds since the run began
	Took  int64          `json:"dur"`            // microseconds
	PID   int            `json:"pid"`            // always 1
	TID   int            `json:"tid"`            // the lane
	Args  map[string]any `json:"args,omitempty"` // details
}

// Lanes. Sessions that overlap have one each, from firstSession on.
const (
	checksLane   = 1
	sumLane      = 0
	firstSession = 2
)

// Trace gathers the events of a run. It may be used from several goroutines.
type Trace struct {
	mu     sync.Mutex
	now    func() time.Time
	zero   time.Time
	events []event
	busy   []time.Time // until when each lane of sessions is taken
	open   map[string]time.Time

	sessions int
	cpu      time.Duration
	floor    time.Duration
}

// New returns a trace of a run that begins now.
func New(now func() time.Time) *Trace {
	return &Trace{now: now, zero: now(), open: map[string]time.Time{}}
}

// span adds an event; what has no beginning or no end was not seen.
func (t *Trace) span(lane int, name string, from, to time.Time, args map[string]any) {
	if from.IsZero() || to.Before(from) {
		return
	}
	t.events = append(t.events, event{Name: redact.Text(name), Phase: "X", Begin: from.Sub(t.zero).Microseconds(),
		Took: to.Sub(from).Microseconds(), PID: 1, TID: lane, Args: args})
}

// lane is the first one that is free from then on.
func (t *Trace) lane(from, to time.Time) int {
	i := slices.IndexFunc(t.busy, func(until time.Time) bool { return !from.Before(until) })
	if i < 0 {
		i, t.busy = len(t.busy), append(t.busy, to)
	}
	t.busy[i] = to
	return firstSession + i
}

// JSON is the trace of command, which ends now.
func (t *Trace) JSON(command string) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := t.now()
	meta := []event{{Name: "process_name", Phase: "M", PID: 1, Args: map[string]any{"name": "steward-setup " + command}},
		named(sumLane, "the whole run"), named(checksLane, "checks")}
	for i := range t.busy {
		meta = append(meta, named(firstSession+i, "sessions"))
	}
	sum := event{Name: command, Phase: "X", Took: end.Sub(t.zero).Microseconds(), PID: 1, TID: sumLane,
		Args: map[string]any{
			"sessions": t.sessions, "cpu_ms": t.cpu.Milliseconds(), "floor_cpu_ms": t.floor.Milliseconds()}}
	if t.floor > 0 && t.sessions > 0 {
		sum.Args["cpu_per_session_and_floor"] = round(float64(t.cpu) / float64(t.sessions) / float64(t.floor))
	}
	slices.SortStableFunc(t.events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(b.Took, a.Took))
	})
	var out bytes.Buffer
	for i, e := range slices.Concat(meta, []event{sum}, t.events) {
		b, err := json.Marshal(e)
		if err != nil {
			panic(err) // strings and numbers always encode
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		out.Write(b)
	}
	return redact.JSON([]byte("[" + out.String() + "\n]\n"))
}

func round(ratio float64) float64 { return float64(int(ratio*100+0.5)) / 100 }

func named(lane int, name string) event {
	return event{Name: "thread_name", Phase: "M", PID: 1, TID: lane, Args: map[string]any{"name": name}}
}
