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
	// Agent is the runtime whose setup it is.
	Agent Agent
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

// Agent proposes what protects, in the files of one runtime. It is made for one
// dialogue.
type Agent interface {
	// Begin begins a plan for these answers. What the steps read of the draft are the
	// files as the steps before them leave them.
	Begin(ctx context.Context, d Draft, o Options, a report.Answers) (Setup, error)
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
	r    host.Reader
	opts Options
}

// NewDialogue begins a dialogue; it reads nothing yet.
func NewDialogue(r host.Reader, o Options) *Dialogue { return &Dialogue{r: r, opts: o} }

// Propose computes the plan for these answers.
func (s *Dialogue) Propose(ctx context.Context, a report.Answers) (report.Proposal, error) {
	setup, err := s.opts.Agent.Begin(ctx, NewDraft(s.r), s.opts, maps.Clone(a))
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

// Claude proposes Claude Code's setup. Package managers are slow, so their answers are
// kept until the same answers are given twice: the user wants to know whether
// something has changed.
type Claude struct {
	last   report.Answers
	survey *toolSurvey
}

// Begin implements Agent.
func (c *Claude) Begin(ctx context.Context, d Draft, o Options, a report.Answers) (Setup, error) {
	p := &proposer{r: d.r, opts: o, answers: a, draft: d}
	if c.last != nil && !maps.EqualFunc(c.last, a, slices.Equal) {
		p.known = c.survey
	}
	if err := p.look(ctx); err != nil {
		return Setup{}, err
	}
	c.last, c.survey = maps.Clone(a), &p.survey
	p.ask(skipQuestion)
	return Setup{Skips: p.skips, Questions: func() []report.Question { return p.questions }, Facts: p.facts, Steps: []Step{
		{ID: "tools", Title: "Pinned tools", Propose: p.tools},
		{ID: "policy", Title: "Project policy", Propose: p.policy, Finish: p.committing},
		{ID: "floor", Title: FloorTitle, Propose: p.floor},
		{ID: "binary", Title: binaryTitle, Propose: p.binary, Left: p.keepBinary},
		{ID: "wrapper", Title: "Clean-env wrapper", Propose: p.wrapper},
		{ID: "hooks", Title: "Hook scripts", Propose: p.hooks, Left: func() { p.scriptsMissing = !p.scriptsThere() }},
		{ID: "wiring", Title: "User settings", Propose: p.wiring},
		{ID: "roots", Title: "Project roots", Propose: p.roots},
		{ID: "review", Title: "MCP servers of your own", Propose: p.review},
		{ID: "launch", Title: iso.ApprovalTitle, Propose: p.launch},
		{ID: "scope", Title: "Scope", Propose: p.scope},
		{ID: "schedule", Title: "A weekly drift report", Propose: p.schedule},
	}}, nil
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
