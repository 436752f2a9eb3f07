// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the replies are those of 2.1.141 with a socat that was
// held back; none of them is timed. Of a reply that line is shown that says what
// went wrong.

package trial

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
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
			git := Probe{ID: "git", Call: model.Bash("git"), Through: Through{Reply: "canary"}, Alone: true}
			player := &replies{list: c.replies}
			s := New(rehearsal.Session{}, []Probe{git}).play(t.Context(), player)
			if call := s.Of("git"); s.Err != nil || player.played != len(c.replies) || call.Text != c.last {
				t.Errorf("played %d times, %q, %v", player.played, call.Text, s.Err)
			}
		})
	}
}

func TestTheLineThatSaysWhatWentWrong(t *testing.T) {
	for reply, want := range map[string]string{
		"Exit code 128\nwarning: x\nfatal: not a git repository\n": "fatal: not a git repository",
		"Connection blocked\n<sandbox_violations>\ndeny network-outbound example.com:443 (denied)\n" +
			"</sandbox_violations>": "Connection blocked",
		"<tool_use_error>Permission to use Read has been denied.</tool_use_error>": "Permission to use Read has been denied.",
		"Cloning into 'p'...\nConnection reset by 192.0.2.2 port 8481\nfatal: Could not read from remote repository.\n\n" +
			"Please make sure you have the correct access rights\nand the repository exists.\n": "Connection reset by " +
			"192.0.2.2 port 8481",
		"Exit code 1":                    NoOutput,
		"":                               NoOutput,
		strings.Repeat("ä", 300) + "end": strings.Repeat("ä", 150) + "…",
	} {
		if got := Line(reply); got != want {
			t.Errorf("%q: %q, want %q", reply, got, want)
		}
	}
}

// TestACallByItselfIsNotShared: what an agent would call by itself is a command
// of its own, after the turns that a session has, and is found there.
func TestACallByItselfIsNotShared(t *testing.T) {
	reach := model.Bash(rehearsal.Tool(rehearsal.ToolReach, "unix", "/a", "/b"))
	probes := []Probe{{ID: "joined", Call: model.Bash(rehearsal.Tool(rehearsal.ToolRead, "/a")), Turn: 1},
		{ID: "one", Call: reach, Turn: 1, Alone: true, Through: Through{Reply: "of one"}},
		{ID: "two", Call: reach, Turn: 1, Alone: true, Through: Through{Reply: "of one"}},
		{ID: "later", Call: reach, Turn: lastTurn + 2, Alone: true}}
	own := model.Turn{model.Bash("first")}
	s := New(rehearsal.Session{Turns: []model.Turn{own}}, probes, Probe{ID: "more", Call: model.Bash("more")})
	var calls []int
	for _, turn := range s.Session.Turns {
		calls = append(calls, len(turn))
	}
	if !slices.Equal(calls, []int{1, 1, 3, 1}) {
		t.Fatalf("the turns have %d calls", calls)
	}
	s.Raw.Results = map[string]model.Result{model.ID(2, 1): {Text: "of one"}, model.ID(2, 2): {Text: "of two"},
		model.ID(3, 0): {Text: "last"}}
	if one, two := s.Of("one"), s.Of("two"); !one.Through || two.Through || two.Text != "of two" {
		t.Errorf("%+v and %+v", one, two)
	}
	if later := s.Of("later"); later.Text != "last" {
		t.Errorf("%+v", later)
	}
	if none := s.Of("nobody"); none.Decision != agent.NotMade || none.Through {
		t.Errorf("what no session has is answered: %+v", none)
	}
}

// TestWhatLeavesNothingGotThroughWhenItWasStarted: of a call that is only
// decided about, nothing else is looked at.
func TestWhatLeavesNothingGotThroughWhenItWasStarted(t *testing.T) {
	line := Probe{ID: "line", Call: model.Bash("cat")}
	for meta, want := range map[string]Decider{accepted: Allowed, denied: Rule, asked: Confirmation} {
		s := played([]Probe{line}, map[string]string{"cat": "whatever"}, map[string]string{"cat": meta})
		if o := s.Judge(&Trial{})[0]; o.Layer != want || o.Seen.Through != (want == Allowed) {
			t.Errorf("%s: %s, through %v", meta, o.Layer, o.Seen.Through)
		}
	}
	if o := played([]Probe{line}, nil, nil).Judge(&Trial{})[0]; o.Seen.Through || o.Status != report.Unknown {
		t.Errorf("what was not made is %s", o.Status)
	}
}
