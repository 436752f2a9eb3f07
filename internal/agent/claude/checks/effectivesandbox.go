// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether the sandbox is on is decided by the directory that
// a session starts in and by the scopes together: every scope that has a say
// is shown with its place, and where the runtime itself can be asked, its word
// counts.

package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/startfailure"
	"github.com/steward-setup/steward-setup/internal/agent/claude/starts"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// effectiveSandbox asks whether the sandbox would be on in a session that
// starts in dir ("" is the working directory), for either launch. ask, if not
// nil, is the runtime's own word about a plain session there.
func effectiveSandbox(dir string, ask starts.AskRuntime) engine.Check {
	return engine.CheckOf("effective-sandbox", func(ctx context.Context, r host.Reader) report.Finding {
		return checkEffective(ctx, r, dir, ask)
	})
}

// scalars are the values that decide; each scope that sets one is evidence.
var scalars = [][]string{
	claude.KeySandboxEnabled,
	claude.KeyFailIfUnavailable,
	claude.KeyAllowUnsandboxedCommands,
	claude.KeyAutoAllowBashIfSandboxed,
	claude.KeyFilesystemDisabled,
	claude.KeyStrictAllowlist,
	claude.KeyDefaultMode,
}

func checkEffective(ctx context.Context, r host.Reader, dir string, ask starts.AskRuntime) report.Finding {
	f := judgeEffective(ctx, r, dir, ask)
	why, seen := startfailure.Agent(ctx, r)
	if why == "" {
		return f
	}
	f.Evidence = append(f.Evidence, seen)
	unseen := "not verified: " + why
	f.Worsen(report.Unknown, false, unseen)
	for i := range f.Launches {
		f.Launches[i].Worsen(report.Unknown, false, unseen)
	}
	return f
}

// judgeEffective is checkEffective for an agent that starts.
func judgeEffective(ctx context.Context, r host.Reader, dir string, ask starts.AskRuntime) report.Finding {
	rows, missed := starts.Starts(ctx, r, dir)
	start := session.StartAt(r, dir)
	in := inforce.Gather(r, inforce.Invocation{Start: start})
	plain := starts.Of(in)
	plain.BelowRoot(r, in)
	plain.Overrulable(r, in, rows, missed)
	wanting, ok := starts.WithoutPolicy(ctx, r, dir)
	if !ok {
		wanting = starts.NothingKnown()
	} else if plain.Voids && plain.On.Scope == 0 {
		plain.Summary, plain.Remedies = opening.SandboxOff+wanting.What, []report.Remedy{wanting.Remedy}
	}
	if ask != nil {
		plain.Hear(ctx, in, ask)
	}
	plain.Evidence = append(plain.Evidence, scopes(in)...)
	f := ofLaunches(plain, starts.OfIso(r, start, wanting))
	f.Covers = starts.StartCovers(r, rows)
	return f
}

// ofLaunches is the finding on a plain start and a hard one, with both where they
// differ.
func ofLaunches(plain, hard starts.Outlook) report.Finding {
	hard.Evidence = slices.DeleteFunc(hard.Evidence, func(e report.Evidence) bool {
		return slices.ContainsFunc(plain.Evidence, func(p report.Evidence) bool {
			return p.Where == e.Where && strings.HasPrefix(p.Text, e.Text)
		})
	})
	f := report.Finding{Status: report.Worse(plain.Status, hard.Status), Voids: plain.Voids || hard.Voids,
		Summary: plain.Summary, Evidence: plain.Evidence, Remedies: plain.Remedies}
	if plain.Status == hard.Status && plain.Voids == hard.Voids {
		if f.Status == report.Warn {
			if hard.Refused { // says more than what a plain start follows
				plain, hard, f.Summary = hard, plain, hard.Summary
			}
			f.Evidence = slices.Concat(plain.Evidence, hard.Evidence)
			f.Remedies = slices.Concat(plain.Remedies, hard.Remedies)
		}
		return f
	}
	if f.Status != plain.Status {
		f.Summary = hard.Summary
	}
	f.Evidence, f.Remedies = append(f.Evidence, hard.Evidence...), append(f.Remedies, hard.Remedies...)
	f.Launches = []report.LaunchStatus{
		{Launch: report.Plain, Status: plain.Status, Summary: plain.Summary, Voids: plain.Voids},
		{Launch: report.Iso, Status: hard.Status, Summary: hard.Summary, Voids: hard.Voids}}
	return f
}

// scopes is what every scope sets, the one that wins first.
func scopes(in inforce.Input) []report.Evidence {
	e := settings.Combine(in.Layers, in.Dirs)
	var evidence []report.Evidence
	var unset []string
	for _, path := range scalars {
		s, key := e.Scalar(path...), settings.KeyPath(path)
		if s.Value == nil && s.Others == nil {
			unset = append(unset, key)
			continue
		}
		say := func(c settings.Candidate, then string) {
			evidence = append(evidence, report.FileEvidence(c.Where(),
				fmt.Sprintf("%s: %s (%s scope, %s)", key, settings.Shown(c.Value), c.Scope, then)))
		}
		if s.Value != nil {
			say(s.Candidate, "in force")
		}
		for _, c := range s.Others {
			if c.Ignored != "" {
				say(c, "ignored: "+c.Ignored)
			} else {
				say(c, "overridden by "+s.Scope.String()+" scope")
			}
		}
	}
	if unset != nil {
		evidence = append(evidence, report.FileEvidence(in.Dirs.Start, "set in no scope: "+strings.Join(unset, ", ")))
	}
	return evidence
}

// says is the runtime's own word about its sandbox in the root of the project,
// where it is asked: it is none about another directory.
func says(l *verify.Rehearsal, progress engine.Sink) starts.AskRuntime {
	return func(_ context.Context, start string) (starts.RuntimeSays, bool) {
		if l.Wait(progress) != nil || l.Root() != start || l.Session(verify.PlainRoot).Raw.Status == "" {
			return starts.RuntimeSays{}, false
		}
		says, err := starts.ParseRuntimeSays([]byte(l.Session(verify.PlainRoot).Raw.Status))
		return says, err == nil
	}
}
