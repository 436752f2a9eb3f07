// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: approval holds for a hook's text and files, not for the
// directory that it runs in: a plain session runs the project's hooks where the
// agent last changed to; claude-iso runs them in the start directory.

package verify

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// ofMoves takes the approved hooks that depend on their working directory.
func (b *brought) ofMoves(g ground, layers []settings.ScopedDoc, items []iso.Item) {
	for _, l := range layers {
		if l.Scope != settings.Project && l.Scope != settings.Local {
			continue
		}
		for _, c := range commandsOf(l) {
			where := l.Doc.Where(c.command)
			approved := func(i iso.Item) bool { return i.Kind == iso.Hook && i.Allowed && i.Where == where }
			at := g.wanders(c.event)
			if at.moves == stays || !slices.ContainsFunc(items, approved) {
				continue
			}
			for _, u := range at.reach(c).Uses {
				o, yes := at.moving(u, c.what+" of the project", where)
				if yes && o.status == report.Fail && b.add(report.FileEvidence(where,
					"it is approved, but plain claude runs it in other directories: "+o.opens)) {
					b.changeable = append(b.changeable, u.By+" in other directories")
					b.remedies = append(b.remedies, inProject(where))
				}
			}
		}
	}
}
