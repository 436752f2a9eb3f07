// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: on a screen the same plan is made, and the same is
// acknowledged, as with flags; nothing is written before the review's enter.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/ui/text"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/scope"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// rootQuestion is --root as the wizard asks it; skipQuestion are the parts that
// it leaves out.
const (
	rootQuestion report.ID = "root"
	skipQuestion report.ID = "skip"
)

// scoping is the backend of the wizard of whole-user scope.
type scoping struct {
	a    *app
	h    *host.Host
	opts scope.Options
	o    scopeOptions
	v    *verification
	// facts are those of the header.
	facts report.Facts
	// likely is where to search if none of the usual directories exists.
	likely string
	// proposed are the flags of the last plan.
	proposed string
}

// scopeWizard walks the user through whole-user scope on a full screen.
func (a *app) scopeWizard(ctx context.Context, h *host.Host, opts scope.Options, o scopeOptions) error {
	s := &scoping{a: a, h: h, opts: opts, o: o, v: a.verifying(h, verifyOptions{live: verify.Auto}),
		facts: a.header(ctx, h), likely: a.likelyRoot(ctx, h)}
	given := report.Answers{}
	maps.Copy(given, o.answers)
	if v := given["floor"]; len(v) == 1 && v[0] == "no" {
		given = given.With(skipQuestion, "floor")
	}
	delete(given, "floor")
	if len(o.roots) > 0 {
		given[rootQuestion] = o.roots
	}
	outcome, err := tui.RunWizard(ctx, a.terminal(), s, tui.Options{Command: scope.WholeUserCommand, Given: given,
		Checks: s.v.shown, AsCalled: s.v.asCalled, Unchecked: s.v.proof(),
		TakeBack: a.self(h) + " undo", Waiting: "Looking for repositories.", Validate: s.validate,
		Acknowledge: &tui.Acknowledgement{Section: "hooks", Words: acknowledgement, Given: o.acknowledged},
		AllEntries:  true, StepByStep: true, Fixed: func(id report.ID) bool { return id != "floor" }})
	if err != nil {
		return err
	}
	outcome.Findings = nil // the exit code is that of the same plan without a screen
	return ended(outcome)
}

// Propose computes the plan for these answers and says how far it is. Without a root it only asks.
func (s *scoping) Propose(ctx context.Context, answers report.Answers,
	tell func(engine.Progress)) (report.Proposal, error) {
	asked := s.question()
	if _, ok := answers[rootQuestion]; !ok {
		return report.Proposal{Facts: s.facts, Questions: []report.Question{asked}, Unfinished: true,
			Plan: report.NewPlan([]report.Section{{ID: asked.Section, Title: "Repositories"}})}, nil
	}
	opts := s.opts
	opts.Progress, opts.Answers, opts.Roots = tell, floorAnswers(answers), nil
	for _, dir := range answers[rootQuestion] {
		_, real, err := s.a.walkRoot(s.h, dir)
		if err != nil {
			return report.Proposal{}, &report.Error{Code: report.ExitUsage, Where: dir, What: err.Error(), Next: nextRoot}
		}
		opts.Roots = append(opts.Roots, real)
	}
	p, err := scope.WholeUser(ctx, s.h, opts)
	if ctx.Err() != nil {
		err = interrupted()
	}
	if err != nil {
		return report.Proposal{}, err
	}
	s.proposed = s.given(answers).own()
	if skips(answers, "floor") {
		at := slices.IndexFunc(p.Plan.Sections, func(s report.Section) bool { return s.ID == "hooks" })
		p.Plan.Sections = slices.Insert(p.Plan.Sections, at, report.Section{ID: "floor", Title: floorTitle, Skipped: true,
			Why: "Without it, plain claude is sandboxed only when started in the root of a project with a policy."})
	}
	return report.Proposal{Plan: p.Plan, Facts: s.facts, Questions: append([]report.Question{asked}, p.Questions...),
		Table: p.Table()}, nil
}

// question is --root, with the usual directories as they are said.
func (s *scoping) question() report.Question {
	q := report.Question{ID: rootQuestion, Section: "roots", Kind: report.List, Title: "Where are your repositories?",
		Help: "One directory a line. Repositories below them are searched, at most " + strconv.Itoa(s.opts.Depth) +
			" directories deep; symlinks, build and cache directories are left out. Searching changes nothing."}
	for _, dir := range scope.UsualRoots(s.h) {
		q.Default = append(q.Default, text.Home(dir, s.h.Places().Home))
	}
	switch {
	case q.Default != nil:
		q.DefaultFrom = "directories that exist"
	case s.likely != "":
		q.Default, q.DefaultFrom = []string{text.Home(s.likely, s.h.Places().Home)}, "the project at hand"
	}
	return q
}

func skips(answers report.Answers, section string) bool {
	return slices.Contains(answers[skipQuestion], section)
}

// floorAnswers are the answers as --floor and the questions about it take them.
func floorAnswers(answers report.Answers) report.Answers {
	out := report.Answers{}
	for _, q := range floorQuestions() {
		if v, ok := answers[q.ID]; ok {
			out[q.ID] = v
		}
	}
	if skips(answers, "floor") {
		out["floor"] = []string{"no"}
	}
	return out
}

// validate judges an answer while it is typed.
func (s *scoping) validate(q report.Question, v []string) error {
	if q.ID != rootQuestion {
		return validAnswer(q.ID, v)
	}
	if len(v) == 0 {
		return &report.Error{What: "name at least one directory"}
	}
	for _, dir := range v {
		if _, _, err := s.a.walkRoot(s.h, dir); err != nil {
			return &report.Error{What: err.Error(), Next: nextRoot}
		}
	}
	return nil
}

// nextRoot is the next step after a directory that cannot be searched.
const nextRoot = "name a directory that exists, such as ~/code"

// walkRoot is a directory to search as it was given, made absolute, and as it is
// on the disk.
func (a *app) walkRoot(h *host.Host, dir string) (given, real string, err error) {
	if dir == "" {
		return "", "", errors.New("names no directory")
	}
	dir, _ = pathname.Expand(dir, h.Places().Home) // as typed into the wizard, and as a shell leaves --root=~/code
	dir = pathname.From(a.sys.Cwd, dir)
	given = filepath.Clean(dir)
	if info, err := h.Stat(given); err != nil || !info.IsDir() {
		return "", "", errors.New(given + pathname.NotDirectory)
	}
	if real, err = h.Resolve(given); err != nil {
		return "", "", fmt.Errorf("%s could not be inspected: %w", given, err)
	}
	return given, real, nil
}

// given are the command's options with these answers.
func (s *scoping) given(answers report.Answers) *scopeOptions {
	o := s.o
	o.roots, o.answers = nil, floorAnswers(answers)
	for _, dir := range answers[rootQuestion] {
		if given, _, err := s.a.walkRoot(s.h, dir); err == nil {
			dir = given
		}
		o.roots = append(o.roots, dir)
	}
	return &o
}

// Apply writes exactly this plan.
func (s *scoping) Apply(ctx context.Context, p report.Plan, emit engine.Sink) error {
	if err := s.a.writable(s.h, s.a.sys.Cwd, p); err != nil {
		return err
	}
	return s.a.scopeApply(ctx, s.h, scope.WholeUserCommand, p, s.proposed, emit)
}

// Recheck runs verify.
func (s *scoping) Recheck(ctx context.Context, emit engine.Sink) { _, _ = s.v.run(ctx, emit) }

// ApplyLine is the line that would make the same plan without the wizard.
func (s *scoping) ApplyLine(answers report.Answers) string {
	return s.a.self(s.h) + " " + scope.WholeUserCommand + " --plan" + s.given(answers).flags(s.a)
}

// scopeApply writes a plan that was approved and acknowledged.
func (a *app) scopeApply(ctx context.Context, h *host.Host, name string, p report.Plan, flags string,
	emit engine.Sink) error {
	if a.framework != "" {
		flags += " --framework " + scripts.Quote(a.framework)
	}
	applier := a.applier(h)
	applier.Flags = flags
	_, err := applier.Apply(ctx, p, p.ID, name, emit)
	return err
}

// scopeOverview says which scope is in force, with keys that lead to the other.
func (a *app) scopeOverview(ctx context.Context, cmd *cobra.Command, h *host.Host) error {
	var o scopeOptions
	opts, err := o.step(a, cmd, h)
	if err != nil {
		return err
	}
	s, err := a.scopeState(ctx, h, opts)
	if err != nil {
		return err
	}
	actions := []tui.Action{{Key: "w", Word: "whole-user"}}
	if s.Scope != "per-project" {
		actions = append(actions, tui.Action{Key: "p", Word: "per-project"})
	}
	lines := scopeLines(s, h.Places().Home)
	choice, err := tui.Overview(ctx, a.terminal(), tui.OverviewData{Command: "scope", Title: cmp.Or(lines[0], "Scope"),
		Lines: lines[1:], Actions: actions, Facts: a.header(ctx, h)})
	if err != nil {
		return err
	}
	return a.follow(ctx, choice, actions, nil, "scope")
}
