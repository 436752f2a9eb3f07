// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: everything in force that takes protection away is named
// with its place. What nobody can mean is a failure; what install offers at a
// price is an exposure, listed with it; the rest is a warning.

package checks

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/dotfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/gitruns"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/openpaths"
	"github.com/steward-setup/steward-setup/internal/agent/claude/outsiders"
	"github.com/steward-setup/steward-setup/internal/agent/claude/ownfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/projectcode"
	"github.com/steward-setup/steward-setup/internal/agent/claude/prompts"
	"github.com/steward-setup/steward-setup/internal/agent/claude/rcfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// openingsIn lists everything that is open in a session.
func openingsIn(ctx context.Context, r host.Reader, s session.Settings) []opening.Opening {
	found := slices.Concat(openpaths.Openings(r, s), openpaths.ClosesNothing(r, s), openSettings(r, s), skippedRules(s),
		openpaths.MemoryOpenings(r, s), openpaths.PlanOpenings(r, s),
		outsiders.LinkOpenings(r, s), outsiders.TextLinks(r, s), outsiders.SecondNames(r, s), openpaths.PackageOpenings(r, s),
		outsiders.SecretLinks(r, s), outsiders.CaseOpenings(r, s), openpaths.OutsideOpenings(r, s),
		outsiders.Openings(r, s), prompts.Openings(r, s), outsiders.ModeOpenings(r, s),
		outsiders.PathOpenings(r, s), dotfiles.VariableOpenings(r, s), rcfiles.Openings(r, s),
		ownfiles.Openings(ctx, r, s), dotfiles.Openings(r, s), gitruns.Openings(ctx, r, s),
		projectcode.UnknownKeys(ctx, r, s))
	return append(found, outsiders.NamesOf(r, s, found)...)
}

// checkWeakenings asks what takes protection away from the policy in force
// for the project around dir.
var checkWeakenings = judged(weakeningsOf)

// weakeningsOf judges what weakens the policy of a session around dir.
func weakeningsOf(ctx context.Context, r host.Reader, s session.Settings, dir string) report.Finding {
	found := append(openingsIn(ctx, r, s), openpaths.SharedNames(r, s, session.StartAt(r, dir))...)
	// The worst first; of equals the order is that of the documents.
	slices.SortStableFunc(found, func(a, b opening.Opening) int {
		return cmp.Compare(slices.Index(report.Statuses, a.Status), slices.Index(report.Statuses, b.Status))
	})
	f := report.Finding{Status: report.Pass, Summary: "nothing in the settings weakens it"}
	switch {
	case s.Lost != nil:
		f = session.Dropped(dir, s.Lost)
		f.Status, f.Summary = report.Unknown, "not judged: "+f.Summary
	case !s.InForce().Scalar(claude.KeySandboxEnabled...).Value.True():
		f = report.Finding{Status: report.Unknown, Summary: "not judged: no settings switch the sandbox on",
			Evidence: []report.Evidence{report.FileEvidence(s.Dirs.Start, "sandbox.enabled is true nowhere")}}
	}
	base := f.Status
	home := r.Places().Home
	around := pathname.Within(home, s.Dirs.Start)
	for _, o := range found {
		f.Status, f.Voids = report.Worse(f.Status, o.Status), f.Voids || o.Voids
		f.Evidence = append(f.Evidence, o.Evidence())
		if !around || !ofStart(o, s.Dirs.Start) {
			f.Remedies = append(f.Remedies, o.Mends()...)
		}
	}
	if around && found != nil {
		f.Remedies = aroundHome(home, f.Remedies)
	}
	f.Evidence = append(f.Evidence, report.EnvEvidence("your other programs",
		report.Counted(len(dotfiles.Programs()), "the configuration of 1 program is judged",
			"the configuration of %d programs is judged (docs/protection.md)")+", that of others is not"))
	if len(found) > 0 {
		f.Summary = opening.Count(found)
		f.Apart(loadedByIso(found, base))
		return f
	}
	for _, l := range s.Layers {
		f.Evidence = append(f.Evidence, report.FileEvidence(l.Doc.Path, "looked at"))
	}
	f.Evidence = append(f.Evidence, pricedHosts(s)...)
	return f
}

// ofStart says whether what is open is a place below the start of the session, and no setting: a start in a project
// ends that, or says there what is left.
func ofStart(o opening.Opening, start string) bool {
	link, is := o.Next().(report.DocLink)
	return o.Path == nil && is && pathname.Within(link.Target, start)
}

// aroundHome are the next steps of a start in the home, or above it: one ends nearly all of what is open there, and of
// steps that differ in their place alone the first is said.
func aroundHome(home string, each []report.Remedy) []report.Remedy {
	said := map[string]bool{}
	each = slices.DeleteFunc(each, func(r report.Remedy) bool {
		d, is := r.(report.DocLink)
		again := is && said[d.Title]
		said[d.Title] = is || said[d.Title]
		return again
	})
	return slices.Insert(each, 0, report.Remedy(report.DocLink{Title: "start claude in a project, since a session that " +
		"starts here can write all of your home", Target: home}))
}

// loadedByIso is what is open where claude-iso does not load all of it. base is the
// status without what is open.
func loadedByIso(found []opening.Opening, base report.Status) report.LaunchStatus {
	hard := report.LaunchStatus{Launch: report.Iso, Status: base, Summary: "nothing that claude-iso loads weakens it"}
	var loads []opening.Opening
	for _, o := range found {
		if !o.Plain {
			loads, hard.Status, hard.Voids = append(loads, o), report.Worse(hard.Status, o.Status), hard.Voids || o.Voids
		}
	}
	if loads != nil {
		hard.Summary = opening.Count(loads)
	}
	return hard
}

// openSettings lists what is open but for paths, which openpaths judges better:
// with links resolved, and by scope.
func openSettings(r host.Reader, s session.Settings) (found []opening.Opening) {
	asks := sync.OnceValue(func() bool { return prompts.AsksOutside(r, s) })
	for _, w := range s.Weakenings(s) {
		if w.OpensPath() {
			continue
		}
		o := opening.Opening{Status: report.Warn, Where: w.Where, Path: w.Path, What: w.Text, Opens: w.Opens}
		o.Plain = w.Scope.OfProject() && (w.PlainOnly() || w.Path[0] == claude.KeyEnv.Leaf() ||
			grants.PlainKey(settings.KeyPath(w.Path[:len(w.Path)-1])))
		switch {
		case settings.KeyPath(w.Path) == "env.PATH":
			if why := outsiders.OtherSandbox(r, s); why != "" {
				o.Status, o.Voids, o.Opens = report.Fail, true, why
			}
		case w.Kind == "unknown-variable":
			o.Status, o.Group = report.Unknown, opening.UnknownKey
		case w.Kind == "allow-outside" && asks():
			o.Opens += " The bypass-warn hook still asks you."
		case w.Fails():
			o.Status, o.Voids = report.Fail, w.Voids() || w.Bypasses()
		}
		found = append(found, o)
	}
	return found
}

// pricedHosts names the hosts in force that install offers and that have a
// price: most serve anyone's content.
func pricedHosts(s session.Settings) []report.Evidence {
	prices := policy.Embedded().HostPrices()
	var evidence []report.Evidence
	for _, c := range s.InForce().Taken(claude.KeyAllowedDomains...) {
		if price := prices[c.Value.Text]; price != "" {
			evidence = append(evidence, report.FileEvidence(c.Where(), c.Value.Text+": "+price))
		}
	}
	return evidence
}
