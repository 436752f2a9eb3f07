// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: everything that a renderer can show is an event here, so
// that text, JSON and screens cannot disagree.

package engine

import (
	"cmp"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Event is one thing that happened. The set is closed.
type Event interface{ event() }

// Sink takes events in the order in which they happened.
type Sink func(Event)

// The events.
type (
	// PlanReady carries a plan that can be shown and approved. Apply is
	// the exact line that would apply it, "" where there is none. Answers
	// are those that it was made with, where questions were put. Rest is what
	// approving it does where no file is left to change, "" if nothing.
	PlanReady struct {
		Plan    report.Plan
		Apply   string
		Rest    string
		Answers []report.Answered
	}
	// ChangeDone says that one change was written, or why not. Index counts the
	// changes, from 1. File is what a user knows its file as (report.Known), Nth
	// counts those, from 1, and Files is how many there are: several changes may
	// be of one.
	ChangeDone struct {
		Change     report.Change
		Index      int
		File       string
		Nth, Files int
		Err        error
	}
	// Applied says that a plan's changes are written, the receipt under
	// which they can be taken back, and the line that does so (both are ""
	// if there were none).
	Applied struct {
		Plan              report.Plan
		Receipt, TakeBack string
	}
	// CheckStarted and CheckDone bracket one check.
	CheckStarted struct {
		ID    report.ID
		Title string
	}
	CheckDone struct{ Finding report.Finding }
	// Progress says how far something is that takes seconds: Done parts
	// of Of, and what is being done.
	Progress struct {
		Text     string
		Done, Of int
	}
	// ProbeStep is one column of a doctor's probe: "outside", "inside" or
	// "fix". Each column may be told more than once, as it becomes known. GoesOn
	// says of the first that the probe is tried inside now.
	ProbeStep struct {
		ID      report.ID
		Column  Column
		Status  report.Status
		Summary string
		GoesOn  bool
		// Refusal is the Summary in its parts where that says who refused.
		Refusal Refusal
	}
	// Refusal says what a probe was refused inside: by which layers, whether that is
	// by design, what the call and its error were, and what works nevertheless ("" for
	// nothing). The zero value is none.
	Refusal struct {
		Layers      []catalog.Refuser
		ByDesign    bool
		Said, Works string
	}
	// Judged closes a report: what all findings together say. Age is that
	// of the stored result from which live findings were taken, 0 if none
	// were; Elapsed is how long it all took.
	Judged struct {
		Verdict report.Verdict
		// Said, if not "", is the verdict in the words of another report than
		// verify's; From is "" there.
		Said string
		// Launches are the verdicts of the ways to start the agent that
		// were told apart.
		Launches map[report.Launch]report.Verdict
		// Covers say of each launch where it holds and where it does not.
		Covers []report.Cover
		// Live is what was asked for: "auto", "always" or "never". From is
		// where the live findings are from.
		Live    string
		From    LiveFrom
		Age     time.Duration
		Elapsed time.Duration
	}
	// Note is one line that is neither plan nor finding.
	Note struct{ Text string }
)

// Column is a part of a doctor's experiment.
type Column string

// The columns: the control outside the sandbox, the same inside, and with a
// fix from the catalog.
const (
	Outside Column = "outside"
	Inside  Column = "inside"
	WithFix Column = "fix"
)

// LiveFrom says where live findings are from.
type LiveFrom string

// Live findings are from a rehearsal of this run, from the stored result of an
// earlier one, from somebody's file of evidence, or there are none.
const (
	FromRehearsal LiveFrom = "rehearsal"
	FromStored    LiveFrom = "stored"
	FromFile      LiveFrom = "file"
	FromNowhere   LiveFrom = "none"
)

// Word is the verdict as it is shown.
func (j Judged) Word() string { return cmp.Or(j.Said, string(j.Verdict)) }

func (PlanReady) event()    {}
func (ChangeDone) event()   {}
func (Applied) event()      {}
func (CheckStarted) event() {}
func (CheckDone) event()    {}
func (Progress) event()     {}
func (ProbeStep) event()    {}
func (Judged) event()       {}
func (Note) event()         {}

// String is the refusal as a report says it: "seccomp and mount: ssh-add: not permitted".
func (r Refusal) String() string {
	layers := make([]string, 0, len(r.Layers))
	for _, l := range r.Layers {
		layers = append(layers, string(l))
	}
	said := strings.Join(layers, " and ") + ": " + r.Said
	switch {
	case r.ByDesign && r.Works != "":
		return r.Works + "; by design: " + said
	case r.ByDesign:
		return "by design: " + said
	case r.Works != "":
		return r.Works + "; blocked: " + said
	}
	return said
}
