// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was not observed is not a pass: no twin, no
// neighbour, no channel means unknown.

package probe

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Judge judges every probe by the session raw and its twin, which made the
// calls of twinScript.
func Judge(probes []Probe, script Script, raw rehearsal.Raw, twinScript Script, twin rehearsal.Raw) []Outcome {
	outcomes := make([]Outcome, 0, len(probes))
	passed := map[string]bool{}
	calls, twins := script.Calls(raw), twinScript.Calls(twin)
	for _, p := range probes {
		if p.Control {
			passed[p.ID] = p.Through.Seen(raw, calls(p).Text)
		}
	}
	for _, p := range probes {
		call, second := calls(p), twins(p)
		j := judged{p: p, call: call, through: p.Through.Seen(raw, call.Text), passed: passed}
		j.twin = whole(second) && p.Through.Seen(twin, second.Text)
		o := j.outcome()
		o.Probe, o.Reply = p, firstLine(j.call.Text)
		if j.call.Words && (o.Layer == Rule || o.Layer == Confirmation || o.Layer == Hook) {
			o.Why += " (told by the words of the reply alone)"
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

// whole says whether a call of the twin was made, and its reply can be told from
// those of the calls that shared its command.
func whole(c rehearsal.Call) bool {
	return c.Decision != rehearsal.NotMade && c.Decision != rehearsal.Cut && (c.Ended || !c.Shared)
}

// judged is one probe and what is known of it.
type judged struct {
	p             Probe
	call          rehearsal.Call
	through, twin bool
	passed        map[string]bool
}

func (j judged) outcome() Outcome {
	p := j.p
	switch {
	case j.call.Decision == rehearsal.NotMade:
		return unknown("the session did not reach this call")
	case j.call.Decision == rehearsal.Cut && !j.through:
		return unknown("it was cut off: " + j.call.Why)
	case p.Control && j.through:
		return Outcome{Layer: Allowed, Status: report.Pass, Why: "works"}
	case p.Control:
		return Outcome{Layer: j.held(), Status: report.Unknown, Why: "a call that must work did not: " +
			firstLine(j.call.Text)}
	case j.through && p.Exposed != "":
		return Outcome{Layer: Allowed, Status: report.Warn, Why: p.Exposed}
	case j.through:
		return Outcome{Layer: Allowed, Status: report.Fail, Why: "succeeded"}
	case p.Neighbour != "" && !j.passed[p.Neighbour]:
		return unknown("nothing of this kind works in the session, so a denial proves nothing")
	}
	held := j.held()
	if unread(p.Call.Tool, j.call.Text) {
		held = Confirmation
	}
	switch {
	case !p.Control && missing(p.Call.Tool, j.call.Text):
		return Outcome{Layer: Rule, Status: report.Pass, Why: "this session has no " + p.Call.Tool + " tool"}
	case held == Confirmation && p.Ruled && p.Exposed != "":
		return Outcome{Layer: Confirmation, Status: report.Warn, Why: p.Exposed}
	case held == Confirmation && p.Ruled:
		o := Outcome{Layer: Confirmation, Status: report.Warn, Why: "no deny rule: only a prompt protects it"}
		if p.Required {
			o.Status = report.Fail
		}
		return o
	case held == Rule || held == Confirmation || held == Hook:
		if p.Opaque || j.call.Shared {
			return unknown("blocked by " + string(held) + " that covers only this program")
		}
		return Outcome{Layer: held, Status: report.Pass, Why: "blocked by " + string(held)}
	default:
		if command, _ := p.Call.Input["command"].(string); rehearsal.OfTool(command) && !j.call.Ended {
			return unknown("its reply was cut short")
		}
		if !strings.Contains(j.call.Text, p.Started) {
			return unknown("it did not do its work: " + firstLine(j.call.Text))
		}
		if !j.twin {
			return unknown("without the sandbox it failed too")
		}
		return Outcome{Layer: held, Status: report.Pass,
			Why: "blocked by " + string(held) + "; the same call without the sandbox succeeded"}
	}
}

// missing says whether a reply says that the session has no such tool. Of Bash
// the control says so, and what a command prints could be these words.
func missing(tool, reply string) bool {
	reply = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(reply), "<tool_use_error>"), "Error: ")
	return tool != "Bash" && strings.HasPrefix(reply, noSuchTool+tool+".")
}

// noSuchTool begins what a call of a tool gets back that the session does not
// have: a deny rule without a pattern takes a tool away (measured with 2.1.324
// and 2.1.329).
const noSuchTool = "No such tool available: "

// unread says whether a reply says that the file has to be read before: no rule
// kept the call then, and whether a prompt does is told by the Read tool. Of a
// file with a Read rule the runtime says so first (measured with 2.1.329).
func unread(tool, reply string) bool {
	return tool == "Edit" && strings.Contains(reply, "File has not been read yet")
}

// held is the layer that kept a call.
func (j judged) held() Decider {
	switch j.call.Decision {
	case rehearsal.Rule:
		return Rule
	case rehearsal.Asked:
		return Confirmation
	case rehearsal.ByHook:
		return Hook
	default:
		return j.p.Below
	}
}

func unknown(why string) Outcome { return Outcome{Status: report.Unknown, Why: why} }

// firstLine is the first line that says something: the runtime puts the exit
// code on a line before.
func firstLine(s string) string {
	s, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if strings.HasPrefix(s, "Exit code ") && rest != "" {
		rest, _, _ = strings.Cut(strings.TrimSpace(rest), "\n")
		s += ": " + rest
	}
	if len(s) > 160 {
		s = strings.ToValidUTF8(s[:160], "") + "…"
	}
	return s
}
