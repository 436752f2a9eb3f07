// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether the sandbox is on is decided by the directory
// that a session starts in and by the scopes together, and where the runtime itself can
// be asked, its word counts. A launch that refuses to start is told with what would mend
// it: nobody is asked to approve a policy that is not there.

// Package starts says whether the sandbox would be on in a start: in which directory, by which
// launch, and what the runtime itself says of it.
//
// Contract: it says where a policy is missing or off, and never proves that one holds.
package starts

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// Outlook is what would come of one launch.
type Outlook struct {
	Status  report.Status
	Summary string
	Voids   bool
	// Refused says that claude-iso would not start.
	Refused bool
	// On is what switches the sandbox on; its Scope is 0 if nothing does.
	On       settings.Source
	Evidence []report.Evidence
	Remedies []report.Remedy
}

// warn takes the summary of a warning, if nothing is as bad already.
func (o *Outlook) warn(summary string) {
	if report.Warn.WorseThan(o.Status) {
		o.Status, o.Summary = report.Warn, summary
	}
}

// Of judges a session by what would be in force in it.
func Of(in inforce.Input) Outlook {
	e := settings.Combine(in.Layers, in.Dirs)
	enabled := e.Scalar(claude.KeySandboxEnabled...)
	state := inforce.Judge(in)
	o := Outlook{Status: report.Pass, Summary: "the sandbox is on"}
	if enabled.Value.True() {
		o.On = enabled.Source
	}
	for _, b := range state.Broken {
		o.Evidence = append(o.Evidence, report.FileEvidence(b.Where, b.What))
		o.Remedies = append(o.Remedies, wayOut(b))
	}
	switch {
	case state.Mode == inforce.Off:
		o.Status, o.Voids = report.Fail, true
		switch {
		case len(state.Broken) > 0:
			o.Summary = opening.SandboxOff + state.Broken[0].What
		case enabled.Value == nil:
			o.Summary = opening.SandboxOff + "no settings file switches it on"
		default:
			o.Summary = opening.SandboxOff + "sandbox.enabled is " + settings.Shown(enabled.Value) + " in " +
				enabled.Scope.String() + " scope"
			o.Remedies = append(o.Remedies, opening.RemoveKey(enabled.Where(), claude.KeySandboxEnabled...))
		}
		dropped := func(b inforce.Reason) bool { return b.File }
		if enabled.Value == nil && !slices.ContainsFunc(state.Broken, dropped) { // install refuses such a file, too
			o.Remedies = append(o.Remedies, verify.Again())
		}
		return o
	case e.Scalar(claude.KeyFilesystemDisabled...).Value.True():
		o.Status, o.Voids, o.Summary = report.Fail, true, "the sandbox is on, but does not restrict files"
	case len(state.Broken) > 0:
		o.Status, o.Summary = report.Fail, "the sandbox is on, but "+state.Broken[0].What
	}
	if fail := e.Scalar(claude.KeyFailIfUnavailable...); !fail.Value.True() {
		o.warn("the sandbox is on, but where it cannot start, commands run without it: failIfUnavailable is not true")
		o.Remedies = append(o.Remedies, verify.Again())
	}
	mode := e.Scalar(claude.KeyDefaultMode...)
	if mode.Value != nil && mode.Value.Text == claude.ModeBypass && !session.BypassClosed(e) &&
		!e.Scalar(claude.KeyStrictAllowlist...).Value.True() {
		o.warn("the sandbox is on, but sessions start in bypassPermissions, which allows every host (measured with 2.1.329)")
		o.Remedies = append(o.Remedies, opening.RemoveKey(mode.Where(), claude.KeyDefaultMode...),
			report.Own("install --strict-allowlist=yes", report.Command{ID: "strict-allowlist", Optional: true,
				Why: "set sandbox.network.strictAllowlist in your user settings; in a project it is ignored"}))
	}
	o.ignoredHosts(e)
	return o
}

// wayOut is what would mend a reason.
func wayOut(b inforce.Reason) report.Remedy {
	switch {
	case b.Run == inforce.Install:
		return report.Own(b.Run, report.Command{ID: verify.InstallTools, Why: "install what is missing"})
	case b.Run != "":
		return report.Own(b.Run, report.Command{ID: "way-out", Why: "fix this: " + b.What})
	}
	return report.DocLink{Title: b.Next, Target: b.Where}
}

// BelowRoot says that another start directory would do.
func (o *Outlook) BelowRoot(r host.Reader, in inforce.Input) {
	if !o.Voids || in.Root == "" || in.Root == in.Dirs.Start {
		return
	}
	if at := Of(inforce.Gather(r, inforce.Invocation{Start: in.Root})); !at.Voids {
		o.Summary = "the sandbox is off in " + filepath.Base(in.Dirs.Start) +
			", below the project's root: start in the root, or with claude-iso"
		o.Evidence = append(o.Evidence, report.FileEvidence(in.Root, "started here, the sandbox is on"))
	}
}

// Hear takes the runtime's own word about a plain session.
func (o *Outlook) Hear(ctx context.Context, in inforce.Input, ask AskRuntime) {
	says, ok := ask(ctx, in.Dirs.Start)
	if !ok {
		return
	}
	const line = "claude sandbox status"
	e := settings.Combine(in.Layers, in.Dirs)
	on := inforce.Judge(in).Mode != inforce.Off
	o.Evidence = append([]report.Evidence{report.CommandEvidence(line, says.String())}, o.Evidence...)
	differ := func(s report.Status, voids bool, summary string) {
		o.Evidence = append(o.Evidence, report.CommandEvidence(line, "differs from what the settings say: "+summary))
		next := verify.NewerRuntime() // it is known what that one makes of settings
		if says.Reason != "" {
			next = verify.SupportPage
		}
		o.Remedies = append(o.Remedies, next)
		if s == report.Unknown || o.Status != report.Fail || voids && !o.Voids {
			o.Status, o.Summary, o.Voids = s, summary, voids
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

// NothingKnown is what is wanting where nothing more is known.
func NothingKnown() Unmerged { return Unmerged{What: iso.Unsandboxed, Remedy: verify.Again()} }

// OfIso judges claude-iso in the same place. One that refuses to start
// opens nothing; that it does is worth a word. wanting is what is said where
// there is no policy to approve.
func OfIso(r host.Reader, start string, wanting Unmerged) Outlook {
	refused := func(e report.Evidence, next report.Remedy) Outlook {
		o := Outlook{Status: report.Warn, Refused: true, Summary: "claude-iso would not start here: " + e.Text,
			Remedies: []report.Remedy{next}}
		if e.Where != start { // what is seen there the summary says
			o.Evidence = []report.Evidence{e}
		}
		return o
	}
	l, in, err := iso.Outlook(r, start)
	if err != nil {
		e := report.ErrorEvidence(start, err)
		if named, ok := errors.AsType[*report.Error](err); ok && strings.Contains(named.Next, e.Where) {
			return refused(e, report.DocLink{Title: named.Next})
		}
		return refused(e, report.DocLink{Title: "fix the file", Target: e.Where})
	}
	if e := (*report.Error)(nil); errors.As(cmp.Or(l.Forgeable, l.Linked, l.Open), &e) {
		return refused(report.ErrorEvidence(e.Where, e), report.DocLink{Title: e.Advice(), Target: e.Where})
	}
	state := inforce.Judge(in)
	if state.Mode == inforce.Off && len(state.Broken) == 0 && (l.Approved || l.Policy.Empty()) {
		return refused(report.FileEvidence(l.Place.Project, wanting.What), wanting.Remedy)
	}
	if !l.Approved && l.Policy.Empty() { // to approve that would revoke the project's approval
		if wanting.What == iso.Unsandboxed {
			wanting = Bereft(l.Place.Project)
		}
		return refused(report.FileEvidence(l.Place.Project, wanting.What), wanting.Remedy)
	}
	if !l.Approved {
		what := "its policy is not approved yet"
		if l.Known {
			what = "its policy has changed since you approved it"
		}
		return refused(report.FileEvidence(filepath.Join(l.Place.Project, claude.Dir, claude.SettingsFile), what),
			report.Own("iso --approve", report.Command{ID: "approve", Why: "see the policy and approve it"}))
	}
	o := Of(in)
	if o.Status == report.Pass && !l.Policy.Empty() {
		o.Summary = "the sandbox is on, by claude-iso's own settings"
		o.Evidence = []report.Evidence{report.FileEvidence(l.Place.Project,
			"its policy is approved, and passed with --settings")}
		return o
	}
	o.Summary = "with claude-iso " + o.Summary
	for i, remedy := range o.Remedies { // the document of a launch lies nowhere
		if link, ok := remedy.(report.DocLink); ok && strings.HasPrefix(link.Target, "--settings") {
			o.Remedies[i] = report.DocLink{Title: "fix the project's policy: " + link.Title,
				Target: filepath.Join(l.Place.Project, claude.Dir)}
		}
	}
	return o
}

// IgnoredHosts lists the entries of allowedDomains that are not in force and
// that no entry in force covers: with strictAllowlist in user settings the
// runtime counts no hosts of a project (measured with 2.1.329).
func IgnoredHosts(e *settings.Effective) []settings.Candidate {
	counted := e.Strings(claude.KeyAllowedDomains...)
	var voided []settings.Candidate
	for _, c := range e.List(claude.KeyAllowedDomains...) {
		if c.Ignored != "" && c.Value.Kind == settings.Str && !policy.HostCovered(counted, c.Value.Text) {
			voided = append(voided, c)
		}
	}
	return voided
}

// ignoredHosts warns of hosts that nobody reaches.
func (o *Outlook) ignoredHosts(e *settings.Effective) {
	voided := IgnoredHosts(e)
	if len(voided) == 0 {
		return
	}
	o.warn(CountVoided(len(voided)) + " blocked: strictAllowlist uses your user settings only")
	o.Evidence = append(o.Evidence, VoidedEvidence(voided)...)
	allow, _ := AllowVoided(e, voided)
	o.Remedies = append(o.Remedies, allow)
}

// AllowVoided is the line that has such hosts count, and whether it names them: a policy in
// the user's own settings has a list of its own.
func AllowVoided(e *settings.Effective, voided []settings.Candidate) (report.Command, bool) {
	var hosts []string
	for _, c := range voided {
		hosts = append(hosts, c.Value.Text)
	}
	words, named := access.AllowEverywhere(e, hosts)
	why := "add the policy's hosts to your user settings; name any other with --allow-host=HOST"
	if named {
		why = "add these hosts to your user settings, for all your projects; leave out those that you do not need"
	}
	return report.Own(words, report.Command{ID: "voided-hosts", Optional: true, Why: why}), named
}

// CountVoided is the subject of a sentence about hosts that do not count.
func CountVoided(n int) string {
	return report.Counted(n, "1 host of the project is", "%d hosts of the project are")
}

// VoidedEvidence is where such hosts stand, and why they do not count.
func VoidedEvidence(voided []settings.Candidate) (list []report.Evidence) {
	for _, c := range voided {
		list = append(list, report.FileEvidence(c.Where(), c.Value.Text+" does not count: "+c.Ignored))
	}
	return list
}
