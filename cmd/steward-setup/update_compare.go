// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a comparison leads to is the same in text, on a screen
// and in a document: the line that installs the candidate only where it was
// seen to block as much.

package main

import (
	"context"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/runtimes"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/update"
)

// compare rehearses the installed runtime and the one at path, and shows what
// differs.
func (t *upgrading) compare(ctx context.Context, path string) error {
	other, err := t.with(path)
	if err != nil {
		return err
	}
	if err := t.a.cacheDoubt(ctx, path); err != nil {
		return err
	}
	var trial *update.Trial
	run := func(ctx context.Context, emit engine.Sink) (err error) {
		trial, err = t.play(ctx, other, emit)
		return err
	}
	next := func() []report.NextStep { return t.next(trial) }
	if t.a.screen() {
		name := "update --try"
		if !strings.Contains(t.o.try, "/") {
			name += " " + t.o.try
		}
		return t.a.checksOnScreen(ctx, tui.VerifyRun{Name: name, Facts: t.facts, Checks: update.TrialChecks(), Run: run,
			Next: next})
	}
	err = t.out.checked(0, t.facts, plain.ReportOptions{Verbose: t.o.verbose},
		func(emit engine.Sink) (func() []report.NextStep, error) { return next, run(ctx, emit) })
	if err != nil {
		return err
	}
	if t.out.doc != nil {
		t.out.doc.Data(trial)
	}
	return exitCode(trial.Exit())
}

// play compares the installed runtime with that of other, and tells what came of
// it.
func (t *upgrading) play(ctx context.Context, other *host.Host, emit engine.Sink) (*update.Trial, error) {
	begun := t.a.sys.Now()
	for _, c := range update.TrialChecks() { // the two rehearsals answer all of them
		emit(engine.CheckStarted{ID: c.ID, Title: c.Title})
	}
	trial, err := update.Try(ctx, agent, prepare(ctx, t.h), prepare(ctx, other), t.a.verified(), emit)
	if err != nil {
		return nil, err
	}
	emit(engine.Note{Text: "Claude Code " + trial.Candidate.Record.Runtime + ", compared with " +
		trial.Installed.Record.Runtime + " under your settings" + trial.Earlier()})
	var remedies []report.Remedy
	for _, s := range t.next(trial) {
		if s.Command != nil {
			remedies = append(remedies, *s.Command)
		}
	}
	trial.Emit(emit, t.a.sys.Now().Sub(begun), remedies...)
	return trial, nil
}

// next is the line that installs the candidate if it was proved, else the
// version to hold.
func (t *upgrading) next(trial *update.Trial) []report.NextStep {
	installed, candidate := trial.Installed.Record.Runtime, trial.Candidate.Record.Runtime
	run := func(id report.ID, line, why string) report.NextStep {
		return report.NextStep{Command: &report.Command{ID: id, Line: line, Why: why}}
	}
	if regress.Lost(trial.Differences) {
		i := slices.IndexFunc(trial.Differences, regress.Difference.Lost)
		d := trial.Differences[i].Of()
		call := update.Call{Session: d.Session, ID: d.Call}
		return []report.NextStep{{Text: "stay on " + installed + ": " + candidate + " blocks less"},
			run("bisect", t.line("--bisect "+scripts.Quote(call.String())+" --from "+installed+" --to "+candidate),
				"find the version that changed it")}
	}
	if !trial.Proved() {
		return []report.NextStep{{Text: "stay on " + installed + ": not verified that " + candidate + " blocks as much"}}
	}
	version := strings.TrimPrefix(t.o.try, "v")
	if !runtimes.Version(version) && version != runtimes.Latest { // a file: the registry may hold another
		line := t.a.self(t.h) + " verify --runtime " + scripts.Quote(trial.Candidate.Path) + t.a.globals()
		return []report.NextStep{run("verify", line, "test the rest with it")}
	}
	return []report.NextStep{run("install-runtime", t.installs(candidate), "install "+candidate),
		run("verify", t.a.self(t.h)+" verify"+t.a.globals(), "then test it")}
}

// installs is the line that installs a version of the runtime: the manifest's.
func (t *upgrading) installs(version string) string {
	set, _ := pins.Load(t.h, t.h.Places().Config, t.a.framework)
	pin, _ := set.Pin(t.h.Places().Agent.Tool())
	line, ok := pin.Install("npm")
	if at := strings.LastIndex(line, "@"); ok && at > 0 {
		return line[:at+1] + version
	}
	return runtimes.InstallLine(t.h, version)
}
