// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package regress compares two rehearsals call by call: what a runtime held
// that another lets through, what it asks about, and what nobody can say.
//
// Contract: everything here is pure. A denial is lost only where both
// rehearsals observed the call: one that could not be judged is unproven, not
// lost and not held.
package regress

import (
	"time"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// Result is what became of one call.
type Result string

// The results.
const (
	Held     Result = "held"     // denied, and by which layer is known
	Prompted Result = "prompted" // a prompt alone kept it, where a deny rule should
	Through  Result = "through"  // a denied call got through
	Exposed  Result = "exposed"  // it got through, and the policy allows it
	Works    Result = "works"    // an allowed call got through
	Unproven Result = "unproven" // it was not observed
)

// Answer is what became of one call in one session.
type Answer struct {
	Session string `json:"session"`
	// Call is the probe's stable id, Title completes "a command …".
	Call   string        `json:"call"`
	Title  string        `json:"title"`
	Result Result        `json:"result"`
	Layer  trial.Decider `json:"layer,omitempty"`
	Why    string        `json:"why,omitempty"`
}

// asked says whether a person is asked about the call.
func (a Answer) asked() bool { return a.Layer == trial.Confirmation }

// Hook is one wired hook of the setup.
type Hook struct {
	Event  string `json:"event"`
	Script string `json:"script"`
	Fires  bool   `json:"fires"`
	// Saw says what was seen of it.
	Saw string `json:"saw,omitempty"`
}

// Record is one rehearsal of a runtime, as it is kept and compared.
type Record struct {
	// Runtime is the version, At when it was rehearsed.
	Runtime string    `json:"runtime"`
	At      time.Time `json:"at"`
	Answers []Answer  `json:"answers"`
	Hooks   []Hook    `json:"hooks,omitempty"`
	// StatusLine are the keys of what a status line is told, dotted; none if it
	// was not seen.
	StatusLine []string `json:"status_line,omitempty"`
	// Failed are the sessions without a result, and why.
	Failed map[string]string `json:"failed,omitempty"`
	// Seconds are how long each session took.
	Seconds map[string]float64 `json:"seconds,omitempty"`
}

// AnswerOf is the answer that an outcome of a session is.
func AnswerOf(session string, o trial.Outcome) Answer {
	a := Answer{Session: session, Call: o.ID, Title: o.Title, Layer: o.Layer, Why: o.Why, Result: Unproven}
	switch {
	case o.Status == report.Pass && o.Control:
		a.Result = Works
	case o.Status == report.Warn && o.Layer == trial.Allowed:
		a.Result = Exposed
	case o.Status == report.Pass || o.Status == report.Warn: // a warning: a prompt kept it, and no rule has to
		a.Result = Held
	case o.Status == report.Fail && o.Layer == trial.Confirmation:
		a.Result = Prompted
	case o.Status == report.Fail:
		a.Result = Through
	}
	if a.Result == Unproven {
		a.Layer = trial.Nobody
	}
	return a
}

// Weakness is a known fault of some versions of a runtime; Effect says of which, and what
// follows.
type Weakness struct{ ID, Title, Effect string }
