// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a check by a model approves is not held: it approves
// what it is talked into.

package verify

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
)

// withoutAutoMode is the remedy for what auto mode lets through.
var withoutAutoMode = report.Command{ID: "install", Line: "steward-setup install", Optional: true,
	Why: "set permissions.disableAutoMode"}

// inAutoMode adds why the session was in auto mode, once.
func (t *tally) inAutoMode(o *openers) {
	why := report.EnvEvidence("permission mode auto", "permissions.disableAutoMode is set nowhere. The runtime's check "+
		"approves calls in place of you.")
	if set := o.e.Scalar(claude.KeyDisableAutoMode...); set.Value != nil {
		why = report.FileEvidence(set.Where(), "permissions.disableAutoMode is "+text(set.Value)+
			", and the session was in auto mode")
	}
	if !slices.Contains(t.evidence, why) {
		t.evidence = append(t.evidence, why)
	}
	t.mend(withoutAutoMode)
}
