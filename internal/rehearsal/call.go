// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what came of a call is what it got back and who decided about
// it; the agent's own channels are read behind the seam.

package rehearsal

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/model"
)

// Call is what came of one scripted call.
type Call struct {
	agent.Told
	// Ended says that the stage's tool said its last word: what it did not
	// get before, it was refused.
	Ended bool
	// Shared says that the command did something else besides: who kept it from
	// running perhaps meant that.
	Shared bool
	// Text is the reply.
	Text string
}

func (raw Raw) agent() agent.Agent { return agent.Named(raw.Agent) }

// Record is what the agent's own channels say of the session.
func (raw Raw) Record() agent.Record { return raw.agent().Read(raw.Stream) }

// Calls reads the session once, and returns what came of call i of turn t.
func (raw Raw) Calls() func(t, i int) Call {
	record := raw.Record()
	return func(t, i int) Call {
		id := model.ID(t, i)
		result, made := raw.Results[id]
		if !made {
			return Call{Told: agent.Told{Decision: agent.NotMade}}
		}
		c := Call{Told: record.Told(id, result.Text)}
		before, after, ended := cutLine(result.Text, toolEnds)
		c.Text, c.Ended = strings.TrimSpace(before+"\n"+after), ended
		return c
	}
}

// Call returns what came of call i of turn t.
func (raw Raw) Call(t, i int) Call { return raw.Calls()(t, i) }
