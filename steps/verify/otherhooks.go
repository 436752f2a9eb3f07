// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a rehearsal leaves out is said, since it may decide
// about a call that the rehearsal saw getting through.

package verify

import (
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// OtherHooks lists the hooks of a session that starts in start which run before
// a Bash call, and may block it, but for the setup's own. No session of a
// rehearsal of the policy runs them (rehearsal.Policy).
func OtherHooks(r host.Reader, start string) []report.Evidence {
	var list []report.Evidence
	for _, layer := range SessionAt(r, start).Layers {
		for _, h := range layer.Doc.HooksOn(claude.PreToolUse) {
			command, _ := h.Entry.Command()
			if ours, _, _ := leadsTo(r, h.Entry, Wires[0].Script); ours || command == nil || !matchesBash(h.Matcher()) {
				continue
			}
			list = append(list, report.FileEvidence(layer.Doc.Where(command), redact.Command(text(command))))
		}
	}
	return list
}
