// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package setup proposes what makes a secure setup of Claude Code out of a
// workstation: tools, project policy, wrapper, hooks, wiring, project roots.
//
// Contract: it only reads. What is proposed is a pure function of what was read and
// of the answers. There is no UI here.
package setup

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sample"
	"github.com/steward-setup/steward-setup/steps/install"
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

func sectionOptions() (options []report.Option) {
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
	draft     install.Draft
	questions []report.Question

	install.Project
	survey toolSurvey
	known  *toolSurvey

	// policyTo is the scope of a policy that was proposed, "" of none.
	policyTo string
	// policyAfter is that document as it will be, policyHosts are the hosts
	// that the answers allow.
	policyAfter *settings.Doc
	policyHosts []string
	// floored says that the user's settings hold a policy of their own, whose
	// hosts were asked for.
	floored bool
	// places are where the agent could write, by the policy as it will be; program is
	// what hooks, wrapper and git call.
	places         install.Places
	program        install.Program
	scriptsMissing bool
	// excluded says that the plan has a rule in the repository's info/exclude already.
	excluded bool
}

// Claude proposes Claude Code's setup. Package managers are slow, so their answers are
// kept until the same answers are given twice: the user wants to know whether
// something has changed.
type Claude struct {
	Options
	last *proposer
}

// Begin implements install.Agent.
func (c *Claude) Begin(ctx context.Context, d install.Draft, a report.Answers) (install.Setup, error) {
	p := &proposer{r: d.Host, opts: c.Options, answers: a, draft: d}
	if c.last != nil && !maps.EqualFunc(c.last.answers, a, slices.Equal) {
		p.known = &c.last.survey
	}
	if err := p.look(ctx); err != nil {
		return install.Setup{}, err
	}
	c.last = p
	p.ask(skipQuestion)
	return install.Setup{Skips: p.skips, Questions: func() []report.Question { return p.questions }, Facts: p.facts,
		Steps: []install.Step{
			{ID: "tools", Title: "Pinned tools", Propose: p.tools},
			{ID: "policy", Title: "Project policy", Propose: p.policy, Finish: p.committing},
			{ID: "floor", Title: FloorTitle, Propose: p.floor},
			{ID: "binary", Title: install.BinaryTitle, Propose: p.binary, Left: p.keepBinary},
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
	project, err := install.FindProject(ctx, p.r, cmp.Or(p.opts.Project, p.r.System().Cwd), false)
	if err != nil {
		return err
	}
	p.Project = project
	set, err := pins.Load(p.r, p.r.Places().Config, p.opts.Framework)
	if err != nil {
		return err
	}
	if p.known != nil && p.known.complete(set) {
		p.survey = *p.known
		return nil
	}
	if p.skips("tools") {
		set.Pins = slices.DeleteFunc(set.Pins, func(pin pins.Pin) bool { return pin.Tool != claude.Name })
	}
	p.survey = surveyTools(ctx, p.r, set)
	return nil
}

// facts are what the screens' header shows.
func (p *proposer) facts() report.Facts {
	f := p.Project.Facts(p.r)
	f.Distro, f.Program, f.Runtime = p.survey.platform.Tag(), claude.Program, p.survey.runtime()
	return f
}

func (p *proposer) tools(context.Context) (report.Section, error) {
	for _, q := range toolQuestions(p.survey) {
		p.ask(q)
	}
	return proposeTools(p.r, p.survey, p.answers)
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
	if p.Repo == nil {
		evidence = "wrapper, hooks and status line apply to all your sessions; there is no project here"
	}
	return report.Section{ID: "scope", Title: "Scope: this project",
		Why: "The setup is per project: every other repository needs its own policy, so run install there too. To register " +
			"the worktrees of all your repositories, now and later, run steward-setup scope whole-user: it sets git's global " +
			"core.hooksPath, and first shows what that means for each repository's own hooks.",
		Findings: []report.Finding{{Check: "scope", Layer: report.LayerSandbox, Status: report.Pass, Summary: summary,
			Evidence: []report.Evidence{report.FileEvidence(p.Place, evidence)}}}}, nil
}

// Sample is what a throwaway home has of it: settings formatted by hand, with hooks of
// the user's own, since that is what a merge meets in real homes.
var Sample = sample.Agent{Ignored: claude.LocalFile, Settings: `{
    "model": "opus",
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [ { "type": "command", "command": "~/bin/log-command" } ] }
        ],
        "Stop": [
            { "hooks": [ { "type": "command", "command": "notify-send done" } ] }
        ]
    },
    "env": { "EDITOR": "vim" }
}
`}
