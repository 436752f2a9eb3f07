// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: layers and verdicts have one order (DESIGN, "The four
// layers").

package report

// Layers lists the layers in the order in which a report shows them.
var Layers = []Layer{LayerCleanEnv, LayerSandbox, LayerPermissions, LayerConfirmation, LayerVisibility, LayerTools}

// Weaker returns the worse of two verdicts.
func Weaker(a, b Verdict) Verdict {
	if b.Exit() > a.Exit() {
		return b
	}
	return a
}

// Status is the status whose sign stands for the verdict.
func (v Verdict) Status() Status {
	switch v {
	case Protected:
		return Pass
	case Degraded:
		return Warn
	}
	return Fail
}
