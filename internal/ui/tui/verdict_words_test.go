// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// TestAProtectedLaunchHasItsPlace: beside a degraded one, too, a launch that is open in a
// directory is not called protected without a place.
func TestAProtectedLaunchHasItsPlace(t *testing.T) {
	j := engine.Judged{Verdict: report.Degraded,
		Launches: map[report.Launch]report.Verdict{report.Iso: report.Degraded, report.Plain: report.Protected},
		Covers: []report.Cover{
			{Launch: report.Plain, Start: report.AtRoot, Dir: "/home/u/p", Status: report.Pass, Rehearsed: true},
			{Launch: report.Plain, Start: report.AtSub, Status: report.Fail, Denied: 2, Through: 60, Rehearsed: true},
		}}
	if said := rangeWords(j, report.Facts{Home: "/home/u"}); !strings.Contains(said, "~/p itself") {
		t.Error(said)
	}
}
