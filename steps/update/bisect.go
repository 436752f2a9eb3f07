// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the version that changed an answer lies between two that
// were verified; of those in between half are ruled out by each that is, and
// those that cannot be verified are named. Whether a call is one is known
// before anything is fetched for it: from the script that would be played.

package update

import (
	"context"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/nearest"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// Ending is how a call ended, in words too.
type Ending struct {
	Result regress.Result `json:"result"`
	Layer  trial.Decider  `json:"layer,omitempty"`
	Text   string         `json:"text"`
	// Kept is when it was rehearsed, if that was earlier.
	Kept time.Time `json:"kept,omitzero"`
}

// silent is the result of a hook that was seen not to fire.
const silent regress.Result = "silent"

func (e Ending) unproven() bool { return e.Result == regress.Unproven }

// like says whether two calls ended alike, whatever the words.
func (e Ending) like(o Ending) bool { return e.Result == o.Result && e.Layer == o.Layer }

func (e Ending) answer() regress.Answer { return regress.Answer{Result: e.Result, Layer: e.Layer} }

// Answer is what became of c with the runtime of r. A record that is kept is as
// good as a new one. The error says why there is none; that it was not verified
// is an answer, and no error.
func (c Call) Answer(ctx context.Context, r host.Reader, o verify.Options, emit engine.Sink) (Ending, error) {
	if rec, kept := verify.KeptRecord(ctx, r, o, verify.Key(ctx, r, o)); kept {
		e, err := c.in(rec)
		e.Kept = rec.At
		return e, err
	}
	rec, err := verify.Play(ctx, r, o, c.sessions, emit)
	if err != nil {
		return Ending{}, err
	}
	return c.in(rec)
}

// in is the answer of a record.
func (c Call) in(rec regress.Record) (Ending, error) {
	if event, ok := strings.CutPrefix(c.ID, hookCall); ok {
		if why, failed := rec.Failed[verify.HookSession]; failed {
			return Ending{Result: regress.Unproven, Text: "not verified (" + why + ")"}, nil
		}
		a := Ending{Result: regress.Unproven, Text: "not verified (no hook of the setup was rehearsed on it)"}
		for _, h := range rec.Hooks {
			switch {
			case h.Event == event && h.Fires:
				return Ending{Result: regress.Works, Text: "fires"}, nil
			case h.Event == event:
				a = Ending{Result: silent, Text: "does not fire"}
			}
		}
		return a, nil
	}
	i := slices.IndexFunc(rec.Answers, func(a regress.Answer) bool { return a.Session == c.Session && a.Call == c.ID })
	if i >= 0 {
		a := &rec.Answers[i]
		return Ending{Result: a.Result, Layer: a.Layer, Text: became(a)}, nil
	}
	if why, failed := rec.Failed[c.Session]; failed {
		return Ending{Result: regress.Unproven, Text: "not verified (" + why + ")"}, nil
	}
	return Ending{}, c.noCall(nil)
}

// Change is where an answer changed.
type Change struct {
	Call string `json:"call"`
	// Before is the last version with the ending of the first, After the next
	// one that was looked at, which has another.
	Before string `json:"before"`
	After  string `json:"after"`
	Was    Ending `json:"was"`
	Is     Ending `json:"is"`
	// Rehearsed are the versions that were asked, in the order of asking.
	Rehearsed []string `json:"rehearsed"`
	// Earlier says of those that were not rehearsed now when they were.
	Earlier []string `json:"earlier,omitempty"`
	// Between are the versions between Before and After: they were not
	// verified, and the change may lie at any of them.
	Between []string `json:"between"`
}

// Lost says whether a denial was lost on the way.
func (c Change) Lost() bool { return regress.Loses(c.Was.answer(), c.Is.answer()) }

// Steps is how many versions at most are rehearsed to find a change among so
// many, the first and the last left out.
func Steps(versions int) int { return bits.Len(uint(max(0, versions-2))) } // it is not negative

// Bisect finds the version among versions, which are in order, at which the
// answer is no longer that of the first; ok is false if the last one answers
// like the first. A version that cannot be verified says nothing, and its
// neighbours are asked; an end has to be verified. tell is called before each
// rehearsal.
func Bisect(versions []string, answer func(version string) (Ending, error), tell func(string)) (c Change, ok bool,
	err error) {
	if len(versions) < 2 {
		return c, false, &report.Error{Code: report.ExitUsage, What: "there are not two versions to look between",
			Why: "a change lies between two versions", Lines: []report.Line{{Words: "update --help"}}}
	}
	left := Steps(len(versions)) + 2 // as many as may be downloaded
	ask := func(i int) (Ending, error) {
		left--
		tell(fmt.Sprintf("%s, %d more at most", versions[i], left))
		a, err := answer(versions[i])
		c.Rehearsed = append(c.Rehearsed, versions[i])
		if !a.Kept.IsZero() {
			c.Earlier = append(c.Earlier, earlier(versions[i], a.Kept))
		}
		return a, err
	}
	end := func(i int) (Ending, error) {
		a, err := ask(i)
		if err == nil && a.unproven() {
			err = &report.Error{Code: report.ExitLeft, Where: versions[i], What: a.Text,
				Why:  "a change is looked for between two versions that were verified",
				Next: "give another version with --from and --to"}
		}
		return a, err
	}
	low, high := 0, len(versions)-1
	if c.Was, err = end(low); err != nil {
		return c, false, err
	}
	if c.Is, err = end(high); err != nil {
		return c, false, err
	}
	if c.Was.like(c.Is) {
		return c, false, nil
	}
	unproven := map[int]bool{}
	for left > 0 {
		mid, ok := middle(low, high, unproven)
		if !ok {
			break
		}
		a, err := ask(mid)
		switch {
		case err != nil:
			return c, false, err
		case a.unproven():
			unproven[mid] = true
		case a.like(c.Was):
			low = mid
		default:
			high, c.Is = mid, a
		}
	}
	c.Before, c.After, c.Between = versions[low], versions[high], versions[low+1:high]
	return c, true, nil
}

// middle is the place nearest to the middle between low and high that is not
// without; ok is false if there is none.
func middle(low, high int, without map[int]bool) (mid int, ok bool) {
	center := (low + high) / 2
	for d := range high - low {
		for _, i := range []int{center - d, center + d} {
			if i > low && i < high && !without[i] {
				return i, true
			}
		}
	}
	return 0, false
}

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

// sessions are those that have to be played to answer c: the one with the call,
// and its twin. That a hook fires needs no twin.
func (c Call) sessions(name string) bool {
	return name == c.Session || name == verify.Twin && !strings.HasPrefix(c.ID, hookCall)
}

// Known refuses a call that a rehearsal of the project would not play, and names
// the one that may be meant. Where nothing can be rehearsed (the installed
// runtime is missing), the rehearsals that are kept say it; without any it
// refuses nothing.
func (c Call) Known(ctx context.Context, r host.Reader, a Agent, o verify.Options) error {
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
	for _, event := range a.Events() {
		calls[verify.HookSession] = append(calls[verify.HookSession], hookCall+event)
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
		What:  scripts.Quote(c.String()) + " is not a call of a rehearsal",
		Why:   "a call is named as update --try names it, in parentheses",
		Lines: []report.Line{{Words: "update --try latest"}}}
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
		e.Why = "did you mean " + meant.String() + "?"
		e.Lines = []report.Line{{Words: "update --bisect " + scripts.Quote(meant.String())}}
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
