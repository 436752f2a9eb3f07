// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the settings that run a program, load one, or decide where
// requests and logins go. Sources: descriptions in the schema of 2.1.329; what
// runs was measured with 2.1.329 (internal/agent/claude/iso, TestProjectCodeRuns).

package claude

var programKeys = []Key{
	{Path: "apiKeyHelper", Class: Runs, Program: true, Effect: "is run for a key"},
	{Path: "proxyAuthHelper", Class: Runs, Program: true, Effect: "is run for the proxy's password"},
	{Path: "awsCredentialExport", Class: Runs, Program: true, Effect: "is run for AWS credentials"},
	{Path: "awsAuthRefresh", Class: Runs, Program: true, Effect: "is run to log in to AWS"},
	{Path: "gcpAuthRefresh", Class: Runs, Program: true, Effect: "is run to log in to Google Cloud"},
	{Path: "otelHeadersHelper", Class: Runs, Program: true, Effect: "is run for the headers of telemetry"},
	{Path: "processWrapper", Class: Runs, Program: true, Effect: "is put in front of what the agent starts", From: User},
	{Path: "policyHelper", Class: Runs, Program: true, Effect: "is run for settings", From: Managed},
	{Path: "policyHelpers", Class: Runs, Program: true, Effect: "are run for settings", From: Managed},
	{Path: "sshHostCommands", Class: Runs, Effect: "are run by the desktop app for a host", From: User},
	{Path: "fileSuggestion", Class: Runs, Program: true, Effect: "is run when a file name is completed"},
	{Path: "fileSuggestion.command", Class: Runs, Effect: "is that command"},
	{Path: "statusLine", Class: Runs, Effect: "is run for the footer, and takes the place of yours"},
	{Path: "statusLine.command", Class: Runs, Effect: "is that command"},
	{Path: "subagentStatusLine", Class: Runs, Effect: "is run for each subagent in the agent panel"},
	{Path: "subagentStatusLine.command", Class: Runs, Effect: "is that command"},
	{Path: "hooks", Class: Runs, Effect: "are run on events of the session"},
	{Path: "env", Class: Runs, Effect: "sets variables for what runs outside the sandbox"},
	{Path: "enableAllProjectMcpServers", Class: Runs, Effect: "starts every server of .mcp.json without a prompt"},
	{Path: "enabledMcpjsonServers", Class: Runs, Effect: "starts these servers of .mcp.json without a prompt"},
	{Path: "enabledPlugins", Class: Runs, Effect: "loads plugins, whose hooks and servers run outside the sandbox"},
	{Path: "extraKnownMarketplaces", Class: Runs, Effect: "adds places from which plugins come"},
	{Path: "additionalMarketplaces", Class: Runs, Effect: "adds places from which plugins come"},
	{Path: "prependPlugins", Class: Runs, Effect: "runs the hooks of these plugins first", From: User},
	{Path: "appendPlugins", Class: Runs, Effect: "runs the hooks of these plugins last", From: User},
	{Path: "managedMcpServers", Class: Runs, Effect: "adds MCP servers of the organisation", From: Managed},
	{Path: "pluginConfigs", Class: Redirects, Effect: "sets options that your plugins and their servers start with",
		Map: true},
	{Path: "pluginConfigs.mcpServers", Class: Redirects, Effect: "sets options of a plugin's MCP servers"},
	{Path: "pluginConfigs.options", Class: Redirects, Effect: "sets options of a plugin"},
	{Path: "additionalDirectoryConfigRoots", Class: Runs, Effect: "loads skills, agents and plugins of another checkout",
		From: Managed},
	{Path: "modelOverrides", Class: Redirects, Effect: "sends requests to a provider's model of this name"},
	{Path: "xaaIdp", Class: Redirects, Effect: "names the login server for MCP servers"},
	{Path: "xaaIdp.issuer", Class: Redirects, Effect: "is that server"},
	{Path: "forceLoginGatewayUrl", Class: Redirects, Effect: "is the gateway to log in to", From: User},
	{Path: "gatewayInternalNetworks", Class: Redirects, Effect: "lets a login reach a gateway in these networks",
		From: Managed},
	{Path: "modelCatalogUrl", Class: Redirects, Effect: "asks another server which models there are", From: Managed},
	{Path: "modelCatalogPublicKey", Class: Redirects, Effect: "is the key that such a list is signed with", From: Managed},
	{Path: "autoUploadSessions", Class: Redirects, Effect: "copies sessions to claude.ai"},
	{Path: "sshConfigs", Class: Redirects, Effect: "adds hosts that the desktop app connects to"},
	{Path: "sshConfigs.sshHost", Class: Redirects, Effect: "is the host"},
	{Path: "sshConfigs.sshIdentityFile", Class: Redirects, Effect: "is the key that is used"},
}

// Helpers are the settings whose whole value is a command line that prints a
// credential (the runtime's settings reference, 2.1.329).
var Helpers = []string{"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper",
	"proxyAuthHelper"}
