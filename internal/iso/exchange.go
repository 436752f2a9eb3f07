// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: instructions that the launch has the runtime read are
// those that were looked through. The runtime reads them again after /clear and
// /compact, so that no command may put another file in their place by then.

package iso

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
)

// externalKey is what the runtime keeps, per project, of the user's yes to
// imports from outside the project.
const externalKey = "hasClaudeMdExternalIncludesApproved"

// keepInstructions decides whether the project's instructions are read, and
// which of their files commands may then not write: those that are there, and
// the names at which a command could put one.
func (l *Launch) keepInstructions(h host.Reader) {
	root := l.Place.Root
	there, leads := Instructions(h, root, "", []string{root}, false)
	if l.Leads = leads; !there || len(leads) > 0 {
		return
	}
	blocked := l.Policy.doc != nil && l.Policy.doc.Get(claude.KeyBlockReads...).True() ||
		l.users.doc != nil && l.users.doc.Get(claude.KeyBlockReads...).True()
	if !blocked {
		if l.Leads = l.exchangeable(h); len(l.Leads) > 0 {
			return
		}
		for _, name := range claude.Reread {
			l.kept = append(l.kept, filepath.Join(root, name))
		}
	}
	l.Instructions = true
}

// exchangeable are the places at which a command could have other instructions
// read, although it may not write the files: it can remove a symlink, and add
// an import to a rule where the user has allowed those from outside.
func (l *Launch) exchangeable(h host.Reader) (leads []Lead) {
	real := host.Real(h, l.Place.Root)
	for _, name := range claude.Reread {
		path := filepath.Join(l.Place.Root, name)
		if to, err := h.Resolve(path); err == nil && to != filepath.Join(real, name) {
			leads = append(leads, Lead{File: path, Where: path, To: to, Loose: true})
		}
	}
	var own struct {
		Projects map[string]map[string]any `json:"projects"`
	}
	state := inforce.StateFile(h)
	b, err := h.Read(state)
	if err != nil && !missing(err) {
		return append(leads, Lead{File: state, Where: state, Unread: true})
	}
	_ = json.Unmarshal(b, &own) // the runtime starts anew with a file that it cannot read
	for _, dir := range slices.Compact([]string{l.Place.Root, l.Place.Main}) {
		if own.Projects[dir][externalKey] == true {
			leads = append(leads, Lead{File: state, Where: state, To: dir, Allows: true})
		}
	}
	return leads
}
