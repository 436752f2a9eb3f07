// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was not observed is not a pass: no twin, no
// neighbour, no channel means unknown.

package trial

import (
	"cmp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Judge judges every probe of a trial by its twin.
func (t *Trial) Judge(twin *Trial) []Outcome {
	outcomes := make([]Outcome, len(t.Probes))
	passed := map[string]bool{}
	see, seeTwin := t.reader(), twin.reader()
	for i, p := range t.Probes {
		o := Outcome{Probe: p, Seen: see(p), Twin: seeTwin(p)}
		o.Twin.Through = o.Twin.Through && whole(o.Twin.Call)
		o.Reply = Line(o.Seen.Text)
		passed[p.ID] = o.Seen.Through
		outcomes[i] = o
	}
	runtime := agent.Named(t.Raw.Agent)
	for i := range outcomes {
		o := &outcomes[i]
		undone := slices.ContainsFunc(o.With, func(w Probe) bool { return !w.did(see(w).Call) })
		o.Layer, o.Status, o.Why = o.judge(runtime, o.Neighbour == "" || passed[o.Neighbour], undone)
		if o.Seen.Words && (o.Layer == Rule || o.Layer == Confirmation || o.Layer == Hook) {
			o.Why += " (told by the words of the reply alone)"
		}
	}
	return outcomes
}

// whole says whether a call of the twin was made, and its reply can be told from
// those of the calls that shared its command.
func whole(c rehearsal.Call) bool {
	return c.Decision != agent.NotMade && c.Decision != agent.Cut && apart(c)
}

// apart says whether a reply can be told from those of the calls that shared its
// command.
func apart(c rehearsal.Call) bool { return c.Ended || !c.Shared }

// refusals are the words of the system for what a sandbox does not let happen
// (errno(3): EACCES, EPERM, EROFS).
var refusals = []string{"permission denied", "operation not permitted", "read-only file system"}

// did says whether a call that others build on did its work, or was kept from it:
// what follows says something then.
func (p Probe) did(c rehearsal.Call) bool {
	switch c.Decision {
	case agent.Rule, agent.Asked, agent.ByHook:
		return true
	}
	return p.Started == "" || whole(c) && slices.ContainsFunc(append(refusals[:len(refusals):len(refusals)], p.Started),
		func(words string) bool { return strings.Contains(c.Text, words) })
}

// judge is the judgement of what was seen. neighbour says that the call beside
// it, if there is one, got through, undone that a call before it did not do its
// work.
func (o *Outcome) judge(runtime agent.Agent, neighbour, undone bool) (Decider, report.Status, string) {
	unknown := func(why string) (Decider, report.Status, string) { return Nobody, report.Unknown, why }
	held, started := o.held()
	through := o.Seen.Through
	switch {
	case o.Seen.Decision == agent.NotMade:
		return unknown("the session did not reach this call")
	case o.Seen.Decision == agent.Cut && !through:
		return unknown("it was cut off: " + o.Seen.Why)
	case o.Control && through:
		return Allowed, report.Pass, "works"
	case o.Control:
		return held, report.Unknown, "a call that must work did not: " + o.Reply
	case through && o.Exposed != "":
		return Allowed, report.Warn, o.Exposed
	case through:
		return Allowed, report.Fail, "succeeded"
	case !neighbour:
		return unknown("nothing of this kind works in the session, so a denial proves nothing")
	case undone:
		return unknown("the call that prepares it did not do its work")
	}
	tool, _ := runtime.Tool(o.Probe.Call)
	says := runtime.Says(o.Probe.Call, o.Seen.Text)
	if says == agent.Unread { // no rule kept it then: whether a prompt does is told by the Read tool
		held, started = Confirmation, false
	}
	switch {
	case says == agent.NoTool:
		return Rule, report.Pass, "this session has no " + tool.Name + " tool"
	case held == Confirmation && o.Ruled && o.Exposed != "":
		return held, report.Warn, o.Exposed
	case held == Confirmation && o.Ruled:
		status := report.Warn
		if o.Required {
			status = report.Fail
		}
		return held, status, "no deny rule: only a prompt protects it"
	case !started:
		if o.Opaque || o.Seen.Shared {
			return unknown("blocked by " + string(held) + " that covers only this program")
		}
		return held, report.Pass, "blocked by " + string(held)
	}
	command, _ := o.Probe.Call.Line()
	switch {
	case rehearsal.OfTool(command) && !o.Seen.Ended:
		return unknown(CutShort)
	case !strings.Contains(o.Seen.Text, o.Started):
		return unknown("it did not do its work: " + o.Reply)
	case !o.Twin.Through && held == Rule: // the twin has no rules, or was not asked
		return unknown("no rule kept it from running, and it failed: " + o.Reply)
	case !o.Twin.Through:
		return unknown("without the sandbox it failed too")
	}
	return held, report.Pass, "blocked by " + held.Named() + "; the same call without the sandbox succeeded"
}

// held is the layer that kept a call. One that was started was kept by the layer
// below the runtime, if by any.
func (o *Outcome) held() (by Decider, started bool) {
	switch o.Seen.Decision {
	case agent.Rule:
		return Rule, false
	case agent.Asked:
		return Confirmation, false
	case agent.ByHook:
		return Hook, false
	default:
		return o.Below, true
	}
}

// colours are the sequences that colour a line (ECMA-48, 8.3.117): Maven ends
// with two of them.
var colours = lazy.Regexp(`\x1b\[[0-9;]*m`)

// maxLine bounds a line of a reply that is shown, in bytes.
const maxLine = 300

// NoOutput stands for a reply that says nothing; CutShort is why one that has no
// end proves nothing.
const NoOutput, CutShort = "(no output)", "its reply was cut short"

// marks are those of the runtime around what a tool answers.
var marks = strings.NewReplacer("<tool_use_error>", "", "</tool_use_error>", "")

// unread is what git says of a server that was not reached or hung up (2.39, 2.47).
var unread = []string{"fatal: Could not read from remote repository.",
	"Please make sure you have the correct access rights", "and the repository exists."}

// Line is the line of a reply that says what went wrong: most programs say it
// last, before what the runtime adds. Git's advice follows what ssh said. It is
// bounded.
func Line(reply string) string {
	last := ""
	for line := range strings.Lines(marks.Replace(reply)) {
		line = strings.TrimSpace(colours().ReplaceAllString(line, ""))
		if line != "" && !strings.Contains(line, "A complete log of this run") &&
			!strings.HasPrefix(line, "[ERROR] [Help ") && !strings.HasPrefix(line, "Exit code ") &&
			!strings.HasPrefix(line, "<") && !strings.HasPrefix(line, "deny network-outbound ") &&
			(last == "" || !slices.Contains(unread, line)) {
			last = line
		}
	}
	if len(last) > maxLine {
		last = strings.ToValidUTF8(last[:maxLine], "") + "…"
	}
	return cmp.Or(last, NoOutput)
}
