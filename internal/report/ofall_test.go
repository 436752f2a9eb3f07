// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a share is said in the number that it has.

package report_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

func TestAShareOfOneThingIsSaidInTheSingular(t *testing.T) {
	for want, n := range map[string][2]int{"the hook fired": {1, 1}, "0 of 1 hook fired": {0, 1},
		"1 of 3 hooks fired": {1, 3}, "3 of 3 hooks fired": {3, 3}, "0 of 0 hooks fired": {0, 0}} {
		if got := report.OfAll(n[0], n[1], "hook fired", "hooks fired"); got != want {
			t.Errorf("%d of %d: %q, want %q", n[0], n[1], got, want)
		}
	}
}
