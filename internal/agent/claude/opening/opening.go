// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is open is counted by what it is, the worst first
// and by name, and each is named with its place and with what ends it.

// Package opening is one thing that is open: how bad it is, where that is decided,
// what it opens and what ends it; and how many of a kind there are.
//
// Contract: nothing is judged here and nothing is read: others say what is open, this says it in one way.
package opening

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/report"
)

// openingGroup is what is counted together.
type openingGroup int

const (
	openWeakens     openingGroup = iota // a value takes protection away
	Ineffective                         // a rule has no effect
	Exposed                             // commands, or others, can change or read what is no setting
	ReadableOutside                     // no setting hides a place of this machine
	Reachable                           // commands reach a program of the user's
	Unsandboxed                         // a start has no sandbox
	UnknownKey                          // nobody knows what a key does
	OnPurpose                           // install offers it, at a price
	Unresolved                          // nobody knows what a command runs
	UnknownProgram                      // nobody knows what a program reads
	Answers                             // a hook answers prompts
	Approves                            // a text approves calls while it is used
)

// openingWords say how many of a group there are.
var openingWords = [...]struct{ one, many string }{
	openWeakens: {"1 setting weakens protection", "%d settings weaken protection"},
	Ineffective: {"1 rule has no effect", "%d rules have no effect"},
	Exposed: {"1 file or variable outside the sandbox is exposed",
		"%d files or variables outside the sandbox are exposed"},
	ReadableOutside: {"1 place outside the home is readable", "%d places outside the home are readable"},
	Reachable:       {"1 FIFO or socket of yours is reachable", "%d FIFOs or sockets of yours are reachable"},
	Unsandboxed:     {"1 start may have no sandbox", "%d starts may have no sandbox"},
	UnknownKey:      {"1 setting is unknown", "%d settings are unknown"},
	OnPurpose:       {"1 thing is exposed on purpose", "%d things are exposed on purpose"},
	Unresolved:      {"1 command outside the sandbox is not resolved", "%d commands outside the sandbox are not resolved"},
	UnknownProgram:  {"1 program outside the sandbox is unknown", "%d programs outside the sandbox are unknown"},
	Answers:         {"1 hook may answer prompts", "%d hooks may answer prompts"},
	Approves:        {"1 skill or command approves calls", "%d skills or commands approve calls"},
}

// counted is the group that an opening is counted in: one setting may expose
// many files.
func (o Opening) counted() openingGroup {
	if o.Group == openWeakens && o.Path == nil {
		return Exposed
	}
	return o.Group
}

// Mends are the remedies for what is open: a setting is taken out, unless
// something else mends a mere warning.
func (o Opening) Mends() (list []report.Remedy) {
	next := o.Next()
	switch {
	case o.Path == nil, o.Status != report.Fail && next != nil:
	case o.Group == OnPurpose:
		list = append(list, KeyRemedy("remove %s, unless it is worth its price", o.Where, o.Path))
	case o.Group == Ineffective, o.Group == UnknownKey:
		list = append(list, KeyRemedy("correct or remove %s", o.Where, o.Path))
	default:
		list = append(list, RemoveKey(o.Where, o.Path...))
	}
	if next != nil {
		list = append(list, next)
	}
	return list
}

// Count says how many are open, what the first of them opens, and what
// of other groups there is.
func Count(found []Opening) string {
	var where [len(openingWords)]map[string]bool
	for _, o := range found {
		if where[o.counted()] == nil {
			where[o.counted()] = map[string]bool{}
		}
		where[o.counted()][o.Where] = true
	}
	count := func(group openingGroup) string {
		return report.Counted(len(where[group]), openingWords[group].one, openingWords[group].many)
	}
	o := found[0]
	name := o.What
	if o.Path != nil && !IsIndex(o.Path[len(o.Path)-1]) {
		name = settings.KeyPath(o.Path)
	}
	said := count(o.counted()) + " (" + name + "): " + LowerFirst(strings.TrimSuffix(o.Opens, "."))
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

// IsIndex says whether a key of a path is the place of an element in an array.
func IsIndex(key string) bool {
	_, err := strconv.Atoi(key)
	return err == nil
}

// What several checks say, of what commands can change, of what is not to be
// seen, and of what claude-iso or claude is.
const (
	CanMake, ChangedOutside  = "Commands can create or change ", " outside the sandbox, and commands can change it."
	NotOfProject, NoneHere   = ", which is not part of the project.", "there is no policy here"
	NoReading, ToCredentials = "it cannot be read", "is a symlink to a credential file: not opened"
	SandboxOff               = "the sandbox is off: "
	NotOnPath, NotDefined    = " is not on PATH", "claude-iso is not defined: "
	OwnFunction, OwnAlias    = "claude-iso is a function of your own", "claude-iso is an alias of your own"
	OtherRuntime             = ", not the executable that was tested"
	UnknownHarm              = ", which is unknown to be harmless"
)

// Opening is one thing that is open.
type Opening struct {
	Status report.Status
	Voids  bool
	// Plain says that claude-iso does not load it.
	Plain bool
	Group openingGroup
	// Where says "path:line:col"; path leads to the value there, and is
	// nil where the place is no setting.
	Where string
	Path  []string
	// what is the value, opens a sentence.
	What, Opens string
	// Step is what ends it, at Where; "" if path says it. Remedy is for what ends it
	// elsewhere, or is more than a step, and counts in place of one.
	Step   string
	Remedy report.Remedy
}

// Next is what ends it beside what Path says; nil if nothing does.
func (o Opening) Next() report.Remedy {
	if o.Remedy == nil && o.Step != "" {
		return report.DocLink{Title: o.Step, Target: o.Where}
	}
	return o.Remedy
}

// Evidence is what is open with its place.
func (o Opening) Evidence() report.Evidence {
	if o.Path == nil {
		return report.FileEvidence(o.Where, o.Opens)
	}
	return ValueEvidence(o.Where, o.Path, o.What, o.Opens)
}

// ValueEvidence says what a value is and what it opens; of a variable only the
// name is known. Nothing stands behind the value with a colon: a path that is
// called like a credential would have what follows hidden as its value.
func ValueEvidence(where string, path []string, what, opens string) report.Evidence {
	value := settings.KeyPath(path)
	if what == path[len(path)-1] {
		value += " is set. "
	} else {
		value += " is " + what + ". "
	}
	return report.FileEvidence(where, value+opens)
}

// LowerFirst begins a sentence in small letters, unless it begins with a name
// in capitals.
func LowerFirst(s string) string {
	if s == "" {
		return s
	}
	if len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// RemoveKey is the remedy for a value that should not be there: the key, or
// the element of an array, at path in the file and place that where says. It
// names the key: in a file of one line, the line would be the whole file.
func RemoveKey(where string, path ...string) report.DocLink {
	return KeyRemedy("remove %s", where, path)
}

// KeyRemedy is RemoveKey with other words; %s of them is the key.
func KeyRemedy(words, where string, path []string) report.DocLink {
	what := "the key "
	if IsIndex(path[len(path)-1]) {
		what = "the entry "
	}
	return report.DocLink{Title: fmt.Sprintf(words, what+settings.KeyPath(path)), Target: where}
}
