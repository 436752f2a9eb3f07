// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the words of the runtime that other packages compare with:
// lists of rules, permission modes, events of hooks, and the variables that it
// reads. Those without a source of their own are in the settings reference
// and the hooks reference (code.claude.com, October 2026), and in the binaries
// of 2.1.324 to 2.1.330.

package claude

// The lists of permission rules; a hook answers a call with the same words. The
// mode of a credential is Deny or Mask.
const (
	Allow = "allow"
	Ask   = "ask"
	Deny  = "deny"
	Mask  = "mask"
)

// Disable is the one value of the keys that switch a permission mode off.
const Disable = "disable"

// The values of KeyDefaultMode, and of the key permissionMode of an agent.
const (
	ModeDefault     = "default"
	ModeAcceptEdits = "acceptEdits"
	ModeAuto        = "auto"
	ModeBypass      = "bypassPermissions"
	ModePlan        = "plan"
)

// AsksNothing says whether a permission mode approves calls in the user's place.
func AsksNothing(mode string) bool { return mode == ModeBypass || mode == ModeAuto }

// The events whose hooks are wired, provoked or judged by their name. A
// command that fails fires PostToolUseFailure only (measured with 2.1.329).
const (
	PreToolUse         = "PreToolUse"
	PostToolUse        = "PostToolUse"
	PostToolUseFailure = "PostToolUseFailure"
	PermissionRequest  = "PermissionRequest"
	SessionStart       = "SessionStart"
	UserPromptSubmit   = "UserPromptSubmit"
	CwdChanged         = "CwdChanged"
)

// The runtime's own variables. ConfigDirVariable names its directory, ~/.claude
// if it is not set; the first two lead requests and log in. ProjectDirVariable,
// PIDVariable and EnvFileVariable are what hooks and the status line get, and
// TokenVariable never reaches a command, also without a sandbox (measured with
// 2.1.329). NoMarketplaceVariable keeps a session on a terminal from installing
// the vendor's list of plugins.
const (
	AddressVariable       = "ANTHROPIC_BASE_URL"
	KeyVariable           = "ANTHROPIC_API_KEY"
	TokenVariable         = "CLAUDE_CODE_OAUTH_TOKEN"
	ConfigDirVariable     = "CLAUDE_CONFIG_DIR"
	ProjectDirVariable    = "CLAUDE_PROJECT_DIR"
	EnvFileVariable       = "CLAUDE_ENV_FILE"
	PIDVariable           = "CLAUDE_PID"
	ShellVariable         = "CLAUDE_CODE_SHELL"
	TemporaryVariable     = "CLAUDE_CODE_TMPDIR"
	ScrubVariable         = "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"
	QuietVariable         = "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"
	InstructionsVariable  = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"
	NoMarketplaceVariable = "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL"
)

// MemoryVariables name the directory of KeyAutoMemoryDirectory too, the first
// before the key (measured with 2.1.329), the second by the runtime's own
// description.
var MemoryVariables = []string{"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "CLAUDE_CODE_REMOTE_MEMORY_DIR"}
