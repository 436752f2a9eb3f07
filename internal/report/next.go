// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a report ends with numbered next steps, worst first; each
// is something the reader can do now.

package report

import (
	"slices"
	"strings"
)

// NextStep is one thing to do: a command of the user's, what Link says, or what Text
// does.
type NextStep struct {
	Text    string
	Command *Command // nil where there is no line to run or to add
	Change  *Change  // nil where there is no file to change
	Link    *DocLink // nil where Text or Command says it
}

// String is the step in one line.
func (s NextStep) String() string {
	switch {
	case s.Link != nil:
		return s.Link.Says()
	case s.Command == nil:
		return s.Text
	case s.Command.Optional && s.Text != "":
		return s.Text + ", " + s.Command.Step()
	}
	return s.Command.Step()
}

// Rehearse is the ID of the command that makes known what only a rehearsal
// shows.
const Rehearse ID = "verify"

// MendAgent is the ID of the command that mends an agent which does not start.
// It comes before everything else.
const MendAgent ID = "mend-agent"

// Steps lists what the reader should do: the commands that are left, what
// would mend the findings, worst first, and at the end the commands that are
// only offered, such as the commit of what was written; no step twice. A
// decision that nothing mends is a step of its own. What is unknown is
// rehearsed before anything is mended on a guess.
func Steps(findings []Finding, commands []Command) []NextStep {
	var steps []NextStep
	at := map[string]int{} // by what is to be done
	add := func(s NextStep) {
		does := s.String()
		if s.Command != nil {
			does = s.Command.Step()
		}
		i, known := at[does]
		switch {
		case does == "":
		case !known:
			at[does] = len(steps)
			steps = append(steps, s)
		case s.Command != nil && steps[i].Command != nil:
			steps[i].Command.Why = both(steps[i].Command.Why, s.Command.Why)
		}
	}
	for _, c := range commands {
		if !c.Optional {
			add(NextStep{Command: &c})
		}
	}
	mends := func(f Finding) {
		for _, r := range f.Remedies {
			add(step(r))
		}
	}
	named := func(f Finding, id ID) {
		for _, r := range f.Remedies {
			if c, ok := r.(Command); ok && c.ID == id {
				add(step(c))
			}
		}
	}
	// Nothing else can be seen before the agent starts.
	for _, f := range findings {
		named(f, MendAgent)
	}
	// What leaves nothing protected comes first.
	for _, f := range findings {
		if f.Status == Fail && f.Voids {
			mends(f)
		}
	}
	for _, status := range []Status{Fail, Unknown, Warn} {
		for _, f := range findings {
			if f.Status == status {
				named(f, Rehearse)
			}
		}
		for _, f := range protectionFirst(findings, status) {
			if f.Status != status {
				continue
			}
			if f.Decide && len(f.Remedies) == 0 {
				add(NextStep{Text: "decide: " + f.Summary})
			}
			mends(f)
		}
	}
	for _, c := range commands {
		if c.Optional {
			add(NextStep{Text: "optional", Command: &c})
		}
	}
	return steps
}

// protectionFirst are findings with warnings about versions of tools behind all others: what
// has a newer version protects all the same.
func protectionFirst(findings []Finding, status Status) []Finding {
	if status != Warn {
		return findings
	}
	ofTools := func(f Finding) bool { return Info(f.Check).Layer == LayerTools }
	others := slices.DeleteFunc(slices.Clone(findings), ofTools)
	return append(others, slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return !ofTools(f) })...)
}

// both are the reasons of one command, each said once.
func both(a, b string) string {
	switch {
	case a == "", strings.HasPrefix(b+" ", a+" "):
		return b
	case strings.Contains(a, b):
		return a
	}
	later := strings.Split(b, "; ")
	parts := slices.DeleteFunc(strings.Split(a, "; "), func(part string) bool { return slices.Contains(later, part) })
	return strings.Join(append(parts, later...), "; ")
}

// Step is the command as an instruction.
func (c Command) Step() string {
	if c.Where != "" {
		return "add to " + c.Where + ":  " + c.Line
	}
	return "run:  " + c.Line
}

func step(r Remedy) NextStep {
	switch r := r.(type) {
	case Command:
		return NextStep{Command: &r}
	case Change:
		return NextStep{Text: r.Says(), Change: &r}
	case DocLink:
		return NextStep{Link: &r}
	}
	return NextStep{}
}
