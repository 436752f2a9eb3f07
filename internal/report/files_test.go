// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is counted is what a user would count.

package report_test

import (
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

func TestFilesAreCountedAsAUserKnowsThem(t *testing.T) {
	for name, c := range map[string]struct{ paths, want []string }{
		"two changes of one":   {[]string{"/a", "/b", "/a"}, []string{"/a", "/b"}},
		"a new repository":     {[]string{"/r/.git/HEAD", "/r/.git/refs/x", "/r/README"}, []string{"/r/.git", "/r/README"}},
		"one of git's":         {[]string{"/r/.git/config", "/r/x", "/r/.git/config"}, []string{"/r/.git/config", "/r/x"}},
		"two repositories":     {[]string{"/r/.git/a", "/s/.git/a", "/r/.git/b"}, []string{"/r/.git", "/s/.git/a"}},
		"not git's":            {[]string{"/r/.github/a", "/r/.github/b"}, []string{"/r/.github/a", "/r/.github/b"}},
		"nothing, and no list": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := report.KnownOnce(c.paths); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			var changes []report.Change
			for _, path := range c.paths {
				changes = append(changes, report.Change{Path: path})
			}
			if got := report.Files(changes); got != len(c.want) {
				t.Errorf("counted %d", got)
			}
		})
	}
}

func TestAShareOfOneThingIsSaidInTheSingular(t *testing.T) {
	for want, n := range map[string][2]int{"the hook fired": {1, 1}, "0 of 1 hook fired": {0, 1},
		"1 of 3 hooks fired": {1, 3}, "3 of 3 hooks fired": {3, 3}, "0 of 0 hooks fired": {0, 0}} {
		if got := report.OfAll(n[0], n[1], "hook fired", "hooks fired"); got != want {
			t.Errorf("%d of %d: %q, want %q", n[0], n[1], got, want)
		}
	}
}
