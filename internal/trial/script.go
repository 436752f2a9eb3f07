// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a script makes every call once, and as few commands as can
// be told apart: each costs a sandbox of its own.

package trial

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
)

// perTurn bounds the calls of one message. The runtime keeps their order, and each
// message costs about 40 ms of a processor by itself (2.1.330). More replies than
// these could exceed the 200,000 characters after which it cuts them off.
const perTurn = 100

// lastTurn is the last turn of a forbidden action.
const lastTurn = 2

// script is the turns that make the calls of probes, and where each is.
// Probes with the same call share it, and calls of the stage's tool in one
// turn share a command.
type script struct {
	turns []model.Turn
	at    map[string]position
}

// position is where a call is: the call i of a turn, and part of so many of it.
type position struct{ turn, i, part, parts int }

// newScript orders the calls, after those of first; those of one turn are made in
// their order. What the Write tool writes is read before: of a file that is there,
// the runtime wants that.
func newScript(first []model.Turn, asked []Probe) script {
	s := script{turns: slices.Clip(first), at: map[string]position{}}
	var probes, with []Probe
	last := 0
	for _, p := range asked {
		if p.Call.Act == model.Write {
			path := fmt.Sprint(p.Call.Input["file_path"])
			probes = append(probes, Probe{Call: model.Do(model.Read, "file_path", path), Turn: p.Turn})
		}
		probes, with = append(probes, p), append(with, p.With...)
	}
	probes = append(probes, with...)
	for _, p := range probes {
		last = max(last, p.Turn)
	}
	for turn := range last + 1 {
		var calls []Probe
		for _, p := range probes {
			key := p.key()
			if _, there := s.at[key]; !there && p.Turn == turn {
				s.at[key] = position{}
				calls = append(calls, p)
			}
		}
		s.add(calls)
	}
	return s
}

// add adds the calls of one turn. What the stage's tool does is put together,
// in the place of the last such call.
func (s *script) add(calls []Probe) {
	var lines []string
	for _, p := range calls {
		if line, ok := p.joins(); ok {
			lines = append(lines, line)
		}
	}
	var together []string
	var part [][2]int
	if len(lines) > 1 {
		together, part = rehearsal.Together(lines)
	}
	parts := make([]int, len(together))
	for _, at := range part {
		parts[at[0]]++
	}
	var turn model.Turn
	end := func() {
		if turn != nil {
			s.turns, turn = append(s.turns, turn), nil
		}
	}
	place := func(c model.Call) position {
		if len(turn) == perTurn {
			end()
		}
		turn = append(turn, c)
		return position{turn: len(s.turns), i: len(turn) - 1, parts: 1}
	}
	var joined []Probe
	for _, p := range calls {
		if _, ok := p.joins(); !ok || together == nil {
			s.at[p.key()] = place(p.Call)
			continue
		}
		of, n := part[len(joined)][0], part[len(joined)][1]
		if joined = append(joined, p); n+1 < parts[of] {
			continue
		}
		at := place(model.Bash(together[of]))
		at.parts = parts[of]
		for at.part = range at.parts {
			s.at[joined[len(joined)-at.parts+at.part].key()] = at
		}
	}
	end()
}

// joins is the command line of a call that does nothing but start the stage's
// tool, in the sandbox that every command has.
func (p Probe) joins() (line string, ok bool) {
	c := p.Call
	line, ok = c.Line()
	return line, ok && !p.Alone && c.Act == model.Run && len(c.Input) == 1 && rehearsal.Joins(line)
}

// key tells the calls of a script apart.
func (p Probe) key() string {
	if p.Alone {
		return p.ID
	}
	b, _ := json.Marshal(p.Call) // strings and lists of them always encode
	return string(b)
}

// call is what came of a probe's call; calls are those of the session.
func (s script) call(calls func(turn, i int) rehearsal.Call, p Probe) rehearsal.Call {
	at, ok := s.at[p.key()]
	if !ok {
		return notMade
	}
	c := calls(at.turn, at.i)
	if at.parts > 1 {
		return c.Part(at.part, at.parts)
	}
	return c
}
