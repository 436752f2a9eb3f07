// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line that calls this program works when it is pasted, in
// any directory, and is the same in text, in a document and on a screen: it is
// built here, once, from the line that a step wrote.

package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
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
// here. What iso does not know it would hand on to the agent.
func (a *app) line(self, rest string) string {
	switch command, _, _ := strings.Cut(rest, " "); {
	case command != "iso" && !strings.HasSuffix(" "+rest, " --help") &&
		(a.globals() == "" || !strings.Contains(rest+" ", a.globals()+" ")):
		rest = a.again(rest)
	case command == "iso" && a.project != "":
		self = "cd " + scripts.Quote(a.project) + " && " + self
	}
	return self + " " + rest
}

// ownLine finds the lines of this program in an instruction: each begins it, or
// stands behind a colon, and ends at a semicolon or where a comment begins.
var ownLine = regexp.MustCompile("(^|:  ?)steward-setup ((?:'[^']*'|[^;#'])*(?:'[^']*'|[^;#' ]))")

// calledIn is an instruction with its lines of this program as they are called
// here.
func (a *app) calledIn(self, instruction string) string {
	return ownLine.ReplaceAllStringFunc(instruction, func(found string) string {
		m := ownLine.FindStringSubmatch(found)
		return m[1] + a.line(self, m[2])
	})
}

// calledError is an error with what to do next as it is called here.
func (a *app) calledError(err error) error {
	var e *report.Error
	if !errors.As(err, &e) || !ownLine.MatchString(e.Next) {
		return err
	}
	called := *e
	called.Next = a.calledIn(a.selfHere(), e.Next)
	return &called
}

// calledStep is a next step with its line as it is called here.
func (a *app) calledStep(self string, s report.NextStep) report.NextStep {
	if s.Command != nil {
		c := a.called(self, *s.Command)
		s.Command = &c
	}
	s.Text = a.calledIn(self, s.Text)
	return s
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
			r.Title, r.Target = a.calledIn(self, r.Title), a.calledIn(self, r.Target)
			f.Remedies[i] = r
		}
	}
	return f
}
