// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the throwaway home has what real homes have of the runtime.

package setup

import (
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/sample"
)

// Sample is what a throwaway home has of it: settings formatted by hand, with hooks of
// the user's own, since that is what a merge meets in real homes.
var Sample = sample.Agent{Ignored: claude.Dir + "/" + claude.LocalSettingsFile, Settings: `{
    "model": "opus",
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [ { "type": "command", "command": "~/bin/log-command" } ] }
        ],
        "Stop": [
            { "hooks": [ { "type": "command", "command": "notify-send done" } ] }
        ]
    },
    "env": { "EDITOR": "vim" }
}
`}
