// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the wizard's last page is verify's: every check, its
// rehearsal included, and the verdict over all of them. What the user left out
// is not hidden there; only the exit code does not count it. From there a key
// leads to the doctor, which tries every fix. The doctor's screen has the
// probes, the answers and the exit code of its text.

package main

import (
	"context"
	"slices"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/doctor"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// proving is an installation whose re-check is a whole verify.
type proving struct {
	*installation
	v *verification
}

// prove makes the backend of the wizard.
func (in *installation) prove() proving {
	return proving{in, in.a.verifying(in.h, verifyOptions{live: verify.Auto})}
}

// Recheck runs verify. A run that was stopped has no verdict, and the page
// shows none. What was not tested is, once the steps before that are taken.
func (p proving) Recheck(ctx context.Context, emit engine.Sink) {
	_, _ = p.v.run(ctx, func(e engine.Event) {
		if done, ok := e.(engine.CheckDone); ok && done.Finding.Check == "denials" &&
			done.Finding.Status == report.Unknown {
			done.Finding.Remedies = append(slices.Clone(done.Finding.Remedies), verify.Rehearse)
			e = done
		}
		emit(e)
	})
}

// proof is the line of this run, for a user who did not wait for it.
func (v *verification) proof() *report.Command {
	proof := verify.Rehearse
	called, _ := v.asCalled(report.NextStep{Command: &proof})
	return called.Command
}

func (p proving) options(answers report.Answers) tui.Options {
	asCalled := func(s report.NextStep) (report.NextStep, bool) {
		if p.repeats(s) {
			return s, false
		}
		called, keep := p.v.asCalled(s)
		return called, keep || s.Command.ID == report.Rehearse
	}
	return tui.Options{Command: "install", Given: answers, Checks: p.v.shown, AsCalled: asCalled, TakeBack: p.a.self(p.h) +
		" undo", Actions: wizardActions, Unchecked: p.v.proof(), Leads: map[report.ID]tui.Action{"scope": wholeUserAction},
		// What an answer means is checked when the plan is made with it.
		Validate: func(q report.Question, v []string) error { return validAnswer(q.ID, v) }}
}

// wizardActions are keys of the wizard's last page.
var wizardActions = []tui.Action{{Key: "d", Word: "doctor"}, wholeUserAction}

var wholeUserAction = tui.Action{Key: "w", Word: "whole-user"}

// counted are the findings that count for the exit code, which is the same
// without a screen: those of the static checks of what was not left out.
func (p proving) counted(findings []report.Finding) []report.Finding {
	static := staticChecks(p.v.opts)
	return slices.DeleteFunc(slices.Clone(findings), func(f report.Finding) bool {
		return slices.Contains(p.skipped, report.Info(f.Check).Section) ||
			!slices.ContainsFunc(static, func(c engine.Check) bool { return c.ID == f.Check })
	})
}

// onScreen shows the probes as their columns fill in.
func (d *consultation) onScreen(ctx context.Context) error {
	run := tui.DoctorRun{Facts: d.facts, FixesTried: d.o.tryFix, AsCalled: d.asCalled, Next: d.next, Fixable: fixable}
	for _, id := range doctor.IDs() {
		if d.o.probes == nil || slices.Contains(d.o.probes, id) {
			run.Probes = append(run.Probes, engine.Check{ID: id, Title: doctor.Title(id)})
		}
	}
	first := d.r // has answers already; every later run asks everything anew
	ask := func(ctx context.Context, ids []report.ID, fix bool, emit engine.Sink) error {
		r := first
		if first = nil; r == nil {
			r = prepare(ctx, d.h)
		}
		_, err := d.run(ctx, r, ids, fix, emit)
		return err
	}
	run.Run = func(ctx context.Context, emit engine.Sink) error { return ask(ctx, d.o.probes, d.o.tryFix, emit) }
	run.TryFixes = func(ctx context.Context, ids []report.ID, emit engine.Sink) error { return ask(ctx, ids, true, emit) }
	done, err := tui.Doctor(ctx, d.a.terminal(), run)
	switch {
	case err != nil:
		return err
	case done.End != tui.Quit:
		return exitCode(report.ExitInterrupted)
	}
	return exitCode(report.Judge(done.Findings, false).Exit())
}

func fixable(f report.Finding) bool {
	return slices.ContainsFunc(f.Remedies, func(r report.Remedy) bool {
		c, ok := r.(report.Command)
		if ok {
			_, ok = tries(c)
		}
		return ok
	})
}

// asCalled puts into a step that calls this program the name that leads to it,
// and the project.
func (d *consultation) asCalled(s report.NextStep) (report.NextStep, bool) {
	return d.a.calledStep(d.a.self(d.h), s), true
}
