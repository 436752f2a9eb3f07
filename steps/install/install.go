// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package install makes the plan of a secure setup of the sections that an agent
// proposes.
//
// Contract: Propose only reads. It is a pure function of what it read and of
// the answers, so that asking with other answers makes another plan, and the
// plan's id says whether two of them are the same. There is no UI here.
package install

import (
	"cmp"
	"context"
	"maps"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Agent proposes what protects, in the files of one runtime. It is made for one
// dialogue.
type Agent interface {
	// Begin begins a plan for these answers. What the steps read of the draft are the
	// files as the steps before them leave them.
	Begin(ctx context.Context, d Draft, a report.Answers) (Setup, error)
}

// Setup is a plan that has begun.
type Setup struct {
	Steps []Step
	// Skips says whether a section is left out.
	Skips func(report.ID) bool
	// Questions are those that the steps asked, Facts what the screens' header shows.
	Questions func() []report.Question
	Facts     func() report.Facts
}

// Step proposes a section; one without an ID is none. Left is called where it is left
// out, Finish once every section is known; both may be nil.
type Step struct {
	ID      report.ID
	Title   string
	Propose func(context.Context) (report.Section, error)
	Left    func()
	Finish  func(context.Context, *report.Section) error
}

// Dialogue proposes again and again while a user answers.
type Dialogue struct {
	r     host.Reader
	agent Agent
}

// Planned is the remedy that shows what install would change with flags, and writes nothing.
func Planned(why, flags string) report.Command {
	return report.Own("install --plan"+flags, report.Command{ID: "install", Why: why})
}

// NewDialogue begins a dialogue; it reads nothing yet.
func NewDialogue(r host.Reader, a Agent) *Dialogue { return &Dialogue{r: r, agent: a} }

// Propose computes the plan for these answers.
func (s *Dialogue) Propose(ctx context.Context, a report.Answers) (report.Proposal, error) {
	setup, err := s.agent.Begin(ctx, NewDraft(host.Still(host.Once(s.r))), maps.Clone(a))
	if err != nil {
		return report.Proposal{}, err
	}
	var sections []report.Section
	var finish []func() error
	for _, step := range setup.Steps {
		section := report.Section{ID: step.ID, Title: step.Title, Skipped: true}
		if !setup.Skips(step.ID) {
			if section, err = step.Propose(ctx); err != nil {
				return report.Proposal{}, err
			}
			section.Title = cmp.Or(section.Title, step.Title)
		} else if step.Left != nil {
			step.Left()
		}
		if section.ID == "" {
			continue
		}
		sections = append(sections, section)
		if at := len(sections) - 1; step.Finish != nil {
			finish = append(finish, func() error { return step.Finish(ctx, &sections[at]) })
		}
	}
	for i := range sections {
		sections[i].Findings = append(sections[i].Findings, engine.Running(s.r, sections[i])...)
	}
	for _, finish := range finish {
		if err := finish(); err != nil {
			return report.Proposal{}, err
		}
	}
	return report.Proposal{Plan: report.NewPlan(sections), Questions: setup.Questions(), Facts: setup.Facts()}, nil
}
