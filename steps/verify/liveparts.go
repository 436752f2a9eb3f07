// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a rehearsal adds to a check of files: which variables
// arrive, and that work in the project works.

package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// Arrivals starts the agent in one way with planted variables, named and
// shaped like credentials, and says which of them arrived in its commands.
// planted is how many there were; with ok false, why says what kept it from
// being tried.
type Arrivals func(ctx context.Context) (arrived []string, planted int, ok bool, why string)

// Arrivals says which planted variables a launch's commands see.
func (l *Rehearsal) Arrivals(session string, progress engine.Sink) Arrivals {
	return func(context.Context) (arrived []string, planted int, ok bool, why string) {
		if err := l.Wait(progress); err != nil {
			return nil, 0, false, err.Error()
		}
		t, asks := l.plan.of(session), l.plan.inputs.EnvProbe()
		if t.Err != nil {
			return nil, 0, false, t.Err.Error()
		}
		call := t.See(asks)
		if call.Decision != agent.Ran || !call.Ended {
			return nil, 0, false, "the call that looks for them did not run to its end: " + strings.TrimSpace(call.Text)
		}
		second := l.plan.of(Twin).See(asks).Text
		for _, kv := range l.plan.inputs.Planted() {
			if !strings.Contains(second, kv) {
				return nil, 0, false, "the twin does not see the planted variables either"
			}
			planted++
			if strings.Contains(call.Text, kv) {
				name, _, _ := strings.Cut(kv, "=")
				arrived = append(arrived, name)
			}
		}
		return arrived, planted, true, ""
	}
}

// worksInRoots adds to the check of the project roots whether a sandboxed
// command can work there.
func worksInRoots(c engine.Check, live *Rehearsal, progress engine.Sink) engine.Check {
	look := c.Run
	c.Run = func(ctx context.Context, r host.Reader) report.Finding {
		f := look(ctx, r)
		if f.Status == report.Skip || live.Wait(progress) != nil {
			return f
		}
		for _, name := range []string{PlainRoot, IsoRoot, PlainTree, IsoTree} {
			if live.plan.of(name).Err != nil {
				continue
			}
			outcomes := live.Outcomes(name)
			for _, o := range outcomes {
				if !strings.HasPrefix(o.ID, trial.InRootPrefix) {
					continue
				}
				f.Evidence = append(f.Evidence, report.CommandEvidence(name, o.Title+": "+o.Why))
				status := o.Status
				if status == report.Unknown && o.Layer == o.Below { // it ran, and the sandbox refused
					status = report.Fail
				}
				if report.Worse(f.Status, status) != f.Status {
					f.Status, f.Summary = status, name+": a command does not work in the project: "+o.Reply
					f.Remedies = append(f.Remedies, blocked(o, outcomes))
				}
			}
		}
		return f
	}
	return c
}

// blocked is the next step for a command that does not work in a project: what
// decides about the path, or, where none works, what the sandbox says.
func blocked(o trial.Outcome, session []trial.Outcome) report.Remedy {
	works := slices.ContainsFunc(session, func(c trial.Outcome) bool {
		return c.ID == trial.ControlCommand && c.Status == report.Pass
	})
	if c, ok := Explained(o.Probe); ok && (works || o.Reply == trial.NoOutput) {
		return c
	}
	return ExplainedReply(o.Reply)
}
