// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package gitrepo

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestWhatIsTooLongHidesNothingBehindIt: a repository chooses what its files hold, and
// one of them is longer than what is kept of git's output.
func TestWhatIsTooLongHidesNothingBehindIt(t *testing.T) {
	testenv.AsUser(t)
	p := newPlace(t)
	root := p.path("p")
	p.write(p.path("p", "a"), "first", 0o644)
	p.write(p.path("p", "long"), "", 0o644)
	testenv.OK(t, os.Truncate(p.path("p", "long"), 65<<20))
	p.write(p.path("p", "z"), "last", 0o644)
	for _, args := range [][]string{{"init", "-q"}, {"add", "--all"}} {
		testenv.Git(t, p.environ, root, args...)
	}
	known := Contents(t.Context(), p.host, root, ":a", ":missing", ":long", ":z", ":a/none")
	if got := slices.Sorted(maps.Keys(known)); !slices.Equal(got, []string{":a", ":z"}) ||
		string(known[":a"]) != "first" || string(known[":z"]) != "last" {
		t.Errorf("known is what stands in %q", got)
	}
}
