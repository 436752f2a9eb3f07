// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a closed set of statuses; what could not be determined
// is Unknown, and Unknown is never shown or counted as a pass.

package report

import "cmp"

// ID names a check, a section, an item or a question: kebab-case, stable,
// since users script against it.
type ID string

// Layer is the layer of the setup that a finding speaks about (README).
type Layer string

// The layers, outermost last.
const (
	LayerCleanEnv     Layer = "clean-env"
	LayerSandbox      Layer = "sandbox"
	LayerPermissions  Layer = "permissions"
	LayerConfirmation Layer = "confirmation"
	LayerVisibility   Layer = "visibility"
	LayerTools        Layer = "tools"
)

// Status is the answer of a check.
type Status string

// The statuses. Warn is a variant or a drift that is perhaps intended; Skip
// means that the question does not apply here.
const (
	Pass    Status = "pass"
	Warn    Status = "warn"
	Fail    Status = "fail"
	Skip    Status = "skip"
	Unknown Status = "unknown"
)

// Statuses lists every status, worst first; it is the order of summaries.
var Statuses = []Status{Fail, Unknown, Warn, Skip, Pass}

// Symbol is the sign of a status. A renderer always prints it beside a word
// or a colour, never alone.
func (s Status) Symbol() string { return cmp.Or(symbols[s], "?") }

var symbols = map[Status]string{Pass: "✓", Warn: "⚠", Fail: "✗", Skip: "⊘"}
