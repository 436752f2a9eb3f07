// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where strictAllowlist is in force, the hosts that the
// answers allow stand where the runtime counts them.

package install

import (
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
	"github.com/steward-setup/steward-setup/steps/verify"
)

var strictAllowlistQuestion = report.Question{
	ID: "strict-allowlist", Section: "wiring", Kind: report.Confirm,
	Title: "Block every host that is not on the list, without a prompt?",
	Help: "The mode bypassPermissions allows hosts that are not on the list; strictAllowlist prevents that. The " +
		"runtime honours it in user scope only, so it applies to every project, and plain claude then uses only the hosts " +
		"of your user settings (measured). The hosts of the policy are added there.",
	Price: "a new host cannot be allowed at a prompt any more, and the hosts of this policy are reachable in all your " +
		"projects",
	Default: []string{"no"},
}

// strictQuestion is the question where the user's settings leave it open.
func (p *proposer) strictQuestion(doc *settings.Doc) report.Question {
	switch {
	case p.floored:
		return strictAllowlistQuestion.DecidedBy("the policy in your user settings sets it", "yes")
	case doc.Get(claude.KeyStrictAllowlist...).True():
		return strictAllowlistQuestion.DecidedBy("it is set in "+p.shown(doc.Path), "yes")
	}
	return strictAllowlistQuestion
}

// strictEdits sets strictAllowlist if that is the answer, and where it is set
// adds the hosts of the policy to the user's own.
func (p *proposer) strictEdits(doc *settings.Doc, s *report.Section) (edits []settings.Edit) {
	strict := doc.Get(claude.KeyStrictAllowlist...).True()
	if p.answers.Yes(strictAllowlistQuestion) && !strict {
		strict = true
		edits = append(edits, settings.Set(claude.KeyStrictAllowlist, settings.Boolean(true)))
	}
	if !strict || p.floored {
		return edits
	}
	path := claude.KeyAllowedDomains
	var own []string
	if list := doc.Get(path...); list != nil {
		for _, v := range list.Items {
			own = append(own, v.Text)
		}
	}
	for _, host := range p.policyHosts {
		if policy.HostCovered(own, host) {
			continue
		}
		own = append(own, host)
		edits = append(edits, settings.Append(path, settings.String(host)))
		s.Opens = append(s.Opens, "commands may reach "+host+", in every project of yours")
	}
	return edits
}

// ignoredHosts says which hosts of the project no plain claude would reach once
// the user's settings are after.
func (p *proposer) ignoredHosts(s *report.Section, path string, after []byte) error {
	user, err := settings.Check(path, after)
	if err != nil {
		return err
	}
	later := []settings.ScopedDoc{{Scope: settings.User, Doc: user}}
	if p.policyAfter != nil && p.policyTo != "user" {
		later = append(later, settings.ScopedDoc{Scope: policyScope(p.policyTo), Doc: p.policyAfter})
	}
	voided := verify.IgnoredHosts(p.session().InForceWith(later...))
	if len(voided) == 0 {
		return nil
	}
	f := report.Finding{Check: "user-wiring", Layer: report.LayerSandbox, Status: report.Warn,
		Summary: verify.CountVoided(len(voided)) + " blocked in plain claude: strictAllowlist uses your user settings only",
		Remedies: []report.Remedy{report.DocLink{Title: "add those that you want to sandbox.network.allowedDomains",
			Target: p.shown(path)}}}
	for _, c := range voided {
		f.Evidence = append(f.Evidence, report.FileEvidence(c.Where(), c.Value.Text+" does not count: "+c.Ignored))
	}
	s.Findings = append(s.Findings, f)
	return nil
}
