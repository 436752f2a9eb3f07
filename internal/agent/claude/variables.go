// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a variable is harmless only if it is known to be. Sources:
// locale(7), tzset(3), no-color.org; the runtime's own: its settings reference,
// and its binary (2.1.329 and 2.1.324), which names each of them.

package claude

import (
	"path"
	"slices"
)

// StayVariable puts the agent's working directory back after every command.
// Hooks run in that directory: left where a command changed to, they would run
// what a repository configures that the command made there (measured with
// 2.1.329; the binaries of 2.1.141 and 2.1.324 name it).
const StayVariable = "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"

// plainVariables choose words, colours and time zones (of any program).
var plainVariables = []string{"LANG", "LC_*", "TZ", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "CI"}

// ownVariables are the runtime's own that choose waiting times, lengths, models,
// tools that can be searched, agents in a team, or what is not sent or updated.
var ownVariables = []string{
	"BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS", "BASH_MAX_OUTPUT_LENGTH", "MCP_TIMEOUT", "MCP_TOOL_TIMEOUT", "MAX_MCP_OUTPUT_TOKENS",
	"MAX_THINKING_TOKENS", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "CLAUDE_CODE_DISABLE_TERMINAL_TITLE",
	"DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_AUTOUPDATER", "DISABLE_INSTALLATION_CHECKS", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
	"ENABLE_TOOL_SEARCH", "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "CLAUDE_CODE_SUBAGENT_MODEL", StayVariable, MentionsVariable,
}

// HarmlessVariable says whether a variable decides nothing outside the sandbox.
// A name counts as it is written.
func HarmlessVariable(name string) bool {
	known := func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }
	return slices.ContainsFunc(plainVariables, known) || slices.Contains(ownVariables, name)
}

// OwnVariables lists the runtime's own variables that are known to be harmless.
func OwnVariables() []string { return slices.Clone(ownVariables) }
