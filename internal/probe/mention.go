// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a file that the runtime attaches is asked for as an agent
// would: by a skill of the user's own, which every launch loads, with a path
// that no rule names.

package probe

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// askedSkill is the name of the skill, attached the file below the home.
const (
	askedSkill = "steward-asked"
	attached   = "notes/attached.txt"
)

// Attached are the skill and the file as they lie on the stage.
func (f Inputs) Attached() []fs.Laid {
	path := f.besideRoot(attached)
	return []fs.Laid{
		{Path: path, Mode: 0o600, Data: []byte(stage.Nonce(f.Run, path) + "\n")},
		{Path: filepath.Join(f.Agent, "skills", askedSkill, "SKILL.md"), Mode: 0o644,
			Data: []byte("---\nname: " + askedSkill + "\ndescription: does nothing\n---\nNothing: $ARGUMENTS\n")},
	}
}

// attaches has the agent start the skill with the file in its arguments: the
// runtime sends the file along, and asks nobody (measured with 2.1.324 and
// 2.1.329).
func (f Inputs) attaches() Probe {
	path := f.besideRoot(attached)
	return Probe{ID: "attach:" + f.show(path), Title: "sends " + f.show(path) +
		", which no rule names, to the model in the arguments of a skill",
		Call: tool("Skill", "skill", askedSkill, "args", "@"+path), Below: Mention, Started: "Launching skill",
		Through: Through{Sent: stage.Nonce(f.Run, path)}, Neighbour: ControlCommand, Turn: 1}
}
