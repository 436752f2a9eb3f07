// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rehearsal is kept only for the machine on which it was
// played.

package update_test

import (
	"context"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/regress"
)

func TestARuntimeReplacedDuringTheRehearsalIsNoticed(t *testing.T) {
	m := newMachine(t)
	m.remove(".cache")
	for _, name := range []string{"a", "b"} {
		m.put("bin/claude-"+name, m.get("bin/claude")+"# "+name+"\n", 0o755)
	}
	lead := func(name string) {
		m.remove("bin/claude")
		m.symlink(m.at("bin/claude-"+name), "bin/claude")
	}
	lead("a")
	play := m.opts.Play
	m.opts.Play = func(ctx context.Context, r host.Reader) (regress.Record, error) {
		if real, err := r.Resolve(m.at("bin/claude")); err != nil || real != m.at("bin/claude-a") {
			t.Errorf("played with %s, %v", real, err)
		}
		lead("b")
		return play(ctx, r)
	}
	for range 2 { // nothing of b is kept for a
		m.plays = 0
		m.report()
		if m.plays != 1 {
			t.Errorf("%d rehearsals, want 1", m.plays)
		}
		lead("a")
	}
}
