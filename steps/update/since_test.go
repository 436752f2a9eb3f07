// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is told later of a report is what the report said.

package update_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/update"
)

// TestAReportThatWasOnlyUnknown is no drift later either.
func TestAReportThatWasOnlyUnknown(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, c := range []struct {
		tools, settings report.Status
		unknown         bool
	}{
		{report.Unknown, report.Pass, true},
		{report.Unknown, report.Warn, false},
		{report.Pass, report.Pass, false},
	} {
		update.Begin(t.Context(), host.Once(m.reader()), m.opts).Keep(t.Context(), m.reader(), m.opts,
			[]report.Finding{{Check: update.Denials, Status: report.Pass}, {Check: update.Tools, Status: c.tools},
				{Check: update.Settings, Status: c.settings}})
		if s := update.LookSince(t.Context(), host.Once(m.reader()), m.opts); s.Unknown != c.unknown {
			t.Errorf("%+v: %+v", c, s)
		}
	}
}
