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
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
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
	Value *settings.Value
}

// opens are the arrays in which more is weaker; in all others it is stronger.
var opens = []string{claude.KeyAllow.String(), claude.KeyAllowRead.String(), claude.KeyAllowWrite.String(),
	claude.KeyAllowedDomains.String()}

// protective is the value of a switch that protects.
var protective = map[string]any{claude.KeySandboxEnabled.String(): true, claude.KeyFailIfUnavailable.String(): true,
	claude.KeyAutoAllowBashIfSandboxed.String(): false,
	claude.KeyAllowUnsandboxedCommands.String(): false, claude.KeyBlockReads.String(): true,
	claude.KeyDisableBypassPermissionsMode.String(): "disable", claude.KeyDisableAutoMode.String(): "disable"}

// Compare holds a policy against a baseline: weaker is what the policy
// denies less or allows more, stronger the other way round. where names the
// baseline; the error is a *report.Error of exit code 65.
func (p *Policy) Compare(baseline []byte, where string, doc *settings.Value, home string) (
	weaker, stronger []Difference, err error) {
	theirs, err := leaves(baseline, where)
	if err != nil {
		return nil, nil, err
	}
	theirs = slices.DeleteFunc(theirs, func(e Entry) bool { return !e.known() || e.empty() })
	for _, e := range theirs {
		line := e.Value.Line
		switch safe, isSwitch := protective[e.Key]; {
		case held(doc, home, e), heldBetter(doc, home, e):
		case isSwitch && is(e.Value, safe):
			weaker = append(weaker, Difference{fmt.Sprintf("%s is not %v", e.Key, safe), line, e.Key, e.Value})
		case isSwitch: // what protects may be said, or be the default
			if is(at(doc, e.Key), safe) {
				stronger = append(stronger, Difference{fmt.Sprintf("%s is %v", e.Key, safe), line, e.Key, at(doc, e.Key)})
			}
		case slices.Contains(opens, e.Key):
			stronger = append(stronger, Difference{e.Key + " lacks " + e.short(), line, e.Key, e.Value})
		default:
			weaker = append(weaker, Difference{e.Key + " lacks " + e.short(), line, e.Key, e.Value})
		}
	}
	other := Written(theirs)
	for key, array := range Keys() {
		if !array {
			if safe := protective[key]; is(at(doc, key), safe) && at(other, key) == nil {
				stronger = append(stronger, Difference{fmt.Sprintf("%s is %v", key, safe), 0, key, at(doc, key)})
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
func heldBetter(doc *settings.Value, home string, e Entry) bool {
	if e.Key != claude.KeyDeny.String() && e.Key != claude.KeyAsk.String() {
		return false
	}
	kept, _ := correct(e, home)
	return len(kept) > 0 && allHeld(doc, home, kept)
}

func allHeld(doc *settings.Value, home string, entries []Entry) bool {
	return !slices.ContainsFunc(entries, func(e Entry) bool { return !held(doc, home, e) })
}

// allows says whether a document opens what an entry does by a wider one: a
// directory above it, or a wildcard of hosts.
func allows(doc *settings.Value, home string, e Entry) bool {
	want := e.Value.Text
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
	all, err := leaves(doc, where)
	if err != nil {
		return nil, err
	}
	have := Written(slices.DeleteFunc(slices.Clone(all), func(e Entry) bool { return !e.known() }))
	var list []Stated
	for _, e := range all {
		if e.known() && e.empty() {
			continue
		}
		s := Stated{ID: e.ID(), Line: e.Value.Line}
		// What install would leave out is no correction: the checks of a
		// policy name it as what it opens.
		if kept, why := correct(e, home); why != "" && len(kept) > 0 {
			s.Corrected, s.Held = why, allHeld(have, home, kept)
		}
		list = append(list, s)
	}
	return list, nil
}
