// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: chance is no finding. A request that was made before the
// runtime's own proxy listened is made again.

package doctor

import (
	"context"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
)

// lateProxy is the catalog's entry for it.
const lateProxy = "proxy-not-ready"

// maxPlays bounds how often a session is played: a proxy that never comes is a
// finding. It is seldom late twice: 120 sessions of 2.1.141 on a busy machine
// saw it in time (measured).
const maxPlays = 3

// play plays the session, again if the proxy came too late for a call.
func (s *scene) play(ctx context.Context, player rehearsal.Player, played func(rehearsal.Raw)) {
	s.session.Timed = played != nil
	for range maxPlays {
		s.raw, s.err = player.Play(ctx, s.session)
		if played != nil {
			played(s.raw)
		}
		if s.err == nil {
			s.err = s.raw.Complete()
		}
		if s.err != nil || !s.late() {
			return
		}
	}
}

// late says whether a call of the session found no proxy.
func (s *scene) late() bool {
	for _, a := range s.asks {
		call, through := s.of(a.id)
		_, found := catalog.Match(call.Text, "", func(f catalog.Found) bool { return f.Hint.ID == lateProxy })
		if found && !through {
			return true
		}
	}
	return false
}
