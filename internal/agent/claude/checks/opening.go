// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is open is counted by what it is, the worst first
// and by name, and each is named with its place and with what ends it.

package checks

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

// What several checks say, of what commands can change, of what is not to be
// seen, and of what claude-iso or claude is.
const (
	canMake, changedOutside  = "Commands can create or change ", " outside the sandbox, and commands can change it."
	notOfProject, noneHere   = ", which is not part of the project.", "there is no policy here"
	noReading, toCredentials = "it cannot be read", "is a symlink to a credential file: not opened"
	sandboxOff               = "the sandbox is off: "
	notOnPath, notDefined    = " is not on PATH", "claude-iso is not defined: "
	ownFunction, ownAlias    = "claude-iso is a function of your own", "claude-iso is an alias of your own"
	otherRuntime             = ", not the executable that was tested"
	unknownHarm              = ", which is unknown to be harmless"
)

// opening is one thing that is open.
type opening struct {
	status report.Status
	voids  bool
	// plain says that claude-iso does not load it.
	plain bool
	group openingGroup
	// where says "path:line:col"; path leads to the value there, and is
	// nil where the place is no setting.
	where string
	path  []string
	// what is the value, opens a sentence.
	what, opens string
	// remedy mends what is no setting; nil if path says it.
	remedy report.Remedy
}

func (o opening) evidence() report.Evidence {
	if o.path == nil {
		return report.FileEvidence(o.where, o.opens)
	}
	return valueEvidence(o.where, o.path, o.what, o.opens)
}

// valueEvidence says what a value is and what it opens; of a variable only the
// name is known. Nothing stands behind the value with a colon: a path that is
// called like a credential would have what follows hidden as its value.
func valueEvidence(where string, path []string, what, opens string) report.Evidence {
	value := settings.KeyPath(path)
	if what == path[len(path)-1] {
		value += " is set. "
	} else {
		value += " is " + what + ". "
	}
	return report.FileEvidence(where, value+opens)
}

// lowerFirst begins a sentence in small letters, unless it begins with a name
// in capitals.
func lowerFirst(s string) string {
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
	return keyRemedy("remove %s", where, path)
}

// keyRemedy is RemoveKey with other words; %s of them is the key.
func keyRemedy(words, where string, path []string) report.DocLink {
	what := "the key "
	if isIndex(path[len(path)-1]) {
		what = "the entry "
	}
	return report.DocLink{Title: fmt.Sprintf(words, what+settings.KeyPath(path)), Target: where}
}
