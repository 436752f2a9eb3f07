// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule that was meant to deny or to ask, and that the
// runtime skips without a word, is named.

package verify

import (
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// skippedRules lists the deny and ask rules that have no effect.
func skippedRules(s Session) (found []opening) {
	for _, l := range s.Layers {
		for _, p := range settings.Problems(l.Doc) {
			if len(p.Path) != 3 || p.Path[0] != "permissions" || p.Path[1] == "allow" {
				continue
			}
			v := l.Doc.Get(p.Path...)
			found = append(found, opening{status: report.Warn, where: l.Doc.Where(v), path: p.Path, what: `"` + v.Text + `"`,
				opens: "It has no effect, and Claude Code skips it: " + p.Message + "."})
		}
	}
	return found
}
