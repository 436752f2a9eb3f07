// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every check runs, whatever the others answer, and the
// verdict follows from all of them; a run that was stopped has none.

package verify

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/platform"
	"github.com/steward-setup/steward-setup/internal/report"
)

// LiveMode says when there is a rehearsal.
type LiveMode string

// The modes. Auto rehearses where the machine can; Always also where it needs
// a replica home for that; Never takes the stored result.
const (
	Auto   LiveMode = "auto"
	Always LiveMode = "always"
	Never  LiveMode = "never"
)

// RunOptions say how findings are judged.
type RunOptions struct {
	// Strict lets a warning degrade.
	Strict bool
	Live   LiveMode
	// From says, once the checks have run, where the live findings are
	// from and how old they are; nil means that there are none.
	From func() (engine.LiveFrom, time.Duration)
	// Start, if set, is when the run began, before its checks.
	Start time.Time
}

// Report is what a run came to.
type Report struct {
	// Findings are in the order of the contract.
	Findings []report.Finding
	engine.Judged
}

// Run runs the checks and judges what they found; the last event is
// engine.Judged. The error is ctx's: a run that was stopped ends without a
// verdict, and Report then holds no findings.
func Run(ctx context.Context, r host.Reader, checks []engine.Check, o RunOptions, emit engine.Sink) (Report, error) {
	now := r.System().Now
	start := o.Start
	if start.IsZero() {
		start = now()
	}
	findings := engine.RunChecks(ctx, r, ahead(ctx, r, checks), emit)
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	rep := judged(findings, o.Strict)
	rep.Live, rep.From = string(o.Live), engine.FromNowhere
	if o.From != nil {
		rep.From, rep.Age = o.From()
	}
	rep.Elapsed = now().Sub(start)
	emit(rep.Judged)
	return rep, nil
}

// judged is the verdict over findings, and over each launch.
func judged(findings []report.Finding, strict bool) Report {
	rep := Report{Findings: report.InOrder(findings), Judged: engine.Judged{Verdict: report.Judge(findings, strict)}}
	plain, apart := report.JudgeLaunch(findings, report.Plain, strict)
	iso, also := report.JudgeLaunch(findings, report.Iso, strict)
	if apart || also {
		rep.Launches = map[report.Launch]report.Verdict{report.Plain: plain, report.Iso: iso}
		rep.Verdict = report.Weaker(rep.Verdict, report.Weaker(plain, iso))
	}
	rep.Covers = report.CoversOf(findings)
	return rep
}

// slow is the check that takes longest, since it tries every part of the
// sandbox out.
const slow report.ID = "sandbox-support"

// ahead returns checks with the slow one begun already: it mostly waits for
// programs, and the others can be answered meanwhile.
func ahead(ctx context.Context, r host.Reader, checks []engine.Check) []engine.Check {
	checks = slices.Clone(checks)
	for i, c := range checks {
		if c.ID != slow {
			continue
		}
		answer := sync.OnceValue(func() report.Finding { return c.Run(ctx, r) })
		go func() {
			defer func() { _ = recover() }() // whoever asks for the answer panics with it again, and the engine says it
			answer()
		}()
		checks[i].Run = func(context.Context, host.Reader) report.Finding { return answer() }
	}
	return checks
}

// From is for RunOptions: it waits until all has been played.
func (l *Rehearsal) From() (engine.LiveFrom, time.Duration) {
	if l.Wait(nil) != nil {
		return engine.FromNowhere, 0
	}
	return engine.FromRehearsal, 0
}

// InOrder returns checks in the order of the contract.
func InOrder(checks []engine.Check) []engine.Check {
	sorted := slices.Clone(checks)
	slices.SortStableFunc(sorted, func(a, b engine.Check) int { return report.Place(a.ID) - report.Place(b.ID) })
	return sorted
}

// Prepare returns r as a reader for one run: what several checks ask is asked
// once, and the tools are asked for their versions already, side by side, since
// that is most of what a run without a rehearsal waits for.
func Prepare(ctx context.Context, r host.Reader, a Agent) host.Reader {
	r = host.Once(r)
	go a.Version(ctx, r)
	for _, tool := range []proc.Tool{proc.Bubblewrap, proc.Socat} {
		go r.Run(ctx, proc.Version(tool))
	}
	return r
}

// Facts are what a report says of the machine and the project. What cannot be
// found out is empty here; the checks say why.
func Facts(ctx context.Context, r host.Reader, o Options) report.Facts {
	f := report.Facts{Home: r.Places().Home, OS: r.System().GOOS, Distro: platform.Here(r).Tag()}
	if repo, worktrees, err := gitrepo.Around(ctx, r, o.Project); err == nil && repo.Root != "" {
		f.Project = repo.Root
		for _, wt := range worktrees {
			if wt.Path == repo.Root && wt.State != gitrepo.Foreign {
				f.Branch = strings.TrimPrefix(wt.Branch, "refs/heads/")
			}
		}
	}
	// Last: it was asked in the meantime (Prepare).
	f.Program, f.Runtime = o.Agent.Layout(r.Places()).Program, o.Agent.Version(ctx, r)
	return f
}
