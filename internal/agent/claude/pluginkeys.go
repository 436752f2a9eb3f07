// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the keys of a plugin's manifest, of a marketplace and of
// its entries. Sources: the schemas of 2.1.329 and 2.1.324; what runs was
// measured with both (internal/agent/claude/iso).

package claude

import "strings"

// ServersKey holds MCP servers: in .mcp.json, in the runtime's state, and in a
// plugin.
const ServersKey = "mcpServers"

// HeadersHelper is the key of a server, or of a plugin's entry, that names a
// program which prints headers.
const HeadersHelper = "headersHelper"

// BareNames is the key of a marketplace that names the directory, below the
// marketplace, in which a plugin whose source is a bare name lies.
var BareNames = KeyPath{"metadata", "pluginRoot"}

// PluginParts are the keys of a plugin's manifest below which commands are
// named; text there is the path of a file that holds them.
var PluginParts = []string{"hooks", ServersKey, "lspServers", PluginMonitors, "settings"}

// PluginExperimental holds such parts too; PluginMonitors may be a file that is
// a list alone.
const (
	PluginExperimental = "experimental"
	PluginMonitors     = "monitors"
)

// HookModules is the key of a file of a plugin's hooks that names code which is loaded
// into the agent, and WrittenMods where the agent writes such plugins for a session of its
// own, a directory for each (2.1.332).
const (
	HookModules = "modules"
	WrittenMods = "dev-mods"
)

// ModuleReaches are the parts of the engine by which such code starts programs, reads and
// writes files, changes settings, sends to any host or socket, or decides about calls, as
// alternatives of a regular expression. Source: the types that 2.1.332 writes for a mod.
// Below the names in ModuleCalls only some events do: a variable that is set (BASH_ENV), a
// command that is typed in the user's place (/statusline).
const (
	ModuleReaches = "process|fs|tool|agent|mcp|vcs|settings|config|wasm|http|classic"
	ModuleCalls   = `(?:process|fs|mcp|vcs|wasm|http)DOT\w|` +
		`(?:tool|agent|settings|config)DOT(?:read|set|call|check|judge|run|register|offer|spawn)\b|` +
		`(?:envDOTset|commandDOTrun)\b`
)

// ModuleSuffixes are what the name of such code, or of its types, may end in, and of an import lack.
func ModuleSuffixes() []string {
	return strings.Fields(".ts .tsx .js .jsx .mjs .cjs .mts .cts .d.ts /index.ts /index.js")
}

// PluginFiles are the files of a plugin that are read without being named, and
// the part that each holds.
func PluginFiles() map[string]string {
	return map[string]string{"hooks/hooks.json": "hooks", SettingsFile: "settings", ServersFile: ServersKey,
		".lsp.json": "lspServers", "monitors/monitors.json": PluginMonitors}
}

// Manifest is the kind of a document that describes plugins.
type Manifest string

// The kinds. An entry of a marketplace has the keys of a plugin too.
const (
	Plugin Manifest = "plugin.json"
	Market Manifest = "marketplace.json"
	Entry  Manifest = "plugin in marketplace.json"
)

var manifestKeys = map[Manifest][]Key{
	Plugin: {
		{Path: "hooks", Class: Runs, Effect: "wires hooks, which run outside the sandbox"},
		{Path: "mcpServers", Class: Runs, Effect: startsServers},
		{Path: "lspServers", Class: Runs, Effect: "starts language servers, which run outside the sandbox"},
		{Path: "monitors", Class: Runs, Effect: "starts programs in the background, outside the sandbox"},
		{Path: "experimental", Class: Runs, Effect: "holds monitors and others that may change"},
		{Path: "settings", Class: Runs, Effect: "changes settings while it is loaded"},
		{Path: "binaries", Class: Runs, Effect: "fetches programs when it is installed"},
		{Path: "skills", Class: Runs, Effect: "holds skills, whose hooks run outside the sandbox"},
		{Path: "commands", Class: Runs, Effect: "holds commands, whose hooks run outside the sandbox"},
		{Path: "agents", Class: Runs, Effect: "holds agents, whose servers run outside the sandbox"},
		{Path: "dependencies", Class: Runs, Effect: "loads other plugins"},
		{Path: "optionalDependencies", Class: Runs, Effect: "loads other plugins"},
		{Path: "channels", Class: Opens, Effect: "lets servers push messages into the session"},
		{Path: "network", Class: Opens, Effect: "names hosts that it uses"},
	},
	Market: {
		{Path: "plugins", Class: Runs, Effect: "lists plugins and where they come from"},
		{Path: "allowCrossMarketplaceDependenciesOn", Class: Opens, Effect: "lets plugins bring those of other marketplaces"},
		{Path: "renames", Class: Redirects, Effect: "puts another plugin in the place of one that is switched on"},
		{Path: "forceRemoveDeletedPlugins", Class: Redirects, Effect: "uninstalls plugins"},
		{Path: BareNames.String(), Class: Redirects, Effect: "is the directory that plugins come from"},
	},
	Entry: {
		{Path: "source", Class: Redirects, Effect: "is where the plugin comes from"},
		{Path: "headersHelper", Class: Runs, Effect: "is run for headers when it is installed or updated"},
		{Path: "headers", Class: Redirects, Effect: "are sent when it is fetched"},
	},
}

const manifestPlain = `$schema name displayName version description author homepage repository license keywords defaultEnabled metadata engines
	outputStyles themes workflows types userConfig`

var manifestPlains = map[Manifest]string{
	Plugin: manifestPlain,
	Market: `$schema name version description owner metadata metadata.version metadata.description`,
	Entry:  manifestPlain + ` category tags strict relevance`,
}

// OfManifest is the row of a key of such a document.
func OfManifest(kind Manifest, name string) Key {
	k := rowOf(manifestKeys[kind], manifestPlains[kind], name)
	if k.Class == Unknown && kind == Entry {
		return OfManifest(Plugin, name)
	}
	return k
}
