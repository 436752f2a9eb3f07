// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule that speaks of what a line does and does not match
// it is named, with the reason: who relies on it should know.

package access

import (
	"path"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// missed says which deny and ask rules speak of something that the line does
// and do not match it, where no rule as strict does.
func (c Line) missed(s *Start) (notes []report.Note) {
	told := map[string]bool{}
	tell := func(part, meant simple, why string) {
		for _, list := range []string{claude.Deny, claude.Ask} {
			if len(part.matching(s, list)) > 0 {
				return
			}
			for _, k := range meant.matching(s, list) {
				if !told[k.by.Where] {
					told[k.by.Where] = true
					notes = append(notes, report.Note{Text: k.by.Text +
						" is meant for this but does not match: " + why, Where: k.by.Where})
				}
			}
		}
	}
	var look func(parts []simple, depth int)
	look = func(parts []simple, depth int) {
		for _, p := range parts {
			if form, ok := p.plain(); ok {
				tell(p, simple{shell.Command{Words: strings.Fields(form)}}, "options come before the word that it expects, and "+
					"rules match from the left")
			}
			inner := p.handed(c.home)
			for _, h := range inner {
				tell(p, h, "the words are passed to "+path.Base(p.core()[0])+", and rules do not see what another program starts")
			}
			if depth < maxNested {
				look(inner, depth+1)
			}
		}
	}
	look(c.parts, 0)
	return notes
}
