// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/steward-setup/steward-setup/steps/update"
)

// What go install built says the version that it was asked for: update compares it with
// the one that installed.
func TestAProgramThatGoInstalledKnowsItsVersion(t *testing.T) {
	for _, c := range []struct{ set, module, want string }{{update.NoVersion, "v1.2.3", "v1.2.3"},
		{update.NoVersion, "(devel)", update.NoVersion}, {update.NoVersion, "", update.NoVersion},
		{"1.2.4", "v1.2.3", "1.2.4"}} {
		if got := built(c.set, c.module); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
