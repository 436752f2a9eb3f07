// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: that a line defines claude-iso says nothing if another one
// has the last word.

package verify

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// overridden turns a finding that says claude-iso is defined, where the rc
// files take it away again, or define it as something else. An alias is in
// front of a function wherever it stands (bash(1), zshmisc(1)).
func overridden(f *report.Finding, sh Shell, home string) {
	say := func(status report.Status, d shellrc.Def, summary string) {
		if worse(f.Status, status) != f.Status {
			f.Status, f.Summary = status, summary
		}
		f.Evidence = append(f.Evidence, report.FileEvidence(d.Where(), summary))
		f.Remedies = append(f.Remedies, report.DocLink{Title: "remove the line, or put it where it does no harm",
			Target: d.Where()})
	}
	for _, d := range sh.Undone {
		switch {
		case d.Name != "claude-iso":
			say(report.Fail, d, notDefined+d.Value+" ends the rc file before the line that sources it")
		case d.Value != "":
			say(report.Fail, d, notDefined+d.Value+" removes it again")
		default:
			say(report.Warn, d, ownFunction)
		}
	}
	for _, d := range sh.Instead {
		if d.Value == "" || startsIso(d, home) != "" {
			continue
		}
		words := shell.Words(d.Value, home)
		if len(words) > 0 && filepath.Base(words[0]) == "claude" {
			say(report.Fail, d, "claude-iso is an alias that starts plain claude")
			continue
		}
		say(report.Warn, d, ownAlias)
	}
}
