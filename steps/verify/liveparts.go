// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a rehearsal adds to a check of files: what the
// runtime itself says, which variables arrive, and that work in the project
// works.

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

// says is the runtime's own word about its sandbox in the root of the project,
// where it is asked: it is none about another directory.
func (l *Rehearsal) says(progress engine.Sink) AskRuntime {
	return func(_ context.Context, start string) (RuntimeSays, bool) {
		if l.Wait(progress) != nil || l.plan.root != start || l.plan.of(PlainRoot).Raw.Status == "" {
			return RuntimeSays{}, false
		}
		says, err := parseRuntimeSays([]byte(l.plan.of(PlainRoot).Raw.Status))
		return says, err == nil
	}
}

// arrivals says which planted variables a launch's commands see.
func (l *Rehearsal) arrivals(session string, progress engine.Sink) Arrivals {
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
	if c, ok := explained(o.Probe); ok && (works || o.Reply == trial.NoOutput) {
		return c
	}
	return explainedReply(o.Reply)
}
