// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package install proposes the plan that makes a secure setup out of a
// workstation: tools, project policy, wrapper, hooks, wiring, project roots.
//
// Contract: Propose only reads. It is a pure function of what it read and of
// the answers, so that asking with other answers makes another plan, and the
// plan's id says whether two of them are the same. There is no UI here.
package install

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Options are what install is told beside the answers.
type Options struct {
	// Project is a directory in the project; Framework a checkout of the
	// framework, or "" for the embedded policy, scripts and pins.
	Project, Framework string
	// Earlier are answers of earlier runs; they are the defaults of the
	// questions whose default is fixed.
	Earlier Earlier
}

// SectionIDs are the sections in the order in which they are proposed.
var SectionIDs = []report.ID{"tools", "policy", "floor", "binary", "wrapper", "hooks", "wiring", "roots", "review",
	"launch", "scope", "schedule"}

var skipQuestion = report.Question{ID: "skip", Kind: report.Multi, Title: "Leave out these sections",
	Options: sectionOptions(), Once: true}

func sectionOptions() []report.Option {
	var options []report.Option
	for _, id := range SectionIDs {
		options = append(options, report.Option{Value: string(id), Label: string(id)})
	}
	return options
}

// proposer gathers one proposal.
type proposer struct {
	r         host.Reader
	opts      Options
	answers   report.Answers
	draft     Draft
	questions []report.Question

	// place is where the project is looked for; repo is nil outside a
	// repository.
	// noProject says why a repository that is there is not taken for one.
	place     string
	noProject string
	repo      *gitrepo.Repo
	// worktrees are all of the repository, or, here, the one at its root alone.
	worktrees []gitrepo.Worktree
	here      bool
	survey    toolSurvey
	known     *toolSurvey

	// policyTo is the scope of a policy that was proposed, "" of none.
	policyTo string
	// policyAfter is that document as it will be, policyHosts are the hosts
	// that the answers allow.
	policyAfter *settings.Doc
	policyHosts []string
	// floored says that the user's settings hold a policy of their own, whose
	// hosts were asked for.
	floored bool
	// writable are the resolved allowWrite entries of the policy as it
	// will be; binaryPath is the program that hooks, wrapper and git call, ""
	// if there is no safe one, hookPath the small one for hooks, "" likewise.
	writable             []string
	binaryPath, hookPath string
	scriptsMissing       bool
}

// Dialogue proposes again and again while a user answers. Package managers are
// slow, so their answers are kept until the same answers are given twice: the
// user wants to know whether something has changed.
type Dialogue struct {
	r      host.Reader
	opts   Options
	last   report.Answers
	survey *toolSurvey
}

// NewDialogue begins a dialogue; it reads nothing yet.
func NewDialogue(r host.Reader, o Options) *Dialogue { return &Dialogue{r: r, opts: o} }

// Propose computes the plan for these answers.
func (s *Dialogue) Propose(ctx context.Context, a report.Answers) (report.Proposal, error) {
	p := &proposer{r: s.r, opts: s.opts, answers: maps.Clone(a), draft: NewDraft(s.r)}
	if s.last != nil && !maps.EqualFunc(s.last, a, slices.Equal) {
		p.known = s.survey
	}
	proposal, err := p.propose(ctx)
	if err == nil {
		s.last, s.survey = maps.Clone(a), &p.survey
	}
	return proposal, err
}

func (p *proposer) propose(ctx context.Context) (report.Proposal, error) {
	if err := p.look(ctx); err != nil {
		return report.Proposal{}, err
	}
	p.ask(skipQuestion)
	var sections []report.Section
	for _, step := range []struct {
		id      report.ID
		title   string
		propose func(context.Context) (report.Section, error)
	}{
		{"tools", "Pinned tools", p.tools},
		{"policy", "Project policy", p.policy},
		{"floor", FloorTitle, p.floor},
		{"binary", binaryTitle, p.binary},
		{"wrapper", "Clean-env wrapper", p.wrapper},
		{"hooks", "Hook scripts", p.hooks},
		{"wiring", "User settings", p.wiring},
		{"roots", "Project roots", p.roots},
		{"review", "MCP servers of your own", p.review},
		{"launch", iso.ApprovalTitle, p.launch},
		{"scope", "Scope", p.scope},
		{"schedule", "A weekly drift report", p.schedule},
	} {
		if p.skips(step.id) {
			if step.id == "binary" {
				p.gatherWritable()
			}
			p.left(step.id)
			sections = append(sections, report.Section{ID: step.id, Title: step.title, Skipped: true})
			continue
		}
		if step.id == "binary" {
			p.gatherWritable() // the policy is in the draft now
		}
		s, err := step.propose(ctx)
		if err != nil {
			return report.Proposal{}, err
		}
		if s.ID != "" {
			s.Title = cmp.Or(s.Title, step.title)
			sections = append(sections, s)
		}
	}
	for i := range sections {
		sections[i].Findings = append(sections[i].Findings, engine.Running(p.r, sections[i])...)
		if sections[i].ID != "policy" {
			continue
		}
		if err := p.committing(ctx, &sections[i]); err != nil { // every change is known now
			return report.Proposal{}, err
		}
	}
	return report.Proposal{Plan: report.NewPlan(sections), Questions: p.questions, Facts: p.facts()}, nil
}

// look finds out where we are: repository, worktrees, pins, tools.
func (p *proposer) look(ctx context.Context) error {
	if err := p.findProject(ctx); err != nil {
		return err
	}
	set, err := pins.Load(p.r, p.r.Places().Config, p.opts.Framework)
	if err != nil {
		return err
	}
	if p.known != nil && p.known.complete(set) {
		p.survey = *p.known
		return nil
	}
	if p.skips("tools") {
		set.Pins = slices.DeleteFunc(set.Pins, func(pin pins.Pin) bool { return pin.Tool != string(proc.ClaudeCode) })
	}
	p.survey = surveyTools(ctx, p.r, set)
	return nil
}

// findProject asks git about the directory that the project is looked for in.
func (p *proposer) findProject(ctx context.Context) error {
	p.place = cmp.Or(p.opts.Project, p.r.System().Cwd)
	repo, err := gitrepo.Open(ctx, p.r, p.place)
	if errors.Is(err, gitrepo.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	if home := p.r.Places().Home; repo.Root != "" && pathname.Within(home, repo.Root) {
		p.noProject = "the repository at " + repo.Root + " contains your home directory: what has to be hidden would be " +
			"the project itself"
		return nil
	}
	p.repo = repo
	if p.here {
		p.worktrees, err = repo.Here(ctx)
	} else {
		p.worktrees, err = repo.Worktrees(ctx)
	}
	return err
}

// outside says why there is no project here.
func (p *proposer) outside() string {
	if p.noProject != "" {
		return p.noProject
	}
	return p.place + " is in no worktree of a git repository; cd into the project, or name it with --project"
}

// facts are what the screens' header shows.
func (p *proposer) facts() report.Facts {
	f := p.projectFacts()
	f.Distro, f.Runtime = p.survey.platform.Name, p.survey.runtime()
	return f
}

func (p *proposer) projectFacts() report.Facts {
	f := report.Facts{Home: p.r.Places().Home, OS: p.r.System().GOOS}
	if p.repo == nil {
		return f
	}
	f.Project = p.repo.Root
	for _, wt := range p.worktrees {
		if wt.Path == p.repo.Root {
			f.Branch = strings.TrimPrefix(wt.Branch, "refs/heads/")
		}
	}
	return f
}

// tools proposes the pinned tools.
func (p *proposer) tools(ctx context.Context) (report.Section, error) {
	for _, q := range toolQuestions(p.survey) {
		p.ask(q)
	}
	return proposeTools(ctx, p.r, toolsInput{Survey: p.survey, Answers: p.answers})
}

func (p *proposer) skips(id report.ID) bool {
	return slices.Contains(p.answers.Of(skipQuestion), string(id))
}

// left notes what follows from leaving a section out.
func (p *proposer) left(id report.ID) {
	if id == "hooks" {
		p.scriptsMissing = !p.scriptsThere()
	}
	if id == "binary" {
		p.keepBinary()
	}
}

// scope explains what the plan covers and what it does not.
func (p *proposer) scope(ctx context.Context) (report.Section, error) {
	summary := "per-project"
	if h, err := gitrepo.UserHooksPath(ctx, p.r); err == nil && githooks.Shared(p.r, h.Path) {
		summary = "whole-user"
	}
	evidence := "the policy and the roots are in this repository; wrapper, hooks and status line apply to all your " +
		"sessions"
	if p.repo == nil {
		evidence = "wrapper, hooks and status line apply to all your sessions; there is no project here"
	}
	return report.Section{ID: "scope", Title: "Scope: this project",
		Why: "The setup is per project: every other repository needs its own policy, so run install there too. To register " +
			"the worktrees of all your repositories, now and later, run steward-setup scope whole-user: it sets git's global " +
			"core.hooksPath, and first shows what that means for each repository's own hooks.",
		Findings: []report.Finding{{Check: "scope", Layer: report.LayerSandbox, Status: report.Pass, Summary: summary,
			Evidence: []report.Evidence{report.FileEvidence(p.place, evidence)}}}}, nil
}
