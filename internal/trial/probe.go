// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a probe says what would show that its call got through, and
// where that is seen: never in the words of a reply where there is another
// channel.

package trial

import (
	"cmp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Decider is what decided about a call.
type Decider string

// Named is the layer in words.
func (d Decider) Named() string { return cmp.Or(string(d), "a layer that is not known") }

// The layers that decide.
const (
	Rule         Decider = "permission-rule"
	Confirmation Decider = "confirmation"
	Filesystem   Decider = "sandbox-filesystem"
	Network      Decider = "sandbox-network"
	Seccomp      Decider = "seccomp"
	Environment  Decider = "environment"
	Hook         Decider = "hook"
	Runtime      Decider = "runtime"       // it loads nothing that a command made
	Mention      Decider = "no-attachment" // it attaches no file that a text names
	Allowed      Decider = "allowed"
	Nobody       Decider = "" // it was not found out
)

// Probe is one question to a session.
type Probe struct {
	// ID is stable; Title completes what Says begins.
	ID, Title string
	Call      model.Call
	// Below is the layer that holds the call back when the runtime lets it
	// run.
	Below Decider
	// Subject is the path, host or variable that it is about, "" if it is
	// about something else; by Below it is told which.
	Subject string
	// Through tells what shows that the call got through.
	Through Through
	// Started, if not "", is what the reply says of a call that did its work:
	// without it, that nothing got through says nothing.
	Started string
	// Control: the call must get through, or the denials of the same kind
	// say nothing.
	Control bool
	// Neighbour is the ID of the control for a rule's denial.
	Neighbour string
	// Exposed, if not "", says that the policy does not mean to deny this,
	// and where it says so.
	Exposed string
	// Ruled: the policy that install proposes has a deny rule for it, Required:
	// every policy needs that. A prompt is no denial then: a person may approve
	// it, for the whole session.
	Ruled, Required bool
	// Opaque: no rule that people write can see what the call does. One
	// that holds it all the same says nothing of other programs.
	Opaque bool
	// Turn orders calls: those of a turn are made after those of the turns
	// before it.
	Turn int
	// Alone: the call is a command of its own, as an agent makes it, and shares
	// none with another probe.
	Alone bool
	// With are calls that belong to it, each with its turn. They are made and
	// not judged.
	With []Probe
}

// Says is a sentence of what the call does: who does it, and the title.
func (p Probe) Says() string {
	if _, command := p.Call.Line(); command {
		return "a command " + p.Title
	}
	return "the agent " + p.Title
}

// Through is what shows that a call got through; what is set must all hold.
type Through struct {
	// Reply holds in the reply: the nonce of a canary, or a value.
	Reply string
	// Sent is the nonce of a canary that the model was sent, in whatever
	// part of a request.
	Sent string
	// Hit is a path that the listener was asked for.
	Hit string
	// File, if not "", holds Text when the session is over.
	File, Text string
}

// Seen says whether raw shows it; reply is what the call got back.
func (t Through) Seen(raw rehearsal.Raw, reply string) bool {
	text, there := raw.Files[t.File]
	return (t.Reply == "" || strings.Contains(reply, t.Reply)) && (t.Sent == "" || slices.Contains(raw.Sent, t.Sent)) &&
		(t.Hit == "" || slices.Contains(raw.Hits, t.Hit)) && (t.File == "" || there && strings.Contains(text, t.Text))
}

// Outcome is the judgement over one probe.
type Outcome struct {
	Probe
	// Layer decided, Nobody if that is unknown.
	Layer Decider
	// Status is Pass for a denial that was observed and a control that got
	// through, Fail for what got through and for what only a prompt kept and
	// a rule should have, Warn for an exposure and where the rule is optional.
	Status report.Status
	// Why says what was seen, in half a sentence.
	Why string
	// Reply is the line of what the call got back that says what went wrong.
	Reply string
	// Seen is what came of it, Twin the same in the twin.
	Seen, Twin Seen
}
