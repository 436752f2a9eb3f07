// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether the sandbox is on is decided by the directory that
// a session starts in and by the scopes together: every scope that has a say
// is shown with its place, and where the runtime itself can be asked, its word
// counts. A launch that refuses to start is told with what would mend it:
// nobody is asked to approve a policy that is not there.

package checks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
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

// outlook is what would come of one launch.
type outlook struct {
	status  report.Status
	summary string
	voids   bool
	// refused says that claude-iso would not start.
	refused bool
	// on is what switches the sandbox on; its Scope is 0 if nothing does.
	on       settings.Source
	evidence []report.Evidence
	remedies []report.Remedy
}

// warn takes the summary of a warning, if nothing is as bad already.
func (o *outlook) warn(summary string) {
	if o.status != report.Warn && report.Worse(o.status, report.Warn) == report.Warn {
		o.status, o.summary = report.Warn, summary
	}
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

// outlookOf judges a session by what would be in force in it.
func outlookOf(in inforce.Input) outlook {
	e := settings.Combine(in.Layers, in.Dirs)
	enabled := e.Scalar(claude.KeySandboxEnabled...)
	state := inforce.Judge(in)
	o := outlook{status: report.Pass, summary: "the sandbox is on"}
	if enabled.Value.True() {
		o.on = enabled.Source
	}
	for _, b := range state.Broken {
		o.evidence = append(o.evidence, report.FileEvidence(b.Where, b.What))
		o.remedies = append(o.remedies, wayOut(b))
	}
	switch {
	case state.Mode == inforce.Off:
		o.status, o.voids = report.Fail, true
		switch {
		case len(state.Broken) > 0:
			o.summary = sandboxOff + state.Broken[0].What
		case enabled.Value == nil:
			o.summary = sandboxOff + "no settings file switches it on"
		default:
			o.summary = sandboxOff + "sandbox.enabled is " + settings.Shown(enabled.Value) + " in " + enabled.Scope.String() +
				" scope"
			o.remedies = append(o.remedies, RemoveKey(enabled.Where(), claude.KeySandboxEnabled...))
		}
		dropped := func(b inforce.Reason) bool { return b.Next == inforce.FixFile }
		if enabled.Value == nil && !slices.ContainsFunc(state.Broken, dropped) { // install refuses such a file, too
			o.remedies = append(o.remedies, verify.Again())
		}
		return o
	case e.Scalar(claude.KeyFilesystemDisabled...).Value.True():
		o.status, o.voids, o.summary = report.Fail, true, "the sandbox is on, but does not restrict files"
	case len(state.Broken) > 0:
		o.status, o.summary = report.Fail, "the sandbox is on, but "+state.Broken[0].What
	}
	if fail := e.Scalar(claude.KeyFailIfUnavailable...); !fail.Value.True() {
		o.warn("the sandbox is on, but where it cannot start, commands run without it: failIfUnavailable is not true")
		o.remedies = append(o.remedies, verify.Again())
	}
	mode := e.Scalar(claude.KeyDefaultMode...)
	if mode.Value != nil && mode.Value.Text == claude.ModeBypass && !bypassClosed(e) &&
		!e.Scalar(claude.KeyStrictAllowlist...).Value.True() {
		o.warn("the sandbox is on, but sessions start in bypassPermissions, which allows every host (measured with 2.1.329)")
		o.remedies = append(o.remedies, RemoveKey(mode.Where(), claude.KeyDefaultMode...),
			report.Command{ID: "strict-allowlist", Line: "steward-setup install --strict-allowlist=yes", Optional: true,
				Why: "set sandbox.network.strictAllowlist in your user settings; in a project it is ignored"})
	}
	o.ignoredHosts(e)
	return o
}

// bypassClosed says whether the runtime refuses bypassPermissions, whoever asks
// for it.
func bypassClosed(e *settings.Effective) bool {
	return disables(e, claude.KeyDisableBypassPermissionsMode...)
}

// autoClosed says the same of auto mode, and of what plan mode takes from it.
// Measured with 2.1.257 to 2.1.329: the key counts in every scope, also outside
// permissions.
func autoClosed(e *settings.Effective) bool {
	return disables(e, claude.KeyDisableAutoMode...) || disables(e, claude.KeyDisableAutoMode.Leaf())
}

func disables(e *settings.Effective, path ...string) bool {
	d := e.Scalar(path...)
	return d.Value != nil && d.Value.Text == claude.Disable
}

// wayOut is what would mend a reason.
func wayOut(b inforce.Reason) report.Remedy {
	switch {
	case b.Next == inforce.Install:
		return report.Command{ID: verify.InstallTools, Line: b.Next, Why: "install what is missing"}
	case strings.HasPrefix(b.Next, "steward-setup "):
		return report.Command{ID: "way-out", Line: b.Next, Why: "fix this: " + b.What}
	}
	return report.DocLink{Title: b.Next, Target: b.Where}
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

// belowRoot says that another start directory would do.
func (o *outlook) belowRoot(r host.Reader, in inforce.Input) {
	if !o.voids || in.Root == "" || in.Root == in.Dirs.Start {
		return
	}
	if at := outlookOf(inforce.Gather(r, inforce.Invocation{Start: in.Root})); !at.voids {
		o.summary = "the sandbox is off in " + filepath.Base(in.Dirs.Start) +
			", below the project's root: start in the root, or with claude-iso"
		o.evidence = append(o.evidence, report.FileEvidence(in.Root, "started here, the sandbox is on"))
	}
}

// hear takes the runtime's own word about a plain session.
func (o *outlook) hear(ctx context.Context, in inforce.Input, ask AskRuntime) {
	says, ok := ask(ctx, in.Dirs.Start)
	if !ok {
		return
	}
	const line = "claude sandbox status"
	e := settings.Combine(in.Layers, in.Dirs)
	on := inforce.Judge(in).Mode != inforce.Off
	o.evidence = append([]report.Evidence{report.CommandEvidence(line, says.String())}, o.evidence...)
	differ := func(s report.Status, voids bool, summary string) {
		o.evidence = append(o.evidence, report.CommandEvidence(line, "differs from what the settings say: "+summary))
		next := verify.NewerRuntime() // it is known what that one makes of settings
		if says.Reason != "" {
			next = verify.SupportPage
		}
		o.remedies = append(o.remedies, next)
		if s == report.Unknown || o.status != report.Fail || voids && !o.voids {
			o.status, o.summary, o.voids = s, summary, voids
		}
	}
	sealed := e.Scalar(claude.KeyAllowUnsandboxedCommands...).Value.False()
	open := e.Scalar(claude.KeyFilesystemDisabled...).Value.True()
	switch {
	case on && !says.Enabled:
		differ(report.Fail, true, "the runtime says that the sandbox is off: "+cmp.Or(says.Reason, says.Source))
		return
	case !on && says.Enabled:
		differ(report.Unknown, false, "the runtime says that the sandbox is on ("+says.Source+
			"), though no settings file that was read makes it so")
		return
	case !on:
		return
	}
	switch relaxed := says.FilesystemPolicy != "strict"; {
	case relaxed && !open:
		differ(report.Fail, true, "the runtime says that files are not restricted: "+says.FilesystemPolicy)
	case !relaxed && open:
		differ(report.Unknown, false, "the runtime says that files are restricted, though the settings switch that off")
	}
	if sealed && !says.StrictMode {
		differ(report.Fail, false,
			"the runtime lets commands ask to run unsandboxed, although allowUnsandboxedCommands is false")
	}
}

// unsandboxed is what is wanting where nothing more is known.
func unsandboxed() unmerged { return unmerged{what: iso.Unsandboxed, remedy: verify.Again()} }

// isoOutlook judges claude-iso in the same place. One that refuses to start
// opens nothing; that it does is worth a word. wanting is what is said where
// there is no policy to approve.
func isoOutlook(r host.Reader, start string, wanting unmerged) outlook {
	refused := func(e report.Evidence, next report.Remedy) outlook {
		e.Text = "claude-iso would not start here: " + e.Text
		return outlook{status: report.Warn, refused: true, summary: e.Text, evidence: []report.Evidence{e},
			remedies: []report.Remedy{next}}
	}
	l, in, err := iso.Outlook(r, start)
	if err != nil {
		e := report.ErrorEvidence(start, err)
		return refused(e, report.DocLink{Title: "fix the file", Target: e.Where})
	}
	if e := (*report.Error)(nil); errors.As(cmp.Or(l.Forgeable, l.Linked, l.Open), &e) {
		return refused(report.ErrorEvidence(e.Where, e), report.DocLink{Title: e.Next, Target: e.Where})
	}
	state := inforce.Judge(in)
	if state.Mode == inforce.Off && len(state.Broken) == 0 && (l.Approved || l.Policy.Empty()) {
		return refused(report.FileEvidence(l.Place.Project, wanting.what), wanting.remedy)
	}
	if !l.Approved && l.Policy.Empty() { // to approve that would revoke the project's approval
		if wanting.what == iso.Unsandboxed {
			wanting = bereft(l.Place.Project)
		}
		return refused(report.FileEvidence(l.Place.Project, wanting.what), wanting.remedy)
	}
	if !l.Approved {
		what := "its policy is not approved yet"
		if l.Known {
			what = "its policy has changed since you approved it"
		}
		return refused(report.FileEvidence(filepath.Join(l.Place.Project, claude.Dir, claude.SettingsFile), what),
			report.Command{ID: "approve", Line: "steward-setup iso --approve", Why: "see the policy and approve it"})
	}
	o := outlookOf(in)
	if o.status == report.Pass && !l.Policy.Empty() {
		o.summary = "the sandbox is on, by claude-iso's own settings"
		o.evidence = []report.Evidence{report.FileEvidence(l.Place.Project,
			"its policy is approved, and passed with --settings")}
		return o
	}
	o.summary = "with claude-iso " + o.summary
	for i, remedy := range o.remedies { // the document of a launch lies nowhere
		if link, ok := remedy.(report.DocLink); ok && strings.HasPrefix(link.Target, "--settings") {
			o.remedies[i] = report.DocLink{Title: "fix the project's policy: " + link.Title,
				Target: filepath.Join(l.Place.Project, claude.Dir)}
		}
	}
	return o
}
