// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an error that reaches the user says what happened,
// where, why it matters and what to do next, and carries its exit code.

package report

import (
	"errors"
	"slices"
)

// Error is a failure in the user's words.
type Error struct {
	// Code is the exit code that the failure ends the program with.
	Code int
	// What happened; Where it happened ("path:line:col"), if anywhere.
	What, Where string
	// Why it matters and what to do Next; either may be empty. Lines are those of
	// this program that Next leads to: they follow it (Advice).
	Why, Next string
	Lines     []Line
	// Err is the cause, if there is one.
	Err error
}

// Error returns the failure as one line; renderers use the parts.
func (e *Error) Error() string {
	if e.Where != "" {
		return e.Where + ": " + e.Happened()
	}
	return e.Happened()
}

// Happened is what happened, with the cause.
func (e *Error) Happened() string {
	if e.Err != nil {
		return e.What + ": " + e.Err.Error()
	}
	return e.What
}

// Advice is what to do next, with the lines of this program by its plain name.
func (e *Error) Advice() string {
	said := e.Next
	for _, l := range e.Lines {
		said += l.String()
	}
	return said
}

// Advise adds to what to do next.
func (e *Error) Advise(more string) {
	if len(e.Lines) == 0 {
		e.Next += more
		return
	}
	e.Lines = append(slices.Clip(e.Lines), Line{After: more})
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorEvidence is an error as evidence, at its own place if it has one.
func ErrorEvidence(where string, err error) Evidence {
	if e, ok := errors.AsType[*Error](err); ok && e.Where != "" {
		return FileEvidence(e.Where, e.What)
	}
	return FileEvidence(where, err.Error())
}

// Exit codes. The first three are read by command: verify answers with the
// verdict, install and undo with what is left for the user.
const (
	ExitOK          = 0
	ExitLeft        = 1 // something is left for the user to run or decide
	ExitDegraded    = 1
	ExitUnprotected = 2
	ExitUsage       = 64
	ExitMalformed   = 65 // a file that must be understood is not
	ExitInternal    = 70
	ExitStale       = 75 // the plan no longer matches, or the lock is held
	ExitNotFound    = 127
	ExitInterrupted = 130
)
