// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: everything that a renderer can show is an event here, so
// that text, JSON and screens cannot disagree.

package engine

import "github.com/steward-setup/steward-setup/internal/report"

// Event is one thing that happened. The set is closed.
type Event interface{ event() }

// Sink takes events in the order in which they happened.
type Sink func(Event)

// The events.
type (
	// PlanReady carries a plan that can be shown and approved. Apply is
	// the exact line that would apply it, "" where there is none.
	PlanReady struct {
		Plan  report.Plan
		Apply string
	}
	// ChangeDone says that one change of n was written, or why not.
	ChangeDone struct {
		Change report.Change
		Index  int // from 1
		Of     int
		Err    error
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
	// Note is one line that is neither plan nor finding.
	Note struct{ Text string }
)

func (PlanReady) event()    {}
func (ChangeDone) event()   {}
func (Applied) event()      {}
func (CheckStarted) event() {}
func (CheckDone) event()    {}
func (Note) event()         {}
