// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a report is read in one order, whatever order its checks
// ran in (DESIGN, "The four layers" and "Check ids of verify").

package report

import "slices"

// Layers lists the layers in the order in which a report shows them.
var Layers = []Layer{LayerCleanEnv, LayerSandbox, LayerPermissions, LayerConfirmation, LayerVisibility, LayerTools}

// contract is the order of the checks of verify, then of update, in which what
// is no longer blocked comes first.
var contract = []ID{
	"tools-pinned", "runtime-advisories", "sandbox-support", "project-settings", "project-code",
	"policy-invariants", "effective-sandbox", "user-wiring", "hook-scripts", "hooks-fire", "clean-env",
	"project-root", "scope", "denials", "mcp-servers",
	"drift-denials", "drift-framework", "drift-tools", "drift-scripts", "drift-settings",
}

// Place is where the contract names a check, counted from 0; a check that it
// does not name is past its end.
func Place(id ID) int {
	if i := slices.Index(contract, id); i >= 0 {
		return i
	}
	return len(contract)
}

// InOrder returns findings in the order of the contract; those that it does
// not name come last, as they are.
func InOrder(findings []Finding) []Finding {
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b Finding) int { return Place(a.Check) - Place(b.Check) })
	return sorted
}

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
