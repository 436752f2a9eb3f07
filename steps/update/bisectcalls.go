// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether a call is one is known before anything is fetched
// for it: from the script that would be played.

package update

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/nearest"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// hookCall begins the name of a hook's event among the calls.
const hookCall = "hook:"

// Call is what is looked for: a call of a session. A call alone is one in the
// project's root.
type Call struct{ Session, ID string }

// ParseCall reads "CALL" or "SESSION · CALL"; the call is a probe's id, as
// update --try names it, or hook:EVENT.
func ParseCall(s string) Call {
	if session, id, ok := strings.Cut(s, " · "); ok {
		return Call{strings.TrimSpace(session), strings.TrimSpace(id)}
	}
	if strings.HasPrefix(s, hookCall) {
		return Call{verify.HookSession, s}
	}
	return Call{verify.PlainRoot, s}
}

func (c Call) String() string { return c.Session + " · " + c.ID }

// sessions are those that have to be played to answer c.
func (c Call) sessions(name string) bool { return name == c.Session || name == verify.Twin }

// Known refuses a call that a rehearsal of the project would not play, and names
// the one that may be meant. Where nothing can be rehearsed (the installed
// runtime is missing), the rehearsals that are kept say it; without any it
// refuses nothing.
func (c Call) Known(ctx context.Context, r host.Reader, o verify.Options) error {
	calls, err := verify.Calls(ctx, r, o)
	if err != nil {
		calls = map[string][]string{}
		past, _ := verify.PastOf(ctx, r, o)
		for _, p := range past {
			for _, a := range p.Record.Answers {
				calls[a.Session] = append(calls[a.Session], a.Call)
			}
		}
		if len(past) == 0 && !strings.HasPrefix(c.ID, hookCall) {
			return nil
		}
	}
	for _, w := range verify.Wires {
		calls[verify.HookSession] = append(calls[verify.HookSession], hookCall+w.Event)
	}
	if slices.Contains(calls[c.Session], c.ID) {
		return nil
	}
	return c.noCall(calls)
}

// noCall is the error of a call that is none; calls are those that there are, by
// session.
func (c Call) noCall(calls map[string][]string) error {
	e := &report.Error{Code: report.ExitUsage, Where: "--bisect",
		What: scripts.Quote(c.String()) + " is not a call of a rehearsal",
		Why:  "a call is named as update --try names it, in parentheses", Next: "steward-setup update --try latest"}
	meant := c
	if len(calls[c.Session]) == 0 { // a session's name, or a call's in another one
		meant.Session = nearest.One(c.Session, slices.Sorted(maps.Keys(calls)))
	}
	if !slices.Contains(calls[meant.Session], c.ID) {
		meant.ID = nearest.One(c.ID, calls[meant.Session])
	}
	for _, session := range slices.Sorted(maps.Keys(calls)) {
		if meant.ID == "" && slices.Contains(calls[session], c.ID) {
			meant = Call{session, c.ID}
		}
	}
	if meant.Session != "" && meant.ID != "" {
		e.Why, e.Next = "did you mean "+meant.String()+"?", "steward-setup update --bisect "+scripts.Quote(meant.String())
	}
	return e
}

// Calls lists the calls of the newest rehearsal that is kept, in a session of a
// plain start in the project's root, as ParseCall reads them; nil where none is
// kept.
func Calls(ctx context.Context, r host.Reader, o verify.Options) (list []string) {
	past, _ := verify.PastOf(ctx, r, o)
	if len(past) == 0 {
		return nil
	}
	for _, a := range past[0].Record.Answers {
		if a.Session == verify.PlainRoot {
			list = append(list, a.Call)
		}
	}
	for _, h := range past[0].Record.Hooks {
		list = append(list, hookCall+h.Event)
	}
	return list
}
