// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: two runtimes are compared by one rehearsal each, with the
// same sessions under the same settings; the difference is theirs alone. Text,
// screen and document are told the same of a trial, in the same order, while
// it runs and at its end.

package update

import (
	"context"
	"slices"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// Side is one of the two runtimes.
type Side struct {
	// Path is its executable.
	Path   string         `json:"path"`
	Record regress.Record `json:"record"`
	// Kept says that the rehearsal is an earlier one, with the same settings,
	// runtime, tools and kernel.
	Kept bool `json:"kept"`
	// keys are the settings keys that it knows; unread says why they are not
	// known.
	keys   []string
	unread error
	// weak are the advisories that touch the settings with it.
	weak []regress.Weakness
}

// Trial is what comes of a candidate, beside the installed runtime.
type Trial struct {
	Installed Side `json:"installed"`
	Candidate Side `json:"candidate"`
	// Differences are the calls that end otherwise, the worst first.
	Differences []regress.Difference `json:"differences"`
	Hooks       []regress.HookChange `json:"hooks"`
	// StatusLineGone and StatusLineNew are keys of what a status line is told.
	StatusLineGone []string `json:"status_line_gone"`
	StatusLineNew  []string `json:"status_line_new"`
	// Dropped are keys of the policy that the installed runtime knows and the
	// candidate does not, Learned the other way round.
	Dropped []string `json:"dropped"`
	Learned []string `json:"learned"`
	// Begin and End are the advisories that touch the policy with one of them
	// only, by id.
	Begin []string `json:"begin"`
	End   []string `json:"end"`

	begin, end []regress.Weakness
}

// Try rehearses the runtimes of both readers and compares them. emit is told
// how far it is. The error says why there is no comparison.
func Try(ctx context.Context, a Agent, installed, candidate host.Reader, o verify.Options,
	emit engine.Sink) (*Trial, error) {
	inForce, err := a.InForce(ctx, installed, o)
	if err != nil {
		return nil, err
	}
	t := &Trial{}
	if err := t.Installed.rehearse(ctx, a, installed, o, half(emit, "installed", false)); err != nil {
		return nil, err
	}
	if err := t.Candidate.rehearse(ctx, a, candidate, o, half(emit, "candidate", true)); err != nil {
		return nil, err
	}
	t.compare(inForce)
	return t, nil
}

// rehearse plays the sessions with the runtime of r, unless what they would
// show is kept.
func (s *Side) rehearse(ctx context.Context, a Agent, r host.Reader, o verify.Options, emit engine.Sink) (err error) {
	path, real, err := a.OnPath(r, gitrepo.RootOf(ctx, r, o.Project))
	if err != nil {
		return &report.Error{Code: report.ExitLeft, What: err.Error(),
			Why: "there is no installed runtime to compare with", Lines: []report.Line{{Words: "verify --runtime PATH"}}}
	}
	s.Path = path
	key := verify.Key(ctx, r, o)
	if s.Record, s.Kept = verify.KeptRecord(ctx, r, o, key); !s.Kept {
		if s.Record, err = verify.Play(ctx, r, o, nil, emit); err != nil {
			return err
		}
		if key == verify.Key(ctx, host.Anew(r), o) { // else something changed meanwhile
			_ = verify.KeepRecord(r, key, s.Record) // without it the next run plays again
		}
	}
	if s.weak, err = a.Weaknesses(ctx, r, o, s.Record.Runtime); err != nil {
		return err
	}
	s.keys, s.unread = a.Known(real)
	return nil
}

// compare fills in what differs; inForce are the keys of the settings.
func (t *Trial) compare(inForce []string) {
	a, b := t.Installed, t.Candidate
	t.Differences, t.Hooks = regress.Compare(a.Record, b.Record), regress.CompareHooks(a.Record, b.Record)
	if gone, added, ok := regress.CompareStatusLines(a.Record, b.Record); ok {
		t.StatusLineGone, t.StatusLineNew = gone, added
	}
	t.Dropped, t.Learned = []string{}, []string{}
	for _, k := range inForce {
		if a.unread != nil || b.unread != nil {
			break
		}
		switch before, after := slices.Contains(a.keys, k), slices.Contains(b.keys, k); {
		case before && !after:
			t.Dropped = append(t.Dropped, k)
		case after && !before:
			t.Learned = append(t.Learned, k)
		}
	}
	t.begin, t.Begin = only(b.weak, a.weak)
	t.end, t.End = only(a.weak, b.weak)
}

// only are the advisories of list that others has not, and their ids.
func only(list, others []regress.Weakness) (left []regress.Weakness, ids []string) {
	ids = []string{}
	for _, a := range list {
		if !slices.ContainsFunc(others, func(o regress.Weakness) bool { return o.ID == a.ID }) {
			left, ids = append(left, a), append(ids, a.ID)
		}
	}
	return left, ids
}

// Proved says whether the candidate was seen to protect as the installed runtime
// does: nothing is lost, and nothing was left unverified.
func (t *Trial) Proved() bool {
	return len(t.Installed.Record.Failed)+len(t.Candidate.Record.Failed) == 0 &&
		!slices.ContainsFunc(t.Findings(), func(f report.Finding) bool {
			return f.Status == report.Fail || f.Status == report.Unknown
		})
}

// Exit is the exit code: 2 if a denial is lost, 1 if anything else differs or
// could not be verified.
func (t *Trial) Exit() int {
	switch {
	case regress.Lost(t.Differences):
		return report.ExitUnprotected
	case len(t.StatusLineGone)+len(t.StatusLineNew)+len(t.Differences)+len(t.Hooks)+len(t.Dropped)+len(t.Learned)+
		len(t.Begin)+len(t.End) > 0, !t.Proved():
		return report.ExitLeft
	}
	return report.ExitOK
}

// TrialChecks are what a trial compares, in the order of its findings.
func TrialChecks() []engine.Check {
	return []engine.Check{
		{ID: "denials", Title: "Forbidden actions with both versions", Layer: report.LayerSandbox},
		{ID: "prompts", Title: "Prompts with both versions", Layer: report.LayerConfirmation},
		{ID: "other-calls", Title: "Every other call with both versions", Layer: report.LayerPermissions},
		{ID: "hooks", Title: "Hooks that fire", Layer: report.LayerVisibility},
		{ID: "status-line", Title: "What a status line is told", Layer: report.LayerVisibility},
		{ID: "policy-keys", Title: "Keys of your settings that each version knows", Layer: report.LayerSandbox},
		{ID: "advisories", Title: "Known weaknesses of each version", Layer: report.LayerSandbox},
		{ID: "time", Title: "How long a session takes", Layer: report.LayerTools},
	}
}

// Emit tells what came of the trial, the verdict last; more are remedies of the
// first finding.
func (t *Trial) Emit(emit engine.Sink, elapsed time.Duration, more ...report.Remedy) {
	for i, f := range t.Findings() {
		if i == 0 {
			f.Remedies = append(f.Remedies, more...)
		}
		emit(engine.CheckDone{Finding: f})
	}
	j := engine.Judged{Verdict: report.Protected, Said: "nothing lost", Elapsed: elapsed}
	switch {
	case regress.Lost(t.Differences):
		j.Verdict, j.Said = report.Unprotected, "denial lost"
	case !t.Proved():
		j.Verdict, j.Said = report.Degraded, "not proved"
	case t.Exit() != report.ExitOK:
		j.Verdict, j.Said = report.Degraded, "differences"
	}
	emit(j)
}

// half tells emit how far one of two rehearsals is, the first or the second, as
// a part of both.
func half(emit engine.Sink, of string, second bool) engine.Sink {
	return func(e engine.Event) {
		if p, ok := e.(engine.Progress); ok {
			if p.Text = of + ": " + p.Text; second {
				p.Done += p.Of
			}
			p.Of *= 2
			e = p
		}
		emit(e)
	}
}
