// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the settings that mean something in managed settings
// alone. Sources: descriptions in the schema of 2.1.329.

package claude

var policyKeys = []Key{
	{Path: "allowManagedHooksOnly", Class: Protects, Effect: "runs managed hooks only", From: Managed},
	{Path: "allowManagedMcpServersOnly", Class: Protects,
		Effect: "reads the list of MCP servers from managed settings only", From: Managed},
	{Path: "allowManagedPermissionRulesOnly", Class: Protects, Effect: "heeds managed rules only", From: Managed},
	{Path: "allowedMarketplaces", Class: Protects, Effect: "restricts marketplaces", From: Managed},
	{Path: "strictKnownMarketplaces", Class: Protects, Effect: "restricts marketplaces", From: Managed},
	{Path: "blockedMarketplaces", Class: Protects, Effect: "refuses marketplaces", From: Managed},
	{Path: "strictPluginOnlyCustomization", Class: Protects, Effect: "refuses what does not come by a plugin",
		From: Managed},
	{Path: "disableSideloadFlags", Class: Protects, Effect: "refuses flags that load plugins and servers", From: Managed},
	{Path: "disableCommandPluginSources", Class: Protects, Effect: "refuses plugins that a command makes", From: Managed},
	{Path: "pluginSuggestionMarketplaces", Class: Harmless, Effect: "names marketplaces that may be suggested",
		From: Managed},
	{Path: "pluginTrustMessage", Class: Harmless, Effect: "is shown before a plugin is installed", From: Managed},
	{Path: "allowedProviders", Class: Protects, Effect: "restricts providers", From: Managed},
	{Path: "availableModels", Class: Protects, Effect: "restricts models"},
	{Path: "availableModelsMatch", Class: Protects, Effect: "says how models are restricted", From: Managed},
	{Path: "enforceAvailableModels", Class: Protects, Effect: "restricts the default model"},
	{Path: "deniedModels", Class: Protects, Effect: "refuses models", From: Managed},
	{Path: "forceLoginMethod", Class: Protects, Effect: "restricts logins"},
	{Path: "forceLoginOrgUUID", Class: Protects, Effect: "restricts logins to an organisation"},
	{Path: "forceRemoteSettingsRefresh", Class: Protects, Effect: "starts with fresh remote settings only"},
	{Path: "parentSettingsBehavior", Class: Harmless, Effect: "says how managed settings are combined", From: Managed},
	{Path: "managedSourcesBehavior", Class: Harmless, Effect: "says how managed settings are combined", From: Managed},
	{Path: "requiredMinimumVersion", Class: Protects, Effect: "refuses older versions", From: Managed},
	{Path: "requiredMaximumVersion", Class: Protects, Effect: "refuses newer versions", From: Managed},
	{Path: "claudeMd", Class: Harmless, Effect: "is text for the model", From: Managed},
	{Path: "attributionProjectPolicy", Class: Harmless, Effect: "names a project in usage reports", From: Managed},
	{Path: "modelPricing", Class: Harmless, Effect: "sets prices that are shown", From: Managed},
	{Path: "modelPricing.multiplier", Class: Harmless, Effect: "sets prices that are shown", From: Managed},
	{Path: "modelPricing.overrides", Class: Harmless, Effect: "sets prices that are shown", From: Managed},
	{Path: "desktopMcpServersListScope", Class: Harmless, Effect: "says where lists of servers apply in the desktop app",
		From: Managed, Since: "2.1.329"},
	{Path: "disableWindowsBashCommandSplit", Class: Protects, Effect: "keeps commands whole on Windows", From: Managed},
}
