// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent"
)

func TestNpmIsSilentWhereNothingNeedsIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode     Mode
		programs []string
		want     int
	}{
		{Policy, []string{"curl"}, 1},
		{Twin, nil, 1},
		{Hooks, nil, 0},
		{Policy, []string{"curl", "npm"}, 0},
	} {
		theatre := Theatre{Programs: c.programs}
		if got := theatre.silenced(agent.Layout{Silent: []string{"npm"}}, Session{Mode: c.mode}); len(got) != c.want {
			t.Errorf("%s with %v: %d files, want %d", c.mode, c.programs, len(got), c.want)
		}
	}
}
