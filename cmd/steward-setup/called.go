// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line that calls this program works when it is pasted, in
// any directory, and is the same in text, in a document and on a screen: it is
// built here, once, from the line that a step wrote.

package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
)

// called puts into a line that calls this program the name that leads to it,
// self, and the flags that this run was given.
func (a *app) called(self string, c report.Command) report.Command {
	if c.Words == "" {
		return c
	}
	here := *a
	if c.Dir != "" {
		here.project = ""
	}
	c = c.From(here.line(self, c.Words))
	c.Words = ""
	return c
}

// line is a command of this program, given without its name, as it is called
// here: for the project that it names first, or for that of this run. What iso does not know it
// would hand on to the agent.
func (a *app) line(self, rest string) string {
	command, flags, _ := strings.Cut(rest, " ")
	if strings.HasPrefix(flags, "--project ") {
		here := *a
		here.project, a = "", &here
	}
	switch {
	case command != "iso" && !strings.HasSuffix(" "+rest, " --help") &&
		(a.globals() == "" || !strings.Contains(rest+" ", a.globals()+" ")):
		rest = a.again(rest)
	case command == "iso" && a.project != "":
		self = "cd " + scripts.Quote(a.project) + " && " + self
	}
	return self + " " + rest
}

// calledLine is a line in a sentence as it is called here.
func (a *app) calledLine(self string, l report.Line) report.Line {
	if l.Words == "" {
		return l
	}
	return report.Line{After: a.line(self, l.Words) + l.After}
}

// calledError is an error with what to do next as it is called here.
func (a *app) calledError(err error) error {
	e, ok := errors.AsType[*report.Error](err)
	if !ok || len(e.Lines) == 0 {
		return err
	}
	called, self := *e, a.selfHere()
	called.Lines = slices.Clone(e.Lines)
	for i, l := range called.Lines {
		called.Lines[i] = a.calledLine(self, l)
	}
	return &called
}

// calledLink is a link with its line as it is called here.
func (a *app) calledLink(self string, d report.DocLink) report.DocLink {
	d.Line = a.calledLine(self, d.Line)
	return d
}

// calledStep is a next step with its line as it is called here.
func (a *app) calledStep(self string, s report.NextStep) report.NextStep {
	if s.Command != nil {
		c := a.called(self, *s.Command)
		s.Command = &c
	}
	if s.Link != nil {
		d := a.calledLink(self, *s.Link)
		s.Link = &d
	}
	return s
}

// possible are steps as they can be taken here, without those that cannot.
func possible(steps []report.NextStep, as tui.AsCalled) (list []report.NextStep) {
	for _, s := range steps {
		if s, keep := as(s); keep {
			list = append(list, s)
		}
	}
	return list
}

// calledEvent is an event with the lines of its findings and its plan as they are
// called here: a document has no next steps beside them.
func (a *app) calledEvent(self string, e engine.Event) engine.Event {
	switch e := e.(type) {
	case engine.CheckDone:
		e.Finding = a.calledFinding(self, e.Finding)
		return e
	case engine.PlanReady:
		e.Plan.Sections = slices.Clone(e.Plan.Sections)
		for i := range e.Plan.Sections {
			s := &e.Plan.Sections[i]
			s.Items, s.Findings = slices.Clone(s.Items), slices.Clone(s.Findings)
			for j, it := range s.Items {
				if c, ok := it.(report.Command); ok {
					s.Items[j] = a.called(self, c)
				}
			}
			for j, f := range s.Findings {
				s.Findings[j] = a.calledFinding(self, f)
			}
		}
		return e
	}
	return e
}

func (a *app) calledFinding(self string, f report.Finding) report.Finding {
	f.Remedies = slices.Clone(f.Remedies)
	for i, r := range f.Remedies {
		switch r := r.(type) {
		case report.Command:
			f.Remedies[i] = a.called(self, r)
		case report.DocLink:
			f.Remedies[i] = a.calledLink(self, r)
		}
	}
	return f
}
