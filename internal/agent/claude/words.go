// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the words of the runtime that other packages compare with:
// lists of rules, permission modes, events of hooks, and the variables that it
// reads. Those without a source of their own are in the settings reference
// and the hooks reference (code.claude.com, October 2026), and in the binaries
// of 2.1.324 to 2.1.330.

package claude

import (
	"slices"
	"strings"
)

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
	ModeDontAsk     = "dontAsk"
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
	PluginRootVariable    = "CLAUDE_PLUGIN_ROOT"
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

// Tools are the names that rules have for the runtime's own tools: those that
// the init event of 2.1.329 lists, those that a terminal, a setting or an account
// adds, and those of older versions, whose rules are still read.
var Tools = []string{
	"Agent", "Artifact", "AskUserQuestion", "Bash", "BashOutput", "Cd", "CronCreate", "CronDelete", "CronList",
	"DesignSync", "Edit", "EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep",
	"KillBash", "KillShell", "LS", "LSP", "ListAgents", "ListMcpResourcesTool", "Monitor", "MultiEdit",
	"NotebookEdit", "NotebookRead", "PowerShell", "Read", "ReadMcpResourceDirTool", "ReadMcpResourceTool",
	"RemoteTrigger", "ReportFindings", "ScheduleWakeup", "SendMessage", "Skill", "SlashCommand", "Task",
	"TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete",
	"TodoRead", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Workflow", "Write",
}

// The tools whose rules or calls are judged by their name.
const (
	ToolBash         = "Bash"
	ToolRead         = "Read"
	ToolEdit         = "Edit"
	ToolWrite        = "Write"
	ToolMultiEdit    = "MultiEdit"
	ToolNotebookEdit = "NotebookEdit"
	ToolWebFetch     = "WebFetch"
	ToolWebSearch    = "WebSearch"
	ToolSkill        = "Skill"
	ToolAgent        = "Agent"
	ToolMonitor      = "Monitor"
	ToolWorkflow     = "Workflow"
)

// ReadingSkills are the runtime's own skills that the agent can use by itself and whose text
// approves every Read until the turn ends (measured with 2.1.332 and 2.1.324:
// TestSkillsThatApproveReading). The third is there once the vendor switches it on (code of both).
func ReadingSkills() []string { return []string{"update-config", HelpsWithKeys, "claude-code-docs"} }

// ReadingTexts has those, too, that only the user starts.
func ReadingTexts() []string { return append(ReadingSkills(), "debug", SetsStatusLine) }

// SetsStatusLine is a command whose text approves every Read in the home, and that
// disableBundledSkills leaves there (2.1.330 and 2.1.332).
const SetsStatusLine = "statusline"

// HelpsWithKeys is a skill that nobody can type (code of 2.1.324 and 2.1.332).
const HelpsWithKeys = "keybindings-help"

// Overrides of a skill that nobody can use, and of one that only the user starts.
const (
	SkillOff   = "off"
	SkillTyped = "user-invocable-only"
)

// PathTools are the tools of any version whose rules hold a path, and
// PatternTools those that 2.1.329 matches as one: a rule of theirs with ":*" is
// skipped (measured).
var (
	PathTools    = []string{"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS"}
	PatternTools = []string{"Read", "Write", "Edit", "Glob", "NotebookRead", "NotebookEdit", "Cd"}
)

// AsksStatus are the arguments by which the runtime says what of its sandbox is in
// force.
var AsksStatus = []string{"sandbox", "status"}

// HostsInput is the member of a Bash call's input that names hosts which it is to
// reach besides.
const HostsInput = "allowed_domains"

// BypassInput is the member of a Bash call's input that asks to run it outside
// the sandbox.
const BypassInput = "dangerouslyDisableSandbox"

// SandboxCameLate says whether the answer to a sandboxed call is that the
// bridges of the sandbox's proxy did not come up. The runtime gives the two
// socats that it starts 0.6 s for that, which a loaded machine does not always
// keep (measured with 2.1.141, 2.1.324 and 2.1.329: a socat that sleeps first).
// A socat that fails has the same answer. From then on the session has no
// sandbox: the later versions run the next commands without it, unless
// sandbox.failIfUnavailable is true.
func SandboxCameLate(answer string) bool {
	return strings.Contains(answer, "Failed to create bridge sockets after") ||
		strings.Contains(answer, "Sandbox failed to initialize.")
}

// MentionsVariable keeps the runtime from attaching the files that a text
// names with @: the model gets their paths, and reads them with its tools, which
// the rules decide about. It came with 2.1.299 (release notes). Of the
// environment and of settings the runtime takes it, the settings first; in a
// project's settings it counts neither way (measured with 2.1.324 and 2.1.329;
// docs/adr/0015-no-attached-files.md).
const MentionsVariable = "CLAUDE_CODE_DISABLE_FILE_MENTIONS"

// CheckpointsVariable keeps the runtime from copying the files that the agent has edited,
// for /rewind: of one that a command has made a symlink it copies what that leads to, and
// puts it into the project (measured with 2.1.324 and 2.1.332;
// docs/adr/0028-no-copies-for-rewind.md). CheckpointsKey is the setting that does so on a
// terminal alone, with false.
const CheckpointsVariable, CheckpointsKey = "CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING", "fileCheckpointingEnabled"

// SwitchedOn says whether the value of a variable that is a switch switches it
// on.
func SwitchedOn(value string) bool {
	return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(value))
}
