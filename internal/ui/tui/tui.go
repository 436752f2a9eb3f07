// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package tui is the program on a terminal: the home screen, the install
// wizard with its review, what is shown while a plan is applied, the report of
// the checks, the doctor's probes, and the page on which a ready-made plan (an undo) is confirmed.
//
// Contract: pages turn keys into asks; only a model acts on an ask, and only
// by commands that call what it was given. There are two: the wizard, and the
// viewer, which has nothing in it that writes. Nothing is read from disk or
// written to it here. Apply is called once enter was
// pressed on the review page, with exactly the plan that stood there.
// Whatever ends a run (a key, the end of input, the context, a panic), the
// terminal is as it was before. Foreign text is made safe before it is laid
// out. A terminal that answers no query is never waited for. TERM=dumb is the
// caller's to send elsewhere: internal/ui/plain says the same as lines.
package tui

import (
	"context"
	"io"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Backend does the wizard's work. Its methods run outside the screen's own
// goroutine, one at a time.
type Backend interface {
	// Propose computes the plan that follows from the answers.
	Propose(ctx context.Context, a report.Answers) (report.Proposal, error)
	// Apply writes exactly p, whose id is what the user approved. It emits
	// ChangeDone for each change and Applied at the end, stops at the
	// first failure, and stops between two changes when ctx ends.
	Apply(ctx context.Context, p report.Plan, emit engine.Sink) error
	// Recheck looks at what was written; it emits CheckStarted, CheckDone,
	// Progress and, last, Judged. It ends soon when ctx ends.
	Recheck(ctx context.Context, emit engine.Sink)
	// ApplyLine is the command line that gives these answers without the
	// wizard.
	ApplyLine(a report.Answers) string
}

// Terminal is where the screens are shown: both ends are a terminal, and
// Environ ("NAME=value") says which one.
type Terminal struct {
	In      io.Reader
	Out     io.Writer
	Environ []string
	// Called, if set, is an error with what to do next as it can be done here.
	Called func(error) error
	// Home is the home directory: paths below it are shown with "~".
	Home string
}

// Options are what is known before the wizard starts.
type Options struct {
	// Command is the word after the program's name in the header.
	Command string
	// StepByStep opens every page in its turn, without asking first whether
	// the recommended answers will do.
	StepByStep bool
	// First is a proposal for Given, if there is one already.
	First *report.Proposal
	// Given are the answers given by flags: they are not asked again.
	Given report.Answers
	// Validate, if set, judges what was typed as the answer to a question.
	Validate func(report.Question, []string) error
	// Checks, if set, lists what Recheck will ask, in the order in which it
	// is shown; it is called once a plan is applied, and only computes.
	Checks func() []engine.Check
	// AsCalled, if set, says the next steps as they can be taken here.
	AsCalled AsCalled
	// Actions are the commands that the last page leads to once every check
	// has answered. The keys ?, q, r, v, y, j, k, l and n are taken.
	Actions []Action
	// Waiting, if set, is what the page says that waits for the first plan.
	Waiting string
	// Acknowledge, if set, has to be typed before its section is shown.
	Acknowledge *Acknowledgement
	// Fixed, if set, names the sections that cannot be left out.
	Fixed func(report.ID) bool
	// AllEntries says that no entry of a section can be left out by itself.
	AllEntries bool
	// Leads are commands that a section's page can have follow, by the
	// section. The key is a key of the page too; s and w are free on one
	// without changes.
	Leads map[report.ID]Action
	// TakeBack is the command that takes back what the wizard writes, as
	// the review names it before there is a receipt; "" if it need not be
	// said.
	TakeBack string
}

// End says how a run of the screens ended.
type End string

// The ends. Failed comes with the error that stopped the run.
const (
	Quit        End = "quit"        // left with a key; nothing was written
	Applied     End = "applied"     // written, or nothing had to be
	Interrupted End = "interrupted" // ctrl-c, end of input, or the context
	Failed      End = "failed"
)

// Outcome is what is left of a run once the screen is gone.
type Outcome struct {
	End End
	// Key is the key of the Action that was chosen, "" if none was.
	Key string
	// Approved is the plan of the last page, Answers what was answered for it.
	Approved report.PlanID
	Answers  report.Answers
	// Written counts the files that are on disk. It can be above zero
	// for every End but Quit.
	Written int
	// Findings are the answers of the last re-check, none if it did not come to
	// its end.
	Findings []report.Finding
	// Left counts what the last plan leaves to the user: commands that are
	// not optional, and decisions.
	Left int
}
