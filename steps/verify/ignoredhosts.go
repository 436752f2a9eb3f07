// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a host that a settings file allows and that no command
// reaches is named, with the setting that voids it.

package verify

import (
	"fmt"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

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

// InForceWith puts together what a session's settings are once each of later
// is in the place of its own document.
func (s SessionSettings) InForceWith(later ...settings.ScopedDoc) *settings.Effective {
	for _, l := range later {
		s = s.With(l.Scope, l.Doc)
	}
	return s.inForce()
}

// ignoredHosts warns of hosts that nobody reaches.
func (o *outlook) ignoredHosts(e *settings.Effective) {
	voided := IgnoredHosts(e)
	if len(voided) == 0 {
		return
	}
	o.warn(CountVoided(len(voided)) + " blocked: strictAllowlist uses your user settings only")
	o.evidence = append(o.evidence, voidedEvidence(voided)...)
	o.remedies = append(o.remedies, report.Command{ID: "voided-hosts", Line: "steward-setup install --plan",
		Optional: true,
		Why:      "add the policy's hosts to your user settings; name any other with --allow-host=HOST"})
}

// CountVoided is the subject of a sentence about hosts that do not count.
func CountVoided(n int) string {
	if n == 1 {
		return "1 host of the project is"
	}
	return fmt.Sprintf("%d hosts of the project are", n)
}

func voidedEvidence(voided []settings.Candidate) (list []report.Evidence) {
	for _, c := range voided {
		list = append(list, report.FileEvidence(c.Where(), c.Value.Text+" does not count: "+c.Ignored))
	}
	return list
}
