// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: in print mode nobody can approve a plan, so that plan mode
// would refuse each edit by itself, and its denials would say nothing of what
// follows the plan: there a session is in the mode that follows.

package rehearsal

import (
	"encoding/json"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/fs"
)

// afterThePlan puts the default mode in the place of plan mode in every
// settings file; which file decides stays as it is. In plan mode 2.1.329
// answers "Cannot write to … while in plan mode" to the Write tool, whatever
// the rules say (measured).
func afterThePlan(files []fs.Laid) []fs.Laid {
	for i, f := range files {
		var all map[string]json.RawMessage
		var permissions map[string]any
		if json.Unmarshal(f.Data, &all) != nil || json.Unmarshal(all[claude.KeyPermissions.Leaf()], &permissions) != nil ||
			permissions[claude.KeyDefaultMode.Leaf()] != claude.ModePlan {
			continue
		}
		permissions[claude.KeyDefaultMode.Leaf()] = claude.ModeDefault
		text, err := json.Marshal(permissions)
		if err != nil {
			continue
		}
		all[claude.KeyPermissions.Leaf()] = text
		if out, err := json.Marshal(all); err == nil {
			files[i].Data = out
		}
	}
	return files
}
