// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a script makes every call once, and as few commands as can
// be told apart: each costs a sandbox of its own.

package probe

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
)

// PerTurn bounds the calls of one message. The runtime keeps their order, and each
// message costs about 40 ms of a processor by itself (2.1.330). More replies than
// these could exceed the 200,000 characters after which it cuts them off.
const PerTurn = 100

// lastTurn is the last turn of a probe.
const lastTurn = 2

// Script is the turns that make the calls of probes, and where each is.
// Probes with the same call share it, and calls of the stage's tool in one
// turn share a command.
type Script struct {
	Turns []model.Turn
	at    map[string]position
}

// position is where a call is: the call i of a turn, and part of so many of it.
type position struct{ turn, i, part, parts int }

// NewScript orders the calls. What the Write tool writes is read before: of a
// file that is there, the runtime wants that.
func NewScript(probes []Probe) Script {
	s := Script{at: map[string]position{}}
	for _, p := range probes {
		probes = append(slices.Clip(probes), p.With...)
		if path, ok := p.Call.Input["file_path"]; ok && p.Call.Tool == "Write" {
			probes = append(slices.Clip(probes), Probe{Call: model.Call{Tool: "Read", Input: map[string]any{"file_path": path}}})
		}
	}
	for turn := range lastTurn + 1 {
		var calls []model.Call
		for _, p := range probes {
			key := keyOf(p.Call)
			if _, there := s.at[key]; !there && p.Turn == turn {
				s.at[key] = position{}
				calls = append(calls, p.Call)
			}
		}
		s.add(calls)
	}
	return s
}

// add adds the calls of one turn. What the stage's tool does is put together,
// in the place of the first such call.
func (s *Script) add(calls []model.Call) {
	var lines []string
	for _, c := range calls {
		if line, ok := ofTool(c); ok {
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
			s.Turns, turn = append(s.Turns, turn), nil
		}
	}
	place := func(c model.Call) position {
		if len(turn) == PerTurn {
			end()
		}
		turn = append(turn, c)
		return position{turn: len(s.Turns), i: len(turn) - 1, parts: 1}
	}
	var placed []position
	n := 0
	for _, c := range calls {
		if _, ok := ofTool(c); !ok || together == nil {
			s.at[keyOf(c)] = place(c)
			continue
		}
		for placed == nil || len(placed) <= part[n][0] {
			placed = append(placed, place(model.Bash(together[len(placed)])))
		}
		at := placed[part[n][0]]
		at.part, at.parts = part[n][1], parts[part[n][0]]
		s.at[keyOf(c)] = at
		n++
	}
	end()
}

// ofTool is the command line of a call that does nothing but start the stage's
// tool, in the sandbox that every command has.
func ofTool(c model.Call) (line string, ok bool) {
	line, ok = c.Input["command"].(string)
	return line, ok && c.Tool == "Bash" && len(c.Input) == len(model.Bash("").Input) && rehearsal.Joins(line)
}
func keyOf(c model.Call) string {
	key := c.Tool
	for _, name := range []string{"command", "file_path", "content", "url", "allowed_domains", "skill", "args", "to",
		"dangerouslyDisableSandbox"} {
		if v, ok := c.Input[name]; ok {
			if text, isText := v.(string); isText {
				key += "\x00" + name + "\x00" + text
			} else {
				key += "\x00" + name
			}
		}
	}
	return key
}

// Call returns what came of a probe's call.
func (s Script) Call(raw rehearsal.Raw, p Probe) rehearsal.Call { return s.Calls(raw)(p) }

// Calls reads a session once, and returns what came of each probe's call.
func (s Script) Calls(raw rehearsal.Raw) func(Probe) rehearsal.Call {
	calls := raw.Calls()
	return func(p Probe) rehearsal.Call {
		at, ok := s.at[keyOf(p.Call)]
		if !ok {
			return rehearsal.Call{Decision: rehearsal.NotMade}
		}
		c := calls(at.turn, at.i)
		if at.parts > 1 {
			return c.Part(at.part, at.parts)
		}
		return c
	}
}
