// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether another session of the user's may instruct this one
// is said, and what closes it.

package verify

import (
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// instructed adds to the finding whether messages of other sessions reach the
// model: the agent of another project sends them without a prompt, from outside
// its sandbox, and unless claude.InboundKey says otherwise they are delivered
// (measured with 2.1.329). claude-iso holds them. A project's file does not count.
func instructed(r host.Reader, s SessionSettings, f report.Finding) report.Finding {
	where, said := r.Places().UserSettings(), " is not set"
	for _, l := range s.Layers {
		v := l.Doc.Get(claude.InboundKey)
		if v == nil || l.Scope == settings.Project || l.Scope == settings.Local {
			continue
		}
		if claude.HoldsInbound(v.Text) {
			f.Evidence = append(f.Evidence, report.FileEvidence(l.Doc.Where(v),
				"messages from other sessions are shown to you first: "+claude.InboundKey+" is "+v.Text))
			return f
		}
		where, said = l.Doc.Where(v), " delivers them"
		break
	}
	return wiredWorse(f, report.Warn, "other sessions can message the agent without a prompt", report.FileEvidence(where,
		claude.InboundKey+said+": what an agent of another project sends is a prompt here (SendMessage); hold shows it to "+
			"you first"), false)
}
