// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether the sandbox is on is decided by the directory that
// a session starts in and by the scopes together: every scope that has a say
// is shown with its place, and where the runtime itself can be asked, its word
// counts. A launch that refuses to start is told with what would mend it:
// nobody is asked to approve a policy that is not there.

package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// effectiveSandbox asks whether the sandbox would be on in a session that
// starts in dir ("" is the working directory), for either launch. ask, if not
// nil, is the runtime's own word about a plain session there.
func effectiveSandbox(dir string, ask AskRuntime) engine.Check {
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

func checkEffective(ctx context.Context, r host.Reader, dir string, ask AskRuntime) report.Finding {
	starts, missed := Starts(ctx, r, dir)
	f := judgeEffective(ctx, r, dir, ask, starts, missed)
	f.Covers = startCovers(r, starts)
	why, seen := agentNotStarting(ctx, r)
	if why == "" {
		return f
	}
	f.Evidence = append(f.Evidence, seen)
	unseen := func(s *report.Status, summary *string) {
		if report.Worse(*s, report.Unknown) != *s {
			*s, *summary = report.Unknown, "not verified: "+why
		}
	}
	unseen(&f.Status, &f.Summary)
	for i := range f.Launches {
		unseen(&f.Launches[i].Status, &f.Launches[i].Summary)
	}
	return f
}

// judgeEffective is checkEffective for an agent that starts.
func judgeEffective(ctx context.Context, r host.Reader, dir string, ask AskRuntime, starts []report.StartRow,
	missed []string) report.Finding {
	start := startAt(r, dir)
	in := inforce.Gather(r, inforce.Invocation{Start: start})
	plain := outlookOf(in)
	plain.belowRoot(r, in)
	plain.overrulable(r, in, starts, missed)
	wanting, ok := withoutPolicy(ctx, r, dir)
	if !ok {
		wanting = unsandboxed()
	} else if plain.voids && plain.on.Scope == 0 {
		plain.summary, plain.remedies = sandboxOff+wanting.what, []report.Remedy{wanting.remedy}
	}
	if ask != nil {
		plain.hear(ctx, in, ask)
	}
	hard := isoOutlook(r, start, wanting)
	f := report.Finding{Status: report.Worse(plain.status, hard.status), Voids: plain.voids || hard.voids,
		Summary: plain.summary, Evidence: append(plain.evidence, scopes(in)...), Remedies: plain.remedies}
	if plain.status == hard.status && plain.voids == hard.voids {
		if hard.status == report.Warn {
			f.Evidence, f.Remedies = append(f.Evidence, hard.evidence...), append(f.Remedies, hard.remedies...)
		}
		return f
	}
	if f.Status != plain.status {
		f.Summary = hard.summary
	}
	f.Evidence, f.Remedies = append(f.Evidence, hard.evidence...), append(f.Remedies, hard.remedies...)
	f.Launches = []report.LaunchStatus{
		{Launch: report.Plain, Status: plain.status, Summary: plain.summary, Voids: plain.voids},
		{Launch: report.Iso, Status: hard.status, Summary: hard.summary, Voids: hard.voids}}
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
func says(l *verify.Rehearsal, progress engine.Sink) AskRuntime {
	return func(_ context.Context, start string) (RuntimeSays, bool) {
		if l.Wait(progress) != nil || l.Root() != start || l.Session(verify.PlainRoot).Raw.Status == "" {
			return RuntimeSays{}, false
		}
		says, err := parseRuntimeSays([]byte(l.Session(verify.PlainRoot).Raw.Status))
		return says, err == nil
	}
}
