// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a hook is given, how it is wired, and what it may
// answer. Source: the hooks reference (code.claude.com, October 2026); each was
// seen with 2.1.324 to 2.1.332.

package claude

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// The members of what a hook reads: the event, the session, and of a call its
// tool, what that was asked and what it answered, with how long it took (ms).
const (
	InputEvent    = "hook_event_name"
	InputSession  = "session_id"
	InputCwd      = "cwd"
	InputTool     = "tool_name"
	InputCall     = "tool_input"
	InputResponse = "tool_response"
	InputDuration = "duration_ms"
	InputError    = "error"
)

// HookAnswer is what a hook prints: what it says to the runtime of its event,
// and a line for the user.
type HookAnswer struct {
	Output  HookOutput `json:"hookSpecificOutput"`
	Message string     `json:"systemMessage,omitempty"`
}

// HookOutput is the answer to an event: Decision is Allow, Ask or Deny, with
// its reason for the user, Context is for the model.
type HookOutput struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
	Context  string `json:"additionalContext,omitempty"`
}

// HookEvents are the events of 2.1.332; an older or newer runtime may differ, which costs
// no more than a hook that does not run. Hooks of every event run outside the sandbox.
var HookEvents = strings.Fields(`PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification
	UserPromptSubmit UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop
	PreCompact PostCompact PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle
	TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove
	InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay PreSkillShellCommand`)

// GuardEvents are those whose hooks may refuse a call, the last since 2.1.332: the runtime
// ignores a file of settings in which one of them cannot be loaded.
var GuardEvents = []string{PreToolUse, PermissionRequest, "PreSkillShellCommand"}

// toldEvents are the events whose hooks tell the model what they print: the start, a
// prompt, a command that the user types, a compaction; and the monitors of plugins.
var toldEvents = []string{SessionStart, UserPromptSubmit, "UserPromptExpansion", "PreCompact", PluginMonitors}

// telling is what a hook of any other event says to reach the model: its errors, if it
// refuses, and in JSON a context or the reason of a refusal.
var telling = lazy.Regexp(`(?s)\bexit\s+2\b|\b(additionalContext|permissionDecisionReason)\b|\bdecision\b.*\bblock\b`)

// Tells says whether a hook of an event, with these words, tells the model what it
// prints; event is PluginMonitors for a monitor, "" for what is none. Measured with
// 2.1.330 in settings, plugins, skills and agents of the user's own.
func Tells(event, words string) bool {
	return slices.Contains(toldEvents, event) || event != "" && telling().MatchString(words)
}

// CommandHook is the value of KeyHooks, as JSON that is YAML too, for one hook
// that runs a command whatever its event is about.
func CommandHook(event, command string) string {
	return fmt.Sprintf(`{%s: [{"hooks": [{"type": "command", "command": %s}]}]}`, jsonString(event), jsonString(command))
}

// Refusal is the answer of a PermissionRequest hook that refuses the call in
// place of the dialog, and tells the model why.
func Refusal(message string) string {
	return fmt.Sprintf(`{"hookSpecificOutput":{"hookEventName":%q,"decision":{"behavior":"deny","message":%s}}}`,
		PermissionRequest, jsonString(message))
}

// jsonString is a text as a string of JSON.
func jsonString(text string) string {
	b, _ := json.Marshal(text) // a string always encodes
	return string(b)
}
