// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a report ends with numbered next steps, worst first; each
// is something the reader can do now.

package report

import (
	"slices"
	"strings"
)

// NextSteps lists what the reader should do: the commands that are left, what
// would mend the findings, worst first, and at the end the commands that are
// only offered, such as the commit of what was written; no step twice.
func NextSteps(findings []Finding, commands []Command) []string {
	var steps []string
	add := func(s string) {
		if s != "" && !slices.Contains(steps, s) {
			steps = append(steps, s)
		}
	}
	for _, c := range commands {
		if !c.Optional {
			add(c.Step())
		}
	}
	for _, status := range []Status{Fail, Unknown, Warn} {
		for _, f := range findings {
			if f.Status != status {
				continue
			}
			for _, r := range f.Remedies {
				add(step(r))
			}
		}
	}
	for _, c := range commands {
		if c.Optional && !slices.Contains(steps, c.Step()) {
			add("if you like, " + c.Step())
		}
	}
	return steps
}

// Step is the command as an instruction.
func (c Command) Step() string {
	if c.Where != "" {
		return "add to " + c.Where + ":  " + c.Line
	}
	return "run:  " + c.Line
}

func step(r Remedy) string {
	switch r := r.(type) {
	case Command:
		return r.Step()
	case Change:
		return r.Why
	case DocLink:
		if strings.HasPrefix(r.Target, "docs/") { // a page of the source tree, which the reader may not have
			return ""
		}
		return r.Title + ":  " + r.Target
	}
	return ""
}
