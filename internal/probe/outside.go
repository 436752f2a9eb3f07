// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is denied in the home is denied outside of it too:
// secrets that programs keep in /run/user and /tmp.

package probe

import (
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
)

// OutsidePrefix begins the IDs of the probes of outside.
const OutsidePrefix = "outside:"

// outside asks for the canaries outside of the home, in one call.
func (f Inputs) outside() []Probe {
	words := []string{rehearsal.ToolRead}
	for _, c := range f.Outside {
		words = append(words, c.Path)
	}
	var list []Probe
	for _, c := range f.Outside {
		list = append(list, Probe{ID: OutsidePrefix + c.Path, Title: "reads " + c.Path + ", unseen by rules",
			Call:  model.Bash(rehearsal.Tool(words...)),
			Below: Filesystem, Opaque: true, Subject: c.Path, Through: Through{Reply: c.Nonce}, Neighbour: ControlCommand,
			Exposed: f.Exposed(c.Path)})
	}
	return list
}
