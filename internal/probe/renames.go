// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path that cannot be written may still be moved out of
// the way: whether it can is asked of the directory that holds it.

package probe

import (
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
)

// Renames asks whether a command can put directories of its own in the place
// of those that the next start reads settings, hooks and skills from (2.1.329
// keeps it from that, measured).
func (f Inputs) Renames() []Probe {
	names := []string{".claude"}
	if f.Git != "" || f.Linked {
		names = append(names, ".git")
	}
	var list []Probe
	for _, name := range names {
		path := f.in(name)
		list = append(list, Probe{ID: "rename:" + name, Title: "puts a " + name + " of its own in the place of the project's",
			Below: Filesystem, Opaque: true, Subject: path,
			Call: model.Bash(rehearsal.Tool(rehearsal.ToolSwap, path)), Through: Through{Reply: rehearsal.Replaced},
			Neighbour: ControlCommand, Turn: lastTurn})
	}
	return list
}
