// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is open is counted by what it is, the worst first and
// by name. What the program proposes is judged as what is in force is: by the
// same functions, on the machine as it would be.

package checks

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// openingGroup is what is counted together.
type openingGroup int

const (
	openWeakens     openingGroup = iota // a value takes protection away
	openIneffective                     // a rule has no effect
	openExposed                         // commands, or others, can change or read what is no setting
	openOutside                         // no setting hides a place of this machine
	openTalked                          // commands reach a program of the user's
	openStarts                          // a start has no sandbox
	openUnknownKey                      // nobody knows what a key does
	openChosen                          // install offers it, at a price
	openUnresolved                      // nobody knows what a command runs
	openUnclear                         // nobody knows what a program reads
	openAnswers                         // a hook answers prompts
)

// openingWords say how many of a group there are.
var openingWords = [...]struct{ one, many string }{
	openWeakens:     {"1 setting weakens protection", "%d settings weaken protection"},
	openIneffective: {"1 rule has no effect", "%d rules have no effect"},
	openExposed: {"1 file or variable outside the sandbox is exposed",
		"%d files or variables outside the sandbox are exposed"},
	openOutside:    {"1 place outside the home is readable", "%d places outside the home are readable"},
	openTalked:     {"1 FIFO or socket of yours is reachable", "%d FIFOs or sockets of yours are reachable"},
	openStarts:     {"1 start may have no sandbox", "%d starts may have no sandbox"},
	openUnknownKey: {"1 setting is unknown", "%d settings are unknown"},
	openChosen:     {"1 thing is exposed on purpose", "%d things are exposed on purpose"},
	openUnresolved: {"1 command outside the sandbox is not resolved", "%d commands outside the sandbox are not resolved"},
	openUnclear:    {"1 program outside the sandbox is unknown", "%d programs outside the sandbox are unknown"},
	openAnswers:    {"1 hook may answer prompts", "%d hooks may answer prompts"},
}

// counted is the group that an opening is counted in: one setting may expose
// many files.
func (o opening) counted() openingGroup {
	if o.group == openWeakens && o.path == nil {
		return openExposed
	}
	return o.group
}

// mends are the remedies for what is open: a setting is taken out, unless
// something else mends a mere warning.
func (o opening) mends() []report.Remedy {
	var list []report.Remedy
	switch {
	case o.path == nil, o.status != report.Fail && o.remedy != nil:
	case o.group == openChosen:
		list = append(list, keyRemedy("remove %s, unless it is worth its price", o.where, o.path))
	case o.group == openIneffective, o.group == openUnknownKey:
		list = append(list, keyRemedy("correct or remove %s", o.where, o.path))
	default:
		list = append(list, RemoveKey(o.where, o.path...))
	}
	if o.remedy != nil {
		list = append(list, o.remedy)
	}
	return list
}

// countOpenings says how many are open, what the first of them opens, and what
// of other groups there is.
func countOpenings(found []opening) string {
	var where [len(openingWords)]map[string]bool
	for _, o := range found {
		if where[o.counted()] == nil {
			where[o.counted()] = map[string]bool{}
		}
		where[o.counted()][o.where] = true
	}
	count := func(group openingGroup) string {
		return report.Counted(len(where[group]), openingWords[group].one, openingWords[group].many)
	}
	o := found[0]
	name := o.what
	if o.path != nil && !isIndex(o.path[len(o.path)-1]) {
		name = settings.KeyPath(o.path)
	}
	said := count(o.counted()) + " (" + name + "): " + lowerFirst(strings.TrimSuffix(o.opens, "."))
	var also []string
	for group := range openingGroup(len(openingWords)) {
		if group != o.counted() && len(where[group]) > 0 {
			also = append(also, count(group))
		}
	}
	if also != nil {
		said += ". Also: " + strings.Join(also, ", ")
	}
	return said
}

func isIndex(key string) bool {
	_, err := strconv.Atoi(key)
	return err == nil
}

// WouldOpen returns what judges changes of the machine of before: it lists, as
// sentences, what policy-invariants fails in a session in dir on the machine after a
// change and does not fail before it. The machine before is judged once, and what its
// paths are is looked at once (host.Still).
func WouldOpen(ctx context.Context, before host.Reader, dir string) func(after Changed) ([]string, error) {
	before = host.Still(before)
	fails := func(r host.Reader) (list []opening, err error) {
		s, err := SessionIn(ctx, r, dir)
		if err == nil {
			err = s.Lost
		}
		if err != nil {
			return nil, err
		}
		list = openingsIn(ctx, r, s)
		return slices.DeleteFunc(list, func(o opening) bool { return o.status != report.Fail }), nil
	}
	have := sync.OnceValues(func() ([]opening, error) { return fails(before) })
	return func(after Changed) ([]string, error) {
		known, err := have()
		if err != nil {
			return nil, err
		}
		found, err := fails(after(before))
		if err != nil {
			return nil, err
		}
		return unknownTo(known, found), nil
	}
}

// Changed is a machine as a change of that of before would leave it.
type Changed func(before host.Reader) host.Reader

// unknownTo lists what is found and was not known.
func unknownTo(have, found []opening) []string {
	var opens []string
	for _, o := range found {
		// A place moves with what is written above it; what is open does not.
		known := slices.ContainsFunc(have, func(h opening) bool { return h.what == o.what && h.opens == o.opens })
		if said := o.what + ": " + lowerFirst(strings.TrimSuffix(o.opens, ".")); !known && !slices.Contains(opens, said) {
			opens = append(opens, said)
		}
	}
	return opens
}
