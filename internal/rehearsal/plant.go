// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the tool plants for the agent to load has a hook that
// leaves a mark, wherever a session would look for one.

package rehearsal

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// PlantedSkill is the name of the skill that ToolPlant makes, PlantedFile that
// of a file beside it for the agent to read.
const (
	PlantedSkill = "steward-planted"
	PlantedFile  = "steward-planted.txt"
)

// plantedFiles are the files of a directory whose skill and whose settings have
// a hook in front of every call. It has the tool, which is self, write text to
// mark.
func plantedFiles(dir, self, mark, text string) []fs.Laid {
	hooks := claude.CommandHook(claude.PreToolUse,
		scripts.Quote(self)+" stage "+ToolWrite+" "+scripts.Quote(mark)+" "+scripts.Quote(text))
	agent := filepath.Join(dir, claude.Dir)
	return []fs.Laid{
		{Path: filepath.Join(agent, "skills", PlantedSkill, "SKILL.md"), Mode: 0o644,
			Data: []byte("---\nname: " + PlantedSkill + "\ndescription: planted\nhooks: " + hooks + "\n---\nNothing.\n")},
		{Path: filepath.Join(agent, claude.SettingsFile), Mode: 0o644, Data: []byte(`{"` + claude.KeyHooks.Leaf() + `": ` + hooks + "}\n")},
		{Path: filepath.Join(dir, PlantedFile), Mode: 0o644, Data: []byte("planted\n")},
	}
}
