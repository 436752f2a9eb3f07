// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whoever is told that the sandbox is not the cause is told
// what to do instead.

package catalog

import "testing"

func TestWhatIsNotTheSandboxHasANextStep(t *testing.T) {
	for _, e := range load(t) {
		for _, platform := range []string{"linux", "darwin"} {
			a := Answer{Entry: e, Verdict: Ordinary}
			if len(a.Instead(platform)) == 0 {
				t.Errorf("%s on %s: nothing to do instead", e.ID, platform)
			}
			a.Verdict = Sandboxed
			if got := a.Instead(platform); got != nil {
				t.Errorf("%s on %s is the sandbox's: %q", e.ID, platform, got)
			}
		}
	}
}
