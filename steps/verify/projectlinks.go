// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: instructions for the agent that are a symlink are what
// they lead to, and bring along what they import. A plain session puts that
// into the conversation outside the sandbox, whatever the sandbox hides
// (measured with 2.1.141, 2.1.224 and 2.1.329). A Read rule against it holds
// from 2.1.324 on, and not in a subdirectory.

package verify

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/report"
)

// ofInstructions takes the instructions that the runtime would read in a
// session in start: those of each directory up to the root of the work tree.
// Of .claude/rules, 2.1.141 follows symlinks and 2.1.329 does not.
func (b *brought) ofInstructions(r host.Reader, start string) (unread []report.Evidence) {
	tree := inforce.FindTree(r, start)
	if tree.Root == "" {
		tree.Root = start
	}
	dirs := []string{start}
	for dir := start; dir != tree.Root && dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	_, leads := iso.Instructions(r, tree.Root, tree.Main, dirs, true)
	for _, l := range leads {
		const plainly = ": a plain session sends it to the model, outside the sandbox"
		switch {
		case l.Unread:
			unread = append(unread, report.FileEvidence(l.Where, l.String()))
		case l.Credential != "":
			b.ofLead(l, l.String()+plainly)
		case l.Import:
			b.ofOutside(l, l.String()+plainly+", once external imports are allowed")
		default:
			b.ofOutside(l, l.String()+plainly)
		}
	}
	return unread
}

// ofLead takes instructions that lead to credentials.
func (b *brought) ofLead(l iso.Lead, why string) {
	if !l.Import {
		b.ofLink(l.File, why)
	} else if b.add(report.FileEvidence(l.Where, why)) {
		b.links = append(b.links, filepath.Base(l.File))
		b.remedies = append(b.remedies, report.DocLink{Title: "remove the import", Target: l.Where})
	}
}

// ofOutside takes instructions that lead out of the project.
func (b *brought) ofOutside(l iso.Lead, why string) {
	if b.add(report.FileEvidence(l.Where, why)) {
		b.outside = append(b.outside, filepath.Base(l.File))
		b.remedies = append(b.remedies, report.DocLink{Title: "check where it leads, or remove it", Target: l.Where})
	}
}
