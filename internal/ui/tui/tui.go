// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package tui is the program on a terminal: the install wizard, its review,
// what is shown while a plan is applied, the report, and the page on which a
// ready-made plan (an undo) is confirmed.
//
// Contract: one bubbletea model whose pages turn keys into asks; only the
// model acts on an ask, and only by commands that call the Backend. Nothing
// is read from disk or written to it here. Apply is called once enter was
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
	// Recheck looks at what was written; it emits CheckStarted and
	// CheckDone.
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
}

// Options are what is known before the wizard starts.
type Options struct {
	// Command is the word after the program's name in the header.
	Command string
	// First is a proposal for Given, if there is one already.
	First *report.Proposal
	// Given are the answers given by flags: they are not asked again.
	Given report.Answers
	// Validate, if set, judges what was typed as the answer to a question.
	Validate func(report.Question, []string) error
}

// End says how a run of the screens ended.
type End string

// The ends. Failed comes with the error that stopped the run.
const (
	Quit        End = "quit"        // left with q before anything was written
	Applied     End = "applied"     // written, or nothing had to be
	Interrupted End = "interrupted" // ctrl-c, end of input, or the context
	Failed      End = "failed"
)

// Outcome is what is left of a run once the screen is gone.
type Outcome struct {
	End End
	// Written counts the changes that are on disk. It can be above zero
	// for every End but Quit.
	Written int
	// Receipt names what was written, for undo; "" if the backend named
	// none, in which case the newest receipt is the one.
	Receipt string
	// Findings are the answers of the last re-check.
	Findings []report.Finding
	// Left counts what the last plan leaves to the user: commands that are
	// not optional, and decisions.
	Left int
}
