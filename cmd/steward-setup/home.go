// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the bare call starts nothing that takes long and answers
// with the verdict: on a terminal as the home screen, elsewhere as verify
// --live=never does.

package main

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/journal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/sync"
	"github.com/steward-setup/steward-setup/steps/update"
	"github.com/steward-setup/steward-setup/steps/verify"
)

func (a *app) home(ctx context.Context) error {
	if !a.screen() {
		return a.verify(ctx, verifyOptions{live: verify.Never})
	}
	v, facts, err := a.newVerification(ctx, verifyOptions{live: verify.Never})
	if err != nil {
		return err
	}
	emit, clear := a.waiting(len(v.shown()), unseen)
	rep, err := v.run(ctx, emit)
	clear()
	if err != nil {
		return stopped(ctx, err, "verify")
	}
	drift := a.drift(ctx, v.h)
	synced, syncStatus := a.synced(ctx, v.h)
	choice, err := tui.Home(ctx, a.terminal(), tui.HomeData{
		Facts: facts, Findings: rep.Findings, Judged: rep.Judged, AsCalled: v.asCalled,
		Empty: v.nothingHere(rep.Findings), Hosts: allowedHosts(ctx, v.h, v.opts.Project),
		Bypasses: a.bypassesWithin(v.h, 7*24*time.Hour), Drift: drift.words, DriftStatus: drift.status,
		Sync: synced, SyncStatus: syncStatus, Actions: homeActions, Left: a.unfinished(v.h),
	})
	if err != nil {
		return err
	}
	return a.follow(ctx, choice, homeActions, exitCode(rep.Verdict.Exit()))
}

// homeActions are keys of the home screen; each word is a command.
var homeActions = []tui.Action{{Key: "v", Word: "verify"}, {Key: "d", Word: "doctor"}, {Key: "u", Word: "update"},
	{Key: "i", Word: "install"}, {Key: "s", Word: "scope"}, {Key: "t", Word: "try"}, {Key: "h", Word: "history"}}

// follow runs the command that was chosen on a screen, behind words; otherwise
// is what the screen comes to where none was.
func (a *app) follow(ctx context.Context, c tui.Choice, actions []tui.Action, otherwise error, words ...string) error {
	if c.End == tui.Interrupted {
		return exitCode(report.ExitInterrupted)
	}
	for _, action := range actions {
		if action.Key == c.Key {
			return a.command(ctx, append(words, action.Word)...)
		}
	}
	return otherwise
}

// command runs a command as if it had been typed here.
func (a *app) command(ctx context.Context, words ...string) error {
	args := words
	for flag, value := range map[string]string{"--project": a.project, "--framework": a.framework} {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	root := newRoot(a) // sets the flags anew
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// nothingHere says whether nothing of the setup is in its place yet.
func (v *verification) nothingHere(findings []report.Finding) bool {
	for _, place := range []string{v.h.Places().Scripts(), v.h.Places().Isolation()} {
		if _, err := v.h.Stat(place); err == nil {
			return false
		}
	}
	for _, f := range findings {
		if f.Check == "project-settings" {
			return f.Status == report.Fail
		}
	}
	return false
}

// drifted is what the last drift report came to.
type drifted struct {
	status report.Status
	words  string
}

// drift reads what the last report of the project kept; nothing is looked up.
func (a *app) drift(ctx context.Context, h *host.Host) drifted {
	s := update.LookSince(ctx, host.Once(h), update.Options{Agent: agent, Project: a.project,
		Framework: a.framework, Version: version})
	when := report.Ago(a.sys.Now().Sub(s.Last))
	switch {
	case s.Last.IsZero():
		return drifted{report.Unknown, "drift not checked"}
	case s.Code == report.ExitUnprotected:
		return drifted{report.Fail, "a forbidden action succeeds (" + when + ")"}
	case len(s.Changed) > 0:
		return drifted{report.Warn, filepath.Base(s.Changed[0]) + " changed since the drift report"}
	case s.Unknown:
		return drifted{report.Unknown, "drift unknown (" + when + ")"}
	case s.Code != report.ExitOK:
		return drifted{report.Warn, "drift (" + when + ")"}
	}
	return drifted{report.Pass, "no drift (" + when + ")"}
}

// synced says how the sync repository is, "" where there is none.
func (a *app) synced(ctx context.Context, h *host.Host) (words string, status report.Status) {
	if !syncrepo.There(h) {
		return "", report.Skip
	}
	s, err := sync.Look(ctx, host.Once(h), agent)
	if err != nil {
		return "state unknown", report.Unknown
	}
	status, words = s.Words()
	return words, status
}

// bypassesWithin counts the requests to leave the sandbox in the time before now;
// -1 if there is no record.
func (a *app) bypassesWithin(h *host.Host, within time.Duration) int {
	records, known, err := bypasses(h)
	if err != nil || !known {
		return -1
	}
	since := a.sys.Now().Add(-within)
	return len(slices.DeleteFunc(records, func(r journal.Record) bool { return !r.Time.After(since) }))
}
