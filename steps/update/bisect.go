// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the version that changed an answer lies between two that
// were rehearsed; of those in between half are ruled out by each rehearsal.

package update

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
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

// Ending is how a call ended, in words too.
type Ending struct {
	Result regress.Result `json:"result"`
	Text   string         `json:"text"`
}

// Answer is what became of c with the runtime of r. A record that is kept is as
// good as a new one. The error says why there is none; that it was not verified
// is an answer, and no error.
func (c Call) Answer(ctx context.Context, r host.Reader, o verify.Options, emit engine.Sink) (Ending, error) {
	key := verify.Key(ctx, r, o)
	rec, kept := verify.KeptRecord(ctx, r, o, key)
	if !kept {
		var err error
		if rec, err = verify.Play(ctx, r, o, c.sessions, emit); err != nil {
			return Ending{}, err
		}
	}
	return c.in(rec)
}

// in is the answer of a record.
func (c Call) in(rec regress.Record) (Ending, error) {
	if event, ok := strings.CutPrefix(c.ID, hookCall); ok {
		for _, h := range rec.Hooks {
			if h.Event == event && h.Fires {
				return Ending{regress.Works, "fires"}, nil
			}
		}
		return Ending{regress.Unproven, "does not fire"}, nil
	}
	i := slices.IndexFunc(rec.Answers, func(a regress.Answer) bool { return a.Session == c.Session && a.Call == c.ID })
	if i >= 0 {
		return Ending{rec.Answers[i].Result, became(&rec.Answers[i])}, nil
	}
	if why, failed := rec.Failed[c.Session]; failed {
		return Ending{regress.Unproven, "not verified (" + why + ")"}, nil
	}
	return Ending{}, &report.Error{Code: report.ExitUsage, Where: c.String(), What: "is no call of a rehearsal",
		Why: "a call is named as update --try names it, in parentheses", Next: "steward-setup update --try latest"}
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
}

// Lost says whether a denial was lost on the way.
func (c Change) Lost() bool {
	return c.Was.Result == regress.Held && (c.Is.Result == regress.Through || c.Is.Result == regress.Prompted)
}

// Steps is how many versions at most are rehearsed to find a change among so
// many, the first and the last left out.
func Steps(versions int) int { return bits.Len(uint(max(0, versions-2))) } //nolint:gosec // it is not negative

// Bisect finds the version among versions, which are in order, at which the
// answer is no longer that of the first; ok is false if the last one answers
// like the first. tell is called before and after each rehearsal.
func Bisect(versions []string, answer func(version string) (Ending, error), tell func(string)) (c Change, ok bool, err error) {
	if len(versions) < 2 {
		return c, false, &report.Error{Code: report.ExitUsage, What: "there are not two versions to look between",
			Why: "a change lies between two versions", Next: "steward-setup update --help"}
	}
	ask := func(i, left int) (Ending, error) {
		tell(fmt.Sprintf("%s, %d more at most", versions[i], left))
		a, err := answer(versions[i])
		c.Rehearsed = append(c.Rehearsed, versions[i])
		return a, err
	}
	low, high := 0, len(versions)-1
	if c.Was, err = ask(low, Steps(len(versions))+1); err != nil {
		return c, false, err
	}
	if c.Is, err = ask(high, Steps(len(versions))); err != nil {
		return c, false, err
	}
	if c.Was == c.Is {
		return c, false, nil
	}
	for high-low > 1 {
		mid := (low + high) / 2
		a, err := ask(mid, Steps(max(mid-low, high-mid)+1))
		if err != nil {
			return c, false, err
		}
		if a == c.Was {
			low = mid
		} else {
			high, c.Is = mid, a
		}
	}
	c.Before, c.After = versions[low], versions[high]
	return c, true, nil
}
