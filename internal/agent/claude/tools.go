// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a name that no version had is not in the list, and one
// that an older version had stays.

package claude

// Tools are the names that rules have for the runtime's own tools: those that
// the init event of 2.1.329 lists, those that a terminal or a setting adds,
// and those of older versions, whose rules are still read.
var Tools = []string{
	"Agent", "AskUserQuestion", "Bash", "BashOutput", "Cd", "CronCreate", "CronDelete", "CronList", "DesignSync", "Edit",
	"EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "KillBash", "KillShell", "LS", "LSP",
	"ListAgents",
	"ListMcpResourcesTool", "Monitor", "MultiEdit", "NotebookEdit", "NotebookRead", "PowerShell", "Read",
	"ReadMcpResourceDirTool", "ReadMcpResourceTool",
	"ReportFindings", "ScheduleWakeup", "SendMessage", "Skill", "SlashCommand", "Task", "TaskCreate", "TaskGet",
	"TaskList", "TaskOutput",
	"TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TodoRead", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch",
	"Workflow", "Write",
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
)

// PathTools are the tools of any version whose rules hold a path, and
// PatternTools those that 2.1.329 matches as one: a rule of theirs with ":*" is
// skipped (measured).
var (
	PathTools    = []string{"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS"}
	PatternTools = []string{"Read", "Write", "Edit", "Glob", "NotebookRead", "NotebookEdit", "Cd"}
)

// BypassInput is the member of a Bash call's input that asks to run it outside
// the sandbox.
const BypassInput = "dangerouslyDisableSandbox"
