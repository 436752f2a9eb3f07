// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a local pin is moved by a change that was shown, in the user's
// own override and in no manifest.

// Package update says what has drifted since the setup was installed, and what
// an upgrade of the runtime would take away, before it is made.
//
// Contract: nothing is changed outside the state and the cache directory. Of a
// denial that was not observed nobody says that it was kept, or lost. What is
// fetched from the network is bounded and goes into the cache; a source that
// does not answer is an unknown with its reason, and no other check waits for
// it or fails with it.
package update

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/internal/upstream"
	"github.com/steward-setup/steward-setup/steps/install"
	"github.com/steward-setup/steward-setup/steps/sync"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// Options say what is looked at.
type Options struct {
	// Agent is the runtime whose setup it is.
	Agent Agent
	// Project is a directory in the project ("" is the working directory),
	// Framework a checkout of the framework ("" is what is embedded).
	Project, Framework string
	// Offline forbids every fetch: what the cache holds is used at any age.
	Offline bool
	// Timeout is how long one source may take to answer; 0 is web.Timeout.
	Timeout time.Duration
	// Version is what this program is called in receipts.
	Version string
	// Sync says that there is a sync repository, which is looked at too.
	Sync bool
	// Play plays the rehearsal that Denials compares; nil is verify's. Progress
	// is told how far it is; it may be nil.
	Play     func(context.Context, host.Reader) (regress.Record, error)
	Progress engine.Sink
}

func (o Options) verify() verify.Options {
	return verify.Options{Agent: o.Agent, Project: o.Project, Framework: o.Framework}
}

// NoVersion is what a program is called that was built without one.
const NoVersion = "devel"

// The checks, one for each kind of drift, in the order in which they are shown.
const (
	Denials   report.ID = "drift-denials"
	Framework report.ID = "drift-framework"
	Tools     report.ID = "drift-tools"
	Scripts   report.ID = "drift-scripts"
	Settings  report.ID = "drift-settings"
	Sync      report.ID = "drift-sync"
)

// Checks lists the checks of the report.
func Checks(o Options) []engine.Check {
	check := func(id report.ID, of func(context.Context, host.Reader, Options) report.Finding) engine.Check {
		return engine.CheckOf(id, func(ctx context.Context, r host.Reader) report.Finding { return of(ctx, r, o) })
	}
	list := []engine.Check{check(Framework, framework), check(Tools, tools), check(Scripts, copies),
		check(Settings, func(ctx context.Context, r host.Reader, o Options) report.Finding {
			return o.Agent.Shape(ctx, r, o.Project, o.Framework)
		}), check(Denials, denials)}
	if o.Sync {
		list = append(list, check(Sync, syncRow))
	}
	return list
}

// syncRow is the row about the sync repository.
func syncRow(ctx context.Context, r host.Reader, o Options) report.Finding {
	s, err := sync.Look(ctx, r, o.Agent)
	if err != nil {
		return syncrepo.NotRead(r.Places().SyncRepo, err)
	}
	return s.Finding()
}

// Run runs the checks and judges what they found; the last event is
// engine.Judged. The error is ctx's: a run that was stopped has no verdict.
func Run(ctx context.Context, r host.Reader, checks []engine.Check, emit engine.Sink) ([]report.Finding, error) {
	start := r.System().Now()
	findings := engine.RunChecks(ctx, r, checks, emit)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v := report.Judge(findings, true)
	emit(engine.Judged{Verdict: v, Said: words(v, findings), Elapsed: r.System().Now().Sub(start)})
	return findings, nil
}

// driftUnknown is what a report is called in which nothing drifted and something is unknown.
const driftUnknown = "drift unknown"

// words are what a report is called that came to a verdict.
func words(v report.Verdict, findings []report.Finding) string {
	if n := report.Count(findings); v == report.Degraded && n[report.Fail]+n[report.Warn] == 0 {
		return driftUnknown
	}
	return called[v]
}

// called is what a verdict is here: a regression is a denial that became an
// allow.
var called = map[report.Verdict]string{report.Protected: "no drift", report.Degraded: "drift",
	report.Unprotected: "regression"}

func day(t time.Time) string { return t.Format(time.DateOnly) }

// LocalPins proposes the candidates as a change of pinned-versions.local.toml.
// The error is a *report.Error: a manifest that is malformed, or an override
// that cannot be added to.
func LocalPins(ctx context.Context, r host.Reader, o Options) (report.Plan, error) {
	list, err := survey(ctx, r, o)
	if err != nil {
		return report.Plan{}, err
	}
	s := report.Section{ID: "pins", Title: "Pins of this machine",
		Why: "Pins each tool to the newest release whose cooldown has passed, in your own override. Installing it is a " +
			"command of its own."}
	path := pins.LocalPath(r.Places().Config)
	var overrides []pins.Override
	for _, t := range list {
		now := r.System().Now()
		status, said, seen := t.judge(now)
		switch {
		case status == report.Pass && errors.Is(t.Err, upstream.ErrOffline):
			status, said = report.Skip, t.Pin.Tool+" not looked up (--offline)"
		case status == report.Pass:
			said = t.Pin.Tool + " stays at " + t.Pin.Version
		}
		s.Note(report.Finding{Check: Tools, Layer: report.LayerTools, Status: status, Summary: said, Evidence: seen})
		if t.Candidate == nil || t.Pin.Version == "" {
			continue
		}
		override := pins.Override{Tool: t.Pin.Tool, Version: t.Candidate.Version, Install: map[string]string{}}
		if !t.Candidate.At.IsZero() {
			override.Released = day(t.Candidate.At)
		}
		for _, e := range t.Edit() { // the manifest's lines follow; those of the override have to be moved
			if manager, ok := strings.CutPrefix(e.Key, "install."); ok && strings.HasPrefix(e.Where, path+":") {
				override.Install[manager] = strings.Trim(e.Is, `"`)
			}
		}
		overrides = append(overrides, override)
		if line, ok := t.Pin.Install("npm"); ok {
			s.Items = append(s.Items, report.Command{ID: report.ID("pins/" + t.Pin.Tool), Optional: true,
				Why: "install the pinned version", Line: t.adopt(line)})
		}
	}
	if overrides != nil {
		c, needed, err := install.Override(r, "pins/override",
			"pins the newest settled releases on this machine; delete a table to go back", overrides)
		if err != nil {
			return report.Plan{}, err
		}
		if needed {
			s.Items = append([]report.Item{c}, s.Items...)
		}
	}
	return report.NewPlan([]report.Section{s}), nil
}
