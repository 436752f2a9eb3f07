// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where the time of a session went is told by those who saw
// it: the host, the player on the stage, the scripted model, and the runtime's
// own stream. It is kept only when it is asked for.

package rehearsal

import (
	"time"

	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Times says when the parts of a session were done.
type Times struct {
	// Begun is when the stage began to be worked out, Started when it was
	// started, Done when its result had been read: on the host.
	Begun   time.Time `json:"begun"`
	Started time.Time `json:"started"`
	Done    time.Time `json:"done"`
	// Inside is when the player had its job, Laid when the files lay there,
	// Launched and Ended are those of the runtime; on the stage.
	Inside   time.Time `json:"inside"`
	Laid     time.Time `json:"laid"`
	Launched time.Time `json:"launched"`
	Ended    time.Time `json:"ended"`
	// Requests are what the runtime asked the model.
	Requests []model.Asked `json:"requests,omitempty"`
	// CPU is the processor time of everything on the stage, 0 if it was not
	// counted.
	CPU time.Duration `json:"cpu_ns"`
	// Plays is how many times it was played.
	Plays int `json:"plays"`
}

// watch has the model note when it is asked, if the times are wanted.
func (raw *Raw) watch(api *model.Server) {
	if raw.Times != nil {
		api.Note(proc.Moment)
	}
}

// launched notes how long the runtime ran.
func (raw *Raw) launched(res proc.Result) {
	if raw.Times != nil {
		raw.Times.Launched, raw.Times.Ended = res.Began, res.Ended
	}
}

// FloorName is the name of the session of Floor.
const FloorName = "floor: the same runtime, nothing to do"

// Floor is a session in dir whose script is empty: what a session costs at the
// least.
func Floor(dir string) Session {
	return Session{Name: FloorName, Launch: report.Plain, Mode: Policy, Dir: dir, Turns: []model.Turn{{}}, Timed: true}
}
