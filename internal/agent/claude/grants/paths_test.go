// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package grants

import "testing"

// TestHoldsPath: a pattern of settings against a path, of which each may have wildcards.
func TestHoldsPath(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		holds         bool
	}{
		{"/mnt", "/mnt", true},
		{"/mnt/", "/mnt/data", true},
		{"/mnt/data", "/mnt", false},
		{"/mnt", "/mnt-old", false},
		{"/", "/mnt", true},
		{"/run/user", "/run/us*", true},
		{"/run/us*", "/run/user/1000", true},
		{"/run/*/1000", "/run/user", false},
		{"/data/**", "/data", true},
		{"/data/**/secrets", "/data/a/b/secrets", true},
		{"/data/secret", "/data/**/x", true},
		{"/data/secret/x", "/data/**", false},
		{"/home/ana/a[1]", "/home/ana/a[1]/x", true},
		{"/home/ana/a[1]", "/home/ana/a2/x", false},
	} {
		if got := HoldsPath(c.pattern, c.path); got != c.holds {
			t.Errorf("%s holds %s: %t, want %t", c.pattern, c.path, got, c.holds)
		}
	}
}
