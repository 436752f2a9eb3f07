// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the wizard's last page is verify's: every check, its
// rehearsal included, and the verdict over all of them. What the user left out
// is not hidden there; only the exit code does not count it.

package main

import (
	"context"
	"slices"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/install"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// proving is an installation whose re-check is a whole verify.
type proving struct {
	*installation
	v *verification
}

// prove makes the backend of the wizard.
func (in *installation) prove() proving {
	return proving{in, &verification{a: in.a, h: in.h, o: verifyOptions{live: verify.Auto},
		opts: verify.Options{Project: in.opts.Project, Framework: in.opts.Framework}}}
}

// Recheck runs verify. A run that was stopped has no verdict, and the page
// shows none.
func (p proving) Recheck(ctx context.Context, emit engine.Sink) { _, _ = p.v.run(ctx, emit) }

// options are the wizard's.
func (p proving) options(answers report.Answers) tui.Options {
	again := verify.Again().Line // it just ran
	asCalled := func(s report.NextStep) (report.NextStep, bool) {
		if s.Command != nil && s.Command.Line == again {
			return s, false
		}
		return p.v.asCalled(s)
	}
	return tui.Options{Command: "install", Given: answers, Checks: p.v.shown, AsCalled: asCalled, TakeBack: p.a.self(p.h) + " undo",
		// What an answer means is checked when the plan is made with it.
		Validate: func(q report.Question, v []string) error { return install.Validate(q.ID, v) }}
}

// counted are the findings that count for the exit code, which is the same
// without a screen: those of the static checks of what was not left out.
func (p proving) counted(findings []report.Finding) []report.Finding {
	static := verify.Static(p.v.opts)
	return slices.DeleteFunc(slices.Clone(findings), func(f report.Finding) bool {
		return slices.Contains(p.skipped, install.SectionOf(f.Check)) ||
			!slices.ContainsFunc(static, func(c engine.Check) bool { return c.ID == f.Check })
	})
}
