// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the rooms that look at the machine have to know of the
// runtime. CLAUDECODE is set in every command of it, SANDBOX_RUNTIME in sandboxed
// ones; the place of managed settings is that of 2.1.329 (measured).

package claude

import "github.com/steward-setup/steward-setup/internal/host/env"

func init() {
	env.Add(env.Agent{Name: Name, Dir: Dir, Variable: ConfigDirVariable, Repository: ".claude-config",
		Settings: SettingsFile, Managed: managed, Session: "CLAUDECODE", Sandboxed: "SANDBOX_RUNTIME",
		Temporary: Temporary, Helpers: Helpers})
}

// Name is the runtime's among the agents, Program that of its executable.
const (
	Name    = "claude-code"
	Program = "claude"
)

// managed is the place of managed settings.
func managed(goos string) string {
	if goos == "darwin" {
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	}
	return "/etc/claude-code/managed-settings.json"
}
