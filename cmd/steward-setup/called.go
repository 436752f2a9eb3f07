// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line that calls this program works when it is pasted, in
// any directory, and is the same in text, in a document and on a screen: it is
// built here, once, from the line that a step wrote.

package main

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// called puts into a line that calls this program the name that leads to it,
// self, and the flags that this run was given.
func (a *app) called(self string, c report.Command) report.Command {
	if rest, ours := strings.CutPrefix(c.Line, "steward-setup "); ours && !c.Called {
		c.Line, c.Called = self+" "+a.again(rest), true
	}
	return c
}

// calledStep is a next step with its line as it is called here.
func (a *app) calledStep(self string, s report.NextStep) report.NextStep {
	if s.Command != nil {
		c := a.called(self, *s.Command)
		s.Command = &c
	}
	return s
}

// calledEvent is an event with the lines of its finding as they are called
// here: a document has no next steps beside them.
func (a *app) calledEvent(self string, e engine.Event) engine.Event {
	done, ok := e.(engine.CheckDone)
	if !ok {
		return e
	}
	done.Finding.Remedies = slices.Clone(done.Finding.Remedies)
	for i, r := range done.Finding.Remedies {
		if c, ok := r.(report.Command); ok {
			done.Finding.Remedies[i] = a.called(self, c)
		}
	}
	return done
}
