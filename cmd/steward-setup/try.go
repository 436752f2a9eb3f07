// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: try does the whole job, and none of it to the user: it
// works in a home of its own and removes that at the end.

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sample"
	"github.com/steward-setup/steward-setup/internal/ui/text"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
)

func newTry(a *app) *cobra.Command {
	o := installOptions{answers: report.Answers{}}
	fetch := false
	cmd := &cobra.Command{
		Use:   "try",
		Short: "Try the whole setup in a throwaway home; yours is not touched",
		Long: `try makes a throwaway home with a sample repository, two linked worktrees and
user settings, and runs everything there: plan, apply, test, undo. On a terminal
you use the wizard yourself. The home is removed at the end. The installed tools
are used, not changed.

If Claude Code is missing, --fetch-runtime downloads the pinned version with npm
into this program's cache for the test; on a terminal you are asked. Nothing is
installed. Otherwise a recorded test is shown.` + doneOrLeft,
		Example: "  steward-setup try\n  steward-setup try --plain\n  steward-setup try --fetch-runtime\n" +
			"  steward-setup try --domains=github,python",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.try(cmd.Context(), o, fetch) },
	}
	cmd.Flags().BoolVar(&fetch, "fetch-runtime", false,
		"download the pinned Claude Code into the cache for the test, if none is installed")
	addAnswerFlags(cmd.Flags(), setupQuestions(), o.answers)
	return cmd
}

func (a *app) try(ctx context.Context, o installOptions, fetch bool) (err error) {
	runtime, err := a.runtimeToTry(ctx, fetch)
	if err != nil {
		return err
	}
	done := a.waitFor("making a throwaway home")
	home, err := sample.New(ctx, a.sys, sampleAgent)
	done()
	switch {
	case err != nil && ctx.Err() != nil:
		return gone(interrupted())
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, home.Remove()) }()
	inside := *a
	inside.sys = home.System(a.sys)
	inside.sys.Runtime = runtime
	inside.project = ""
	h, err := inside.host()
	if err != nil {
		return err
	}
	t := tryRun{in: newInstallation(&inside, h), h: h, home: home, own: a.selfHere()}
	if inside.screen() {
		return gone(t.walk(ctx, o))
	}
	return t.show(ctx, o.answers)
}

// gone is what a run ends with that was stopped: what it wrote is removed with its
// home, and nothing of it can be finished or undone.
func gone(err error) error {
	if e, ok := errors.AsType[*report.Error](err); !ok || e.Code != report.ExitInterrupted {
		return err
	}
	return &report.Error{Code: report.ExitInterrupted, What: "interrupted",
		Why: "the throwaway home is removed; yours was not touched", Lines: []report.Line{{Words: "try"}}}
}

// tryRun is the job in a throwaway home.
type tryRun struct {
	in   *installation
	h    *host.Host
	home sample.Home
	out  *output
	// own is how the user starts the program outside.
	own string
}

// show does the job without asking, and shows each part.
func (t *tryRun) show(ctx context.Context, answers report.Answers) error {
	before, err := t.fingerprint()
	if err != nil {
		return err
	}
	done := t.in.a.waitFor("making the plan")
	proposal, err := t.in.Propose(ctx, answers, nil)
	done()
	t.out = t.in.a.output("try", proposal.Facts)
	if err == nil {
		err = t.parts(ctx, proposal, answers, before)
	}
	return t.out.end(report.ExitOK, gone(err))
}

// parts are those of the job, before the fingerprint of the home that they leave.
func (t *tryRun) parts(ctx context.Context, proposal report.Proposal, answers report.Answers, before string) error {
	t.title("A throwaway home with a sample repository and two linked worktrees: " + t.home.Dir)
	t.title("1. The plan")
	t.out.Emit(engine.PlanReady{Plan: proposal.Plan, Answers: proposal.Answered(answers)})
	t.title("2. Applied, as if you had approved it")
	if err := t.in.Apply(ctx, proposal.Plan, t.emit); err != nil {
		return err
	}
	restore, err := t.addLines(proposal.Plan)
	if err != nil {
		return err
	}
	t.title("3. Checked") // without a verdict: a sample's home is no one's machine
	proved, err := t.prove(ctx, t.out.Emit)
	if err != nil {
		return err
	}
	t.title(proved.title())
	t.showProof(proved)
	t.title("4. Undone")
	if err := errors.Join(restore(), t.undo(ctx)); err != nil {
		return err
	}
	after, err := t.fingerprint()
	if err != nil {
		return err
	}
	if after != before {
		return &report.Error{Code: report.ExitInternal, Where: t.home.Dir,
			What: "undo did not restore the home byte for byte", Why: "this is a bug: please report it"}
	}
	t.title("Every byte is restored, and the throwaway home is removed. For your own home:  " + t.own + " install")
	t.makeReal(proved, proposal.Plan)
	return nil
}

// addLines adds the lines for rc files that a plan prints, as the user would,
// and returns what takes them away again.
func (t *tryRun) addLines(p report.Plan) (restore func() error, err error) {
	restore = func() error { return nil }
	for _, c := range p.Commands() {
		if c.Where == "" || c.Optional {
			continue
		}
		path, _ := pathname.Expand(c.Where, t.home.Dir)
		b, err := t.h.Read(path)
		if err != nil || !pathname.Within(path, t.home.Dir) {
			continue
		}
		before := restore
		restore = func() error { return errors.Join(before(), fs.Put(path, string(b), 0o644)) }
		if err := fs.Put(path, string(b)+c.Line+"\n", 0o644); err != nil {
			return restore, err
		}
		t.title("The line for " + c.Where + ", added as you would")
	}
	return restore, nil
}

// walk lets the user walk the wizard in the throwaway home, then takes back
// what was written.
func (t *tryRun) walk(ctx context.Context, o installOptions) error {
	var code exitCode // of what is left to do in a home that is gone, nothing counts
	var plan report.Plan
	if err := t.wizard(ctx, o, &plan); err != nil && !errors.As(err, &code) {
		return err
	}
	t.out = t.in.a.output("try", report.Facts{Home: t.home.Dir, OS: t.in.a.sys.GOOS})
	t.in.a.wait.Resume() // the screens have ended
	var proved proof
	if t.in.receipt != "" && code != report.ExitInterrupted {
		var err error
		if proved, err = t.prove(ctx, func(engine.Event) {}); err != nil {
			return err
		}
		t.title(proved.title())
		t.showProof(proved)
	}
	if t.in.receipt != "" {
		t.title("Undoing what you wrote in the throwaway home:")
		if err := t.undo(ctx); err != nil {
			return err
		}
	}
	t.title("The throwaway home is removed; yours was not touched. For your own home:  " + t.own + " install")
	t.makeReal(proved, plan)
	if code == report.ExitInterrupted {
		return code
	}
	return nil
}

// wizard is install's, without the report of the checks: the proof follows.
func (t *tryRun) wizard(ctx context.Context, o installOptions, plan *report.Plan) error {
	screen := t.in.prove().options(o.answers)
	screen.Command, screen.StepByStep, screen.Checks, screen.Actions = "try", o.steps, nil, nil
	screen.TakeBack = "" // the home is removed, and with it every step in it
	screen.AsCalled = func(s report.NextStep) (report.NextStep, bool) { return s, false }
	screen.Unchecked = nil
	outcome, err := tui.RunWizard(ctx, t.in.a.terminal(), trying{t.in, plan}, screen)
	if err != nil {
		return err
	}
	return ended(outcome)
}

// trying is the backend of try's wizard; it keeps the plan that was applied.
type trying struct {
	*installation
	plan *report.Plan
}

// Apply writes the plan.
func (t trying) Apply(ctx context.Context, p report.Plan, emit engine.Sink) error {
	*t.plan = p
	return t.installation.Apply(ctx, p, func(e engine.Event) { emit(withoutTakeBack(e)) })
}

// ApplyLine is of no use in a home that is removed.
func (trying) ApplyLine(report.Answers) string { return "" }

func (t *tryRun) undo(ctx context.Context) error {
	applier := t.in.a.applier(t.h)
	receipt, plan, err := applier.UndoPlan(t.h, "")
	if errors.Is(err, engine.ErrNothingToUndo) {
		return nil
	}
	if err != nil {
		return err
	}
	return applier.Undo(ctx, receipt, plan, plan.ID, t.emit)
}

func (t *tryRun) emit(e engine.Event) { t.out.Emit(withoutTakeBack(e)) }

// withoutTakeBack is an event without how to take back what the home's removal
// takes back anyway.
func withoutTakeBack(e engine.Event) engine.Event {
	if done, ok := e.(engine.Applied); ok {
		return engine.Applied{Plan: done.Plan}
	}
	return e
}

// fingerprint is of the home without the program's own state.
func (t *tryRun) fingerprint() (string, error) {
	p := t.h.Places()
	return fs.Fingerprint(t.home.Dir, p.State, p.Cache)
}

func (t *tryRun) title(s string) {
	if t.out.doc == nil {
		fmt.Fprintln(t.in.a.out)
		t.in.a.say("== %s", text.Line(s))
	}
}
