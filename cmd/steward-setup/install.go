// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nothing is written but by the wizard's last key, by a
// typed yes, or by --apply with the id of exactly the plan that was printed.

package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/install"
	"github.com/steward-setup/steward-setup/steps/verify"
)

type installOptions struct {
	planFlags
	steps   bool
	answers report.Answers
}

func newInstall(a *app) *cobra.Command {
	o := installOptions{answers: report.Answers{}}
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Set up this project and your user: a wizard, or a plan to approve",
		Long: `install proposes the whole setup: pinned tools, the project's policy, claude-iso
(a wrapper that starts claude in a clean environment), hook scripts and the
settings that call them, and the worktrees' roots.

On a terminal it is a wizard, which asks only what you must decide, or every
question step by step. Without a terminal, --plan prints the plan with its id,
and --apply writes exactly that plan. Every question of the wizard is a flag; a
question without an answer gets the default shown below.`,
		Example: `  steward-setup install                              the wizard
  steward-setup install --step-by-step               a page for every question and file
  steward-setup install --plan                       print the plan, write nothing
  steward-setup install --plan --domains=github,go   with other answers
  steward-setup install --apply 7f3a-91c2-0b5d-e6a8  write exactly that plan
  steward-setup install --plan --skip=roots,wiring   leave sections out`,
		Args: cobra.NoArgs,
		RunE: a.onHost(func(cmd *cobra.Command, h *host.Host, _ []string) error { return a.install(cmd.Context(), h, o) }),
	}
	o.add(cmd, "print the plan", "write")
	cmd.Flags().BoolVar(&o.steps, "step-by-step", false,
		"show every page of the wizard, without offering the recommended answers first")
	addAnswerFlags(cmd.Flags(), setupQuestions(), o.answers)
	return cmd
}

// installation is one run of install: it is what the wizard drives.
type installation struct {
	a       *app
	h       *host.Host
	opts    setupOptions
	session *install.Dialogue
	receipt string
	// made are the answers that plans were made with, for the receipt.
	made map[report.PlanID]made
	// skipped are the sections that the last applied plan left out.
	skipped []report.ID
}

// made is what a plan was made for and with.
type made struct {
	project string
	answers report.Answers
}

func newInstallation(a *app, h *host.Host) *installation {
	opts := setupOptions{Project: a.project, Framework: a.framework}
	if receipts, err := a.applier(h).History(); err == nil { // without them the defaults are those of a first run
		opts.Earlier = earlierAnswers(receipts, a.project)
	}
	return &installation{a: a, h: h, opts: opts, session: install.NewDialogue(h, newSetup(opts)),
		made: map[report.PlanID]made{}}
}

func (a *app) install(ctx context.Context, h *host.Host, o installOptions) error {
	a.project = a.worktree(ctx, h)
	in := newInstallation(a, h)
	c := a.change(h, o.planFlags, "install", writeFiles)
	c.flags, c.denied = a.globals()+answerLine(setupQuestions(), o.answers), in.writable
	c.otherwise = "other answers were given, or the permissions of a file changed"
	if err := c.may(); err != nil {
		return err
	}
	if o.apply == "" && !o.plan && a.screen() {
		return in.wizard(ctx, o)
	}
	done := a.waitFor(looking)
	proposal, err := in.Propose(ctx, o.answers, nil)
	done()
	out := a.output("install", proposal.Facts)
	if err != nil {
		return out.end(0, err)
	}
	plan := proposal.Plan
	c.about, c.answers = proposal.Facts.Project, proposal.Answered(o.answers)
	if yes, err := c.decide(out, plan); err != nil || !yes {
		return out.end(report.ExitOK, err)
	}
	if err := in.Apply(ctx, plan, out.Emit); err != nil {
		return out.end(0, err)
	}
	in.Recheck(ctx, out.Emit)
	steps := report.Steps(append(plan.Findings(), out.seen...), plan.Commands())
	proof := verify.Rehearse
	out.next(h, append(slices.DeleteFunc(steps, in.repeats), report.NextStep{Command: &proof}))
	return out.end(left(plan, out.seen), nil)
}

// repeats says whether a step is what just ran, or would only show it again.
func (in *installation) repeats(s report.NextStep) bool {
	again := verify.Again().Line
	return s.Command != nil && (s.Command.Line == again || s.Command.Line == again+" --plan" && len(in.skipped) == 0)
}

// left is the exit code after a plan was applied: something is left when a
// command or a decision is, or when a check failed all the same.
func left(plan report.Plan, seen []report.Finding) int {
	if plan.LeftForUser() > 0 || report.Count(seen)[report.Fail] > 0 {
		return report.ExitLeft
	}
	return report.ExitOK
}

// writable is what keeps a plan from being written, with what install can do
// about it.
func (in *installation) writable(p report.Plan) error {
	err := in.a.writable(in.h, cmp.Or(in.opts.Project, in.a.sys.Cwd), p)
	var e *report.Error
	if errors.As(err, &e) {
		if section := storeBuilt(p, e.Where); section != "" {
			e.Lines, e.Next = nil, "a package manager generates this file: put the change into its configuration "+
				"(Home Manager: home.file), or leave it out: add --skip="+string(section)
			return err // it is a *report.Error
		}
	}
	if root := in.opts.Project; errors.Is(err, fs.ErrDenied) && errors.As(err, &e) && pathname.Within(e.Where, root) {
		e.Advise("; or, if this repository is not yours to write, keep everything out of it: add --policy-to=user " +
			"--skip=roots")
	}
	return err // it is a *report.Error
}

// storeBuilt is the section of the change that is shown as where, if its file
// lies in the store of a package manager, whose files nobody edits.
func storeBuilt(p report.Plan, where string) report.ID {
	for _, s := range p.Sections {
		for _, it := range s.Items {
			c, ok := it.(report.Change)
			if ok && (where == c.Path || strings.HasPrefix(where, c.Path+" -> ")) &&
				(strings.HasPrefix(c.Target, "/nix/store/") || strings.HasPrefix(c.Target, "/gnu/store/")) {
				return s.ID
			}
		}
	}
	return ""
}

// Propose computes the plan for these answers.
func (in *installation) Propose(ctx context.Context, answers report.Answers,
	_ func(engine.Progress)) (report.Proposal, error) {
	p, err := in.session.Propose(ctx, answers)
	if err == nil {
		in.made[p.Plan.ID] = made{p.Facts.Project, answers}
	}
	return p, err
}

// Apply writes exactly this plan.
func (in *installation) Apply(ctx context.Context, p report.Plan, emit engine.Sink) (err error) {
	in.skipped = nil
	for _, s := range p.Sections {
		if s.Skipped {
			in.skipped = append(in.skipped, s.ID)
		}
	}
	if err := in.writable(p); err != nil {
		return err
	}
	applier := in.a.applier(in.h)
	applier.Project, applier.Answers = in.made[p.ID].project, in.made[p.ID].answers
	in.receipt, err = applier.Apply(ctx, p, p.ID, "install", emit)
	return err
}

// Recheck asks the static checks about the sections that were not left out.
func (in *installation) Recheck(ctx context.Context, emit engine.Sink) {
	list := staticChecks(verify.Options{Agent: agent, Project: in.opts.Project, Framework: in.opts.Framework,
		Tools: toolLines(in.opts.Framework)})
	list = slices.DeleteFunc(list, func(c engine.Check) bool {
		return slices.Contains(in.skipped, report.Info(c.ID).Section)
	})
	engine.RunChecks(ctx, in.h, list, emit)
}

// ApplyLine is the line that would make the same plan without the wizard.
func (in *installation) ApplyLine(answers report.Answers) string { return in.line(" --plan", answers) }

// line is install with this flag and these answers, as it can be typed in any
// directory.
func (in *installation) line(flag string, answers report.Answers) string {
	return in.a.self(in.h) + " install" + flag + in.a.globals() + answerLine(setupQuestions(), answers)
}

// wizard walks the user through the plan on a full screen.
func (in *installation) wizard(ctx context.Context, o installOptions) error {
	p := in.prove()
	screen := p.options(o.answers)
	screen.StepByStep = o.steps
	outcome, err := tui.RunWizard(ctx, in.a.terminal(), p, screen)
	if err != nil {
		return err
	}
	outcome.Findings = p.counted(outcome.Findings)
	if outcome.Key != "" {
		in.a.wait.Resume()
		// The exit code stays the installation's.
		var code exitCode
		follow := func() error { return in.a.doctor(ctx, doctorOptions{tryFix: true}) }
		if outcome.Key == wholeUserAction.Key {
			follow = func() error { return in.a.command(ctx, "scope", wholeUserAction.Word) }
		}
		if err := follow(); err != nil && !errors.As(err, &code) {
			return err
		}
	}
	return ended(outcome)
}

// ended turns the end of a run of the screens into an exit code.
func ended(o tui.Outcome) error {
	switch {
	case o.End == tui.Interrupted:
		return exitCode(report.ExitInterrupted)
	case o.End == tui.Quit, o.Left > 0, report.Count(o.Findings)[report.Fail] > 0:
		return exitCode(report.ExitLeft)
	}
	return nil
}
