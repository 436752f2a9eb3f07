// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the order is that of what a reader must know first: what
// is no longer denied comes before everything else.

package regress

import (
	"cmp"
	"maps"
	"slices"
)

// Kind is how two answers to the same call differ.
type Kind string

// The kinds, the worst first.
const (
	NewlyThrough Kind = "newly-through" // it was held, and gets through
	Open         Kind = "open"          // it gets through, and was not observed before
	NewlyAsked   Kind = "newly-asked"   // it was held by a rule or needed no prompt, and a prompt decides now
	NewlyExposed Kind = "newly-exposed" // it did not get through, and the policy allows it now
	Unobserved   Kind = "unproven"      // it was observed before, and is not now
	Broken       Kind = "broken"        // an allowed call worked, and does not now
	OtherLayer   Kind = "other-layer"   // it is held by another layer
	NotAsked     Kind = "not-asked"     // it was asked about, and is not now
	NewlyHeld    Kind = "newly-held"    // it got through, and is held
	Mended       Kind = "mended"        // it was not observed, or did not work, and is or does now
	New          Kind = "new"           // it was not rehearsed before
	Gone         Kind = "gone"          // it is not rehearsed now
)

// order is the order of the kinds.
var order = []Kind{NewlyThrough, Open, NewlyAsked, NewlyExposed, Unobserved, Broken, OtherLayer, NotAsked, NewlyHeld,
	Mended, New, Gone}

// Difference is one call whose answers differ. Before or After is nil where
// the call was not rehearsed.
type Difference struct {
	Kind   Kind    `json:"kind"`
	Before *Answer `json:"before"`
	After  *Answer `json:"after"`
}

// Of is the answer that there is: that of after, else that of before.
func (d Difference) Of() Answer {
	if d.After != nil {
		return *d.After
	}
	return *d.Before
}

// Lost says whether a denial was lost.
func (d Difference) Lost() bool {
	return d.Before != nil && d.After != nil && Loses(*d.Before, *d.After)
}

// Loses says whether a denial was lost between two answers to the same call: it
// gets through now, or a prompt alone keeps it where something else did.
func Loses(was, is Answer) bool {
	switch is.Result {
	case Through:
		return was.Result != Through && was.Result != Unproven
	case Prompted:
		return was.Result == Held && !was.asked()
	default:
		return false
	}
}

// Compare lists the calls that differ between two rehearsals, the worst first,
// then in the order of after. What is the same is left out.
func Compare(before, after Record) []Difference {
	type key struct{ session, call string }
	then := map[key]*Answer{}
	for i, a := range before.Answers {
		then[key{a.Session, a.Call}] = &before.Answers[i]
	}
	var list []Difference
	for i, a := range after.Answers {
		k := key{a.Session, a.Call}
		was := then[k]
		delete(then, k)
		if kind := kindOf(was, a); kind != "" {
			list = append(list, Difference{kind, was, &after.Answers[i]})
		}
	}
	for i, a := range before.Answers {
		if _, gone := then[key{a.Session, a.Call}]; gone {
			list = append(list, goneFrom(after, &before.Answers[i]))
		}
	}
	slices.SortStableFunc(list, func(a, b Difference) int {
		return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind))
	})
	return list
}

// kindOf is how an answer differs from what it was; "" if it does not.
func kindOf(was *Answer, is Answer) Kind {
	switch {
	case is.Result == Through && (was == nil || was.Result == Unproven):
		return Open
	case was == nil:
		return New
	case was.Result == is.Result && was.Layer == is.Layer:
		return ""
	case is.Result == Through:
		return NewlyThrough
	case is.Result == Unproven:
		if was.Result == Works {
			return Broken
		}
		return Unobserved
	case was.Result == Unproven:
		return Mended
	case is.Result == Exposed:
		return NewlyExposed
	case is.asked() && !was.asked():
		if was.Result == Through {
			return NewlyHeld
		}
		return NewlyAsked
	case was.Result == Through || was.Result == Exposed && is.Result == Held:
		return NewlyHeld
	case was.asked() && !is.asked():
		return NotAsked
	default:
		return OtherLayer
	}
}

// goneFrom is the difference of a call that after has no answer to: because
// its session has no result, or because it is no longer asked.
func goneFrom(after Record, was *Answer) Difference {
	why, failed := after.Failed[was.Session]
	if !failed || was.Result == Unproven {
		return Difference{Gone, was, nil}
	}
	is := Answer{Session: was.Session, Call: was.Call, Title: was.Title, Result: Unproven, Why: why}
	return Difference{kindOf(was, is), was, &is}
}

// HookChange is a hook of the setup that fires with one of two runtimes only.
type HookChange struct {
	Hook
	// Lost says that it fired before.
	Lost bool `json:"lost"`
}

// CompareHooks lists the hooks that fire with one of two runtimes only. A hook
// that is wired for one rehearsal only was changed by the user, and is left out.
func CompareHooks(before, after Record) []HookChange {
	var list []HookChange
	for _, h := range after.Hooks {
		i := slices.IndexFunc(before.Hooks, func(b Hook) bool { return b.Event == h.Event && b.Script == h.Script })
		if i >= 0 && before.Hooks[i].Fires != h.Fires {
			list = append(list, HookChange{h, before.Hooks[i].Fires})
		}
	}
	return list
}

// CompareStatusLines lists the keys of a status line's input that are gone and
// those that are new; ok is false where one of them was not seen.
func CompareStatusLines(before, after Record) (gone, added []string, ok bool) {
	without := func(list, others []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(k string) bool { return slices.Contains(others, k) })
	}
	return without(before.StatusLine, after.StatusLine), without(after.StatusLine, before.StatusLine),
		before.StatusLine != nil && after.StatusLine != nil
}

// Sessions lists the sessions of two rehearsals, in byte order.
func Sessions(before, after Record) []string {
	all := maps.Clone(before.Seconds)
	if all == nil {
		all = map[string]float64{}
	}
	maps.Copy(all, after.Seconds)
	return slices.Sorted(maps.Keys(all))
}

// Lost says whether the change from one rehearsal to the other loses a denial.
func Lost(list []Difference) bool { return slices.ContainsFunc(list, Difference.Lost) }
