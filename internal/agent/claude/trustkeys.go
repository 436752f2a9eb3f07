// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the settings that answer a question for the user, let
// others into the session, or take protection away; and beside them those that
// add some. Sources: descriptions in the schema of 2.1.329.

package claude

var trustKeys = []Key{
	{Path: "skipDangerousModePermissionPrompt", Class: Opens, Effect: "accepts bypassPermissions mode for you"},
	{Path: "skipAutoPermissionPrompt", Class: Opens, Effect: "accepts auto mode for you"},
	{Path: "skipWorkflowUsageWarning", Class: Opens, Effect: "accepts workflows for you"},
	{Path: "skipWebFetchPreflight", Class: Opens, Effect: "fetches pages without the blocklist check"},
	{Path: "useAutoModeDuringPlan", Class: Opens, Effect: "lets a classifier approve calls in plan mode"},
	{Path: "autoMode", Class: Opens, Effect: "tells the classifier of auto mode what to approve"},
	{Path: "autoMode.allow", Class: Opens, Effect: "names what the classifier approves"},
	{Path: "autoMode.environment", Class: Opens, Effect: "tells the classifier what to trust"},
	{Path: "autoMode.soft_deny", Class: Opens, Effect: "replaces what the classifier asks about"},
	{Path: "autoMode.hard_deny", Class: Opens, Effect: "replaces what the classifier refuses"},
	{Path: "autoMode.classifyAllShell", Class: Protects, Effect: "sends every command to the classifier"},
	{Path: "crossSessionInbound", Class: Opens, Effect: "lets other sessions instruct this one", Only: "accept"},
	{Path: "remoteControlAtStartup", Class: Opens, Effect: "lets claude.ai control the session from its start"},
	{Path: "remoteControl", Class: Opens, Effect: "decides what claude.ai is told about this machine", From: User},
	{Path: "remoteControl.shareHostProfile", Class: Opens, Effect: "decides what claude.ai is told about this machine", From: User},
	{Path: "remoteTools", Class: Opens, Effect: "lets cloud sessions run commands here"},
	{Path: "remoteTools.allowUnattendedServing", Class: Opens, Effect: "lets cloud sessions run commands here unasked"},
	{Path: "channelsEnabled", Class: Opens, Effect: "lets MCP servers push messages into the session"},
	{Path: "allowedChannelPlugins", Class: Opens, Effect: "names plugins that may push messages into the session"},
	{Path: "allowedChannelPlugins.marketplace", Class: Opens, Effect: "is the marketplace of such a plugin"},
	{Path: "allowedChannelPlugins.plugin", Class: Opens, Effect: "is the name of such a plugin"},
	{Path: "allowedHttpHookUrls", Class: Opens, Effect: "adds addresses that hooks may send to"},
	{Path: "httpHookAllowedEnvVars", Class: Opens, Effect: "adds variables that hooks may send"},
	{Path: "allowedMcpServers", Class: Opens, Effect: "adds MCP servers that may be used"},
	{Path: "modelProposedGoals", Class: Opens, Effect: "lets the model set its own goals unasked", From: User},
	{Path: "askUserQuestionTimeout", Class: Opens, Effect: "answers questions for you after a while", From: User},
	{Path: "autoMemoryDirectory", Class: Opens, Effect: "reads and writes notes for the model in this directory"},
	{Path: "disableAllHooks", Class: Opens, Effect: "switches off all hooks, yours too"},
	{Path: "allowClaudeInChromeWithManagedMcp", Class: Opens, Effect: "lets the browser's server run beside managed ones", From: Managed},
	{Path: "allowAllClaudeAiMcps", Class: Opens, Effect: "loads claude.ai connectors beside managed servers", From: Managed},
	{Path: "allowNestedModelAccessUnderForceLogin", Class: Opens, Effect: "lends a runner's login to commands", From: Managed, Since: "2.1.329"},
	{Path: "wslInheritsWindowsSettings", Class: Opens, Effect: "takes policy from Windows in WSL", From: Managed},

	{Path: "disableAutoMode", Class: Protects, Effect: "refuses auto mode"},
	{Path: "disableSkillShellExecution", Class: Protects, Effect: "does not run commands written into skills"},
	{Path: "disableWorkflows", Class: Protects, Effect: "switches workflows off"},
	{Path: "disableBundledSkills", Class: Protects, Effect: "switches bundled skills off"},
	{Path: "disableClaudeAiConnectors", Class: Protects, Effect: "loads no connectors of claude.ai"},
	{Path: "disableRemoteControl", Class: Protects, Effect: "refuses remote control"},
	{Path: "disableAgentView", Class: Protects, Effect: "starts no background agents"},
	{Path: "disableArtifact", Class: Protects, Effect: "publishes no artifacts"},
	{Path: "disableDeepLinkRegistration", Class: Protects, Effect: "registers no links that start the agent"},
	{Path: "disabledMcpjsonServers", Class: Protects, Effect: "refuses these servers of .mcp.json"},
	{Path: "deniedMcpServers", Class: Protects, Effect: "refuses these MCP servers"},
	{Path: "isolatePeerMachines", Class: Protects, Effect: "asks before a message goes to another machine"},
	{Path: "fileCheckpointingEnabled", Class: Protects, Effect: "keeps files before edits"},
	{Path: "skillOverrides", Class: Harmless, Effect: "lists skills or hides them"},
	{Path: "enableArtifact", Class: Harmless, Effect: "switches artifacts on; a project can only switch them off"},
	{Path: "syncClaudeAiSkills", Class: Harmless, Effect: "switches off skills of claude.ai", From: User},
	{Path: "syncClaudeAiPlugins", Class: Harmless, Effect: "switches off plugins of claude.ai", From: User},
	{Path: "dialogExpiry", Class: Harmless, Effect: "ends a remote dialog with no", From: User},
	{Path: "claudeMdExcludes", Class: Harmless, Effect: "leaves out instructions for the model"},
}
