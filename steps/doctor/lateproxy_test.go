// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the replies are those of 2.1.141 with a socat that was
// held back; none of them is timed.

package doctor

import (
	"context"
	"errors"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/probe"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
)

const (
	tooEarly = "fatal: unable to access 'https://example.com:8480/x.git/': Failed to connect to localhost port 3128 " +
		"after 0 ms: Couldn't connect to server"
	refused = "fatal: unable to access 'https://example.com:8480/x.git/': CONNECT tunnel failed, response 403"
)

// replies plays sessions of one call, each with the next of its replies.
type replies struct {
	list   []string
	played int
}

func (r *replies) Play(context.Context, rehearsal.Session) (rehearsal.Raw, error) {
	if r.played == len(r.list) {
		return rehearsal.Raw{}, errors.New("was asked once more")
	}
	text := r.list[r.played]
	r.played++
	return rehearsal.Raw{Asked: true, Stream: `{"type":"result"}`,
		Results: map[string]model.Result{model.ID(0, 0): {Text: text}}}, nil
}

func TestARequestBeforeTheProxyIsMadeAgain(t *testing.T) {
	for name, c := range map[string]struct {
		replies []string
		last    string
	}{
		"in time":           {[]string{refused}, refused},
		"late once":         {[]string{tooEarly, refused}, refused},
		"late every time":   {[]string{tooEarly, tooEarly, tooEarly}, tooEarly},
		"late, got through": {[]string{tooEarly + " canary"}, tooEarly + " canary"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scene{asks: []ask{{id: "git", through: probe.Through{Reply: "canary"}}}, at: map[string][2]int{"git": {0, 0}}}
			player := &replies{list: c.replies}
			s.play(t.Context(), player, nil)
			call, _ := s.of("git")
			if s.err != nil || player.played != len(c.replies) || call.Text != c.last {
				t.Errorf("played %d times, %q, %v", player.played, call.Text, s.err)
			}
		})
	}
}
