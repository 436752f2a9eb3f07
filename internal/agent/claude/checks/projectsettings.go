// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a policy that the runtime drops is the loudest failure,
// one that lacks a required entry does not protect, and what weakens one is
// always named with its place. Of several files that hold a part of the
// policy, the one that lacks the least is said to hold it.

package checks

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/prompts"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/starts"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// checkPolicy asks whether a whole policy is there and switched on.
var checkPolicy = judged(policyOf)

// policyOf judges the policy of a session around dir.
func policyOf(ctx context.Context, r host.Reader, s session.Settings, dir string) report.Finding {
	if s.Lost != nil {
		f := session.Dropped(dir, s.Lost)
		name := filepath.Base(session.FileOf(f.Evidence[0]))
		f.Voids, f.Summary = true, "the runtime silently ignores all of "+name+": nothing in it is in force"
		if s.Kept {
			f.Summary = name + " cannot be judged: the runtime has it in force, and it may switch anything off"
		}
		return f
	}
	f := prompting(s, findPolicy(ctx, r, s, dir))
	if s.Doubt != nil && f.Status != report.Fail {
		d := session.Dropped(dir, s.Doubt)
		f.Status, f.Summary = report.Unknown, filepath.Base(session.FileOf(d.Evidence[0]))+" "+d.Evidence[0].Text
		f.Evidence, f.Remedies = append(d.Evidence, f.Evidence...), append(d.Remedies, f.Remedies...)
	}
	return f
}

// findPolicy looks for the policy in the settings of a session.
func findPolicy(ctx context.Context, r host.Reader, s session.Settings, dir string) report.Finding {
	f, none := PolicyIn(r, s)
	if !none {
		return f
	}
	if u, ok := starts.WithoutPolicy(ctx, r, dir); ok {
		f.Summary, f.Evidence = u.What, append([]report.Evidence{u.Evidence}, f.Evidence...)
		f.Remedies = []report.Remedy{u.Remedy}
	}
	return f
}

// PolicyIn judges the policy of settings, which may be those of a plan; none says that no
// file of theirs switches the sandbox on.
func PolicyIn(r host.Reader, s session.Settings) (f report.Finding, none bool) {
	if f, void := voided(s); void {
		return f, false
	}
	summary, least := "no settings file has a complete policy", 0
	var evidence []report.Evidence
	e := s.InForce()
	merged := lacking(session.Merged(e), r.Places().Home)
	at, alone := e.OnlyManagedRules()
	for _, l := range s.Layers {
		missing := lacking(l.Doc.Root, r.Places().Home)
		if alone && len(missing) == 0 {
			missing = merged
		}
		if len(missing) == 0 {
			return report.Finding{Status: report.Pass, Summary: fmt.Sprintf("policy in place (%s scope)", l.Scope),
				Evidence: []report.Evidence{report.FileEvidence(l.Doc.Where(l.Doc.Get(claude.KeySandboxEnabled...)),
					"sandbox.enabled: true, and every required rule")}}, false
		}
		seen := lacks(l.Doc, missing)
		if seen == noSandbox && slices.ContainsFunc(evidence, func(e report.Evidence) bool { return e.Text == noSandbox }) {
			seen = "nor is there one here"
		}
		evidence = append(evidence, report.FileEvidence(l.Doc.Path, seen))
		evidence = append(evidence, unenforced(l.Doc)...)
		if l.Doc.Get(claude.KeySandboxEnabled...).True() && (least == 0 || len(missing) < least) {
			summary, least = fmt.Sprintf("the policy in %s scope %s", l.Scope, lacks(l.Doc, missing)), len(missing)
		}
	}
	if len(merged) == 0 {
		return report.Finding{Status: report.Pass, Summary: "policy in place, combined from several scopes",
			Evidence: evidence}, false
	}
	open := !e.Scalar(claude.KeySandboxEnabled...).Value.True()
	if hidden := "sandbox.filesystem.denyRead:~/"; !open && slices.Contains(merged, hidden) {
		open, summary = true, "commands can read your home: no settings have "+hidden
	}
	if alone {
		evidence = append([]report.Evidence{report.FileEvidence(at.Where(),
			claude.KeyAllowManagedPermissionRulesOnly.String()+": true: no rules of another scope count")}, evidence...)
	}
	if evidence == nil {
		evidence = append(evidence, report.FileEvidence(r.Places().UserSettings(),
			"there is no settings file, neither here nor in the project"))
	}
	return report.Finding{Status: report.Fail, Summary: summary, Evidence: evidence, Voids: open,
		Remedies: []report.Remedy{verify.Again()}}, least == 0
}

// Lacking lists which of some entries of a policy are required, and not in force.
func Lacking(s session.Settings, home string, ids []string) []string {
	missing := lacking(session.Merged(s.InForce()), home)
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return !slices.ContainsFunc(missing, func(m string) bool { return id == m || strings.HasPrefix(id, m+".") })
	})
}

// lacking lists what a document has not and a policy needs: the required
// entries, and the credentials if none is named at all.
func lacking(doc *settings.Value, home string) (ids []string) {
	for _, e := range policy.Embedded().Missing(doc, home) {
		ids = append(ids, e.ID())
	}
	if policy.Lacks(doc, claude.KeyCredentialFiles) || policy.Lacks(doc, claude.KeyCredentialVariables) {
		ids = append(ids, claude.KeyCredentials.String())
	}
	return ids
}

// unenforced names the deny rules that the OS layer on Linux does not hold,
// with the form that it does.
func unenforced(doc *settings.Doc) (evidence []report.Evidence) {
	for _, rule := range settings.ItemsOf(doc.Get(claude.KeyDeny...)) {
		if form, other := policy.Enforced(rule.Text); other {
			evidence = append(evidence, report.FileEvidence(doc.Where(rule), rule.Text+
				" holds the agent's own tools, but no command on Linux (measured with 2.1.329): write "+form))
		}
	}
	return evidence
}

// voided says what in force makes every policy void.
func voided(s session.Settings) (f report.Finding, void bool) {
	f = report.Finding{Status: report.Fail, Voids: true}
	for _, w := range s.Weakenings(s) {
		if !w.Voids() {
			continue
		}
		if !void {
			f.Summary = fmt.Sprintf("the policy does not protect: %s is %s in %s scope", settings.KeyPath(w.Path), w.Text,
				w.Scope)
		}
		void = true
		f.Evidence = append(f.Evidence, opening.ValueEvidence(w.Where, w.Path, w.Text, w.Opens))
		f.Remedies = append(f.Remedies, opening.RemoveKey(w.Where, w.Path...))
	}
	return f, void
}

const noSandbox = "there is no sandbox block"

// lacks names what a file has not, shortly.
func lacks(doc *settings.Doc, missing []string) string {
	if doc.Get(claude.KeySandbox...) == nil {
		return noSandbox
	}
	return "lacks " + strings.Join(first(missing, 4), ", ")
}

// Standing is the settings file that the policy of a session stands in: the
// one that switches the sandbox on and lacks the least of what a policy needs.
// ok is false where none does. The files of the machine's owner are passed over.
func Standing(s session.Settings, home string) (scope settings.Scope, doc *settings.Doc, ok bool) {
	least := 0
	for _, l := range s.Layers {
		if !l.Scope.OfProject() && l.Scope != settings.User || !l.Doc.Get(claude.KeySandboxEnabled...).True() {
			continue
		}
		if n := len(lacking(l.Doc.Root, home)); doc == nil || n < least {
			scope, doc, least = l.Scope, l.Doc, n
		}
	}
	return scope, doc, doc != nil
}

// prompting is the finding on a policy with a warning for each such rule that is
// not there. Where more is missing of a policy, that stands first.
func prompting(s session.Settings, f report.Finding) report.Finding {
	if len(f.Evidence) == 0 || !s.InForce().Scalar(claude.KeySandboxEnabled...).Value.True() {
		return f
	}
	where, failed := session.FileOf(f.Evidence[0]), f.Status != report.Pass
	for _, p := range []prompts.Rule{prompts.MessageRule, prompts.BridgeRule, prompts.PublishRule, prompts.FetchRule,
		prompts.WorktreeRule, prompts.IsolationRule, prompts.ResourceRule, prompts.ServerRule, prompts.DirMode} {
		if p.Moot != nil && p.Moot(s) {
			continue
		}
		why := p.Unasked(s.InForce(), s.Dirs)
		if why == "" {
			continue
		}
		seen := report.FileEvidence(where, why+": "+p.Does)
		if failed {
			f.Evidence = append(f.Evidence, seen)
			continue
		}
		in := bothLaunches
		if p.ByIso(s) {
			in = plainAlone
		}
		f = worseIn(in, f, report.Warn, p.Open, seen)
	}
	return f
}
