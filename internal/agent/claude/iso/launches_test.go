// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is shown of both launches is shown by the same script
// on machines that are alike.

package iso_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// inBothLaunches runs what a test shows of both launches, each in a lab of its
// own with the approved policy: start plays a session there.
func inBothLaunches(t *testing.T, show func(t *testing.T, l *lab, start func(script ...model.Turn) session)) {
	t.Helper()
	testenv.AsRoot(t)
	t.Parallel()
	for _, launch := range []report.Launch{report.Plain, report.Iso} {
		t.Run(string(launch), func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.approve()
			show(t, l, func(script ...model.Turn) session {
				if launch == report.Plain {
					return l.plain("p", script...)
				}
				return l.hardened("p", iso.Options{}, script...)
			})
		})
	}
}
