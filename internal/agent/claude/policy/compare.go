// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is in force is held against another policy value by
// value: what that one denies and this one does not is weaker, and so is what
// this one allows and that one does not. A value that the template would write
// in another form today is named with its line and the reason; what is the
// user's own is listed and judged by nobody here.

package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// Difference is one value in which a policy differs from a baseline.
type Difference struct {
	// Text says what: "permissions.deny lacks Bash(curl *)".
	Text string
	// Line is where the baseline has the value, 0 if it has none.
	Line int
	// Key and Value are those of the document that has more.
	Key   string
	Value any
}

// opens are the arrays in which more is weaker; in all others it is stronger.
var opens = []string{claude.KeyAllow.String(), claude.KeyAllowRead.String(), claude.KeyAllowWrite.String(),
	claude.KeyAllowedDomains.String()}

// protective is the value of a switch that protects.
var protective = map[string]any{claude.KeySandboxEnabled.String(): true, claude.KeyFailIfUnavailable.String(): true,
	claude.KeyAutoAllowBashIfSandboxed.String(): false,
	claude.KeyAllowUnsandboxedCommands.String(): false, claude.KeyBlockReads.String(): true,
	claude.KeyDisableBypassPermissionsMode.String(): "disable", claude.KeyDisableAutoMode.String(): "disable"}

// Compare holds a decoded policy against a baseline: weaker is what the policy
// denies less or allows more, stronger the other way round. where names the
// baseline; the error is a *report.Error of exit code 65.
func (p *Policy) Compare(baseline []byte, where string, doc map[string]any, home string) (weaker, stronger []Difference,
	err error) {
	ls, err := leaves(baseline, where)
	if err != nil {
		return nil, nil, err
	}
	var theirs []Entry
	for _, l := range ls {
		_, empty := l.value.([]any)
		if _, known := shapes[l.key]; !known || empty {
			continue
		}
		e := Entry{Key: l.key, Value: l.value}
		theirs = append(theirs, e)
		switch safe, isSwitch := protective[l.key]; {
		case held(doc, home, e), heldBetter(doc, home, l):
		case isSwitch && l.value == safe:
			weaker = append(weaker, Difference{fmt.Sprintf("%s is not %v", l.key, l.value), l.line, l.key, l.value})
		case isSwitch: // what protects may be said, or be the default
			if has(doc, Entry{Key: l.key, Value: safe}) {
				stronger = append(stronger, Difference{fmt.Sprintf("%s is %v", l.key, safe), l.line, l.key, safe})
			}
		case slices.Contains(opens, l.key):
			stronger = append(stronger, Difference{l.key + " lacks " + e.short(), l.line, l.key, l.value})
		default:
			weaker = append(weaker, Difference{l.key + " lacks " + e.short(), l.line, l.key, l.value})
		}
	}
	other := Decoded(theirs)
	for key, array := range Keys() {
		if !array {
			safe := protective[key]
			if has(doc, Entry{Key: key, Value: safe}) && at(other, key) == nil {
				stronger = append(stronger, Difference{fmt.Sprintf("%s is %v", key, safe), 0, key, safe})
			}
			continue
		}
		for _, v := range elements(doc, key) {
			e := Entry{Key: key, Value: v}
			switch {
			case held(other, home, e), allows(other, home, e):
			case slices.Contains(opens, key):
				weaker = append(weaker, Difference{key + " has " + e.short(), 0, key, v})
			default:
				stronger = append(stronger, Difference{key + " has " + e.short(), 0, key, v})
			}
		}
	}
	order := func(a, b Difference) int { return strings.Compare(a.Text, b.Text) }
	slices.SortStableFunc(weaker, order)
	slices.SortStableFunc(stronger, order)
	return weaker, stronger, nil
}

// short is the value without its key.
func (e Entry) short() string { return strings.TrimPrefix(e.ID(), e.Key+":") }

// heldBetter says whether a document holds a rule in the forms that install
// writes in its place, since the rule itself is slipped past.
func heldBetter(doc map[string]any, home string, l leaf) bool {
	if l.key != claude.KeyDeny.String() && l.key != claude.KeyAsk.String() {
		return false
	}
	kept, _ := correct(l, home)
	return len(kept) > 0 && !slices.ContainsFunc(kept, func(v any) bool {
		return !held(doc, home, Entry{Key: l.key, Value: v})
	})
}

// allows says whether a document opens what an entry does by a wider one: a
// directory above it, or a wildcard of hosts.
func allows(doc map[string]any, home string, e Entry) bool {
	want, _ := e.Value.(string)
	return slices.ContainsFunc(texts(doc, e.Key), func(have string) bool {
		switch e.Key {
		case claude.KeyAllowRead.String(), claude.KeyAllowWrite.String():
			above := sensitive.Normal(have, home)
			return !strings.ContainsAny(above, "*?[") && pathname.Within(sensitive.Normal(want, home), above)
		case claude.KeyAllowedDomains.String():
			return !strings.ContainsAny(want, "*:/") && HostNamed(have, want)
		}
		return false
	})
}

// Stated is one value of the sandbox or permissions block of a document.
type Stated struct {
	// ID is the entry's: "permissions.deny:Bash(curl *)".
	ID   string
	Line int
	// Corrected says in what form the template has the value today, and why;
	// "" where it is as it should be.
	Corrected string
	// Held says that the document has the corrected form too.
	Held bool
}

// Values lists the values of a document, in its order. The error is a
// *report.Error of exit code 65: the document is not understood.
func (p *Policy) Values(doc []byte, where, home string) ([]Stated, error) {
	ls, err := leaves(doc, where)
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, l := range ls {
		all = append(all, Entry{Key: l.key, Value: l.value})
	}
	have := Decoded(slices.DeleteFunc(all, func(e Entry) bool { _, known := shapes[e.Key]; return !known }))
	var list []Stated
	for _, l := range ls {
		if _, empty := l.value.([]any); empty {
			continue
		}
		s := Stated{ID: show(l), Line: l.line}
		// What install would leave out is no correction: the checks of a
		// policy name it as what it opens.
		if kept, why := correct(l, home); why != "" && len(kept) > 0 {
			s.Corrected = why
			s.Held = !slices.ContainsFunc(kept, func(v any) bool { return !held(have, home, Entry{Key: l.key, Value: v}) })
		}
		list = append(list, s)
	}
	return list, nil
}
