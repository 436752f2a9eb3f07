// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a key of the settings that other packages ask for has its
// name here, and each is a row of the tables (TestEveryNamedKeyIsInTheTables).

package claude

import (
	"slices"
	"strings"
)

// KeyPath is where a key stands in a settings document: the keys that lead to
// it, from the outermost.
type KeyPath []string

// Below is the path of a key under this one: a name of the user's, an index
// ("0"), or one of a list of keys.
func (p KeyPath) Below(keys ...string) []string { return slices.Concat(p, keys) }

// Leaf is the key itself, without what leads to it.
func (p KeyPath) Leaf() string { return p[len(p)-1] }

// String is the path with dots, as the tables, the policy and people write it.
func (p KeyPath) String() string { return strings.Join(p, ".") }

// The keys of permissions: the lists of rules, modes, and what holds for every
// tool that takes paths.
var (
	KeyPermissions                  = KeyPath{"permissions"}
	KeyAllow                        = KeyPath{"permissions", "allow"}
	KeyAsk                          = KeyPath{"permissions", "ask"}
	KeyDeny                         = KeyPath{"permissions", "deny"}
	KeyDefaultMode                  = KeyPath{"permissions", "defaultMode"}
	KeyDisableBypassPermissionsMode = KeyPath{"permissions", "disableBypassPermissionsMode"}
	KeyDisableAutoMode              = KeyPath{"permissions", "disableAutoMode"}
	KeyAdditionalDirectories        = KeyPath{"permissions", "additionalDirectories"}
	KeyBlockReads                   = KeyPath{"permissions", "blockReadsOutsideWorkingDirectories"}
	KeyBlockWrites                  = KeyPath{"permissions", "blockWritesOutsideWorkingDirectories"}
)

// The keys that leave skills out.
var (
	KeyDisableBundledSkills = KeyPath{"disableBundledSkills"}
	KeySkillOverrides       = KeyPath{"skillOverrides"}
)

// The keys of sandbox that concern all of it.
var (
	KeySandbox                      = KeyPath{"sandbox"}
	KeyWorktreeBase                 = KeyPath{"worktree", "baseRef"}
	KeySparsePaths                  = KeyPath{"worktree", "sparsePaths"}
	KeySandboxEnabled               = KeyPath{"sandbox", "enabled"}
	KeyEnabledPlatforms             = KeyPath{"sandbox", "enabledPlatforms"}
	KeyFailIfUnavailable            = KeyPath{"sandbox", "failIfUnavailable"}
	KeyAutoAllowBashIfSandboxed     = KeyPath{"sandbox", "autoAllowBashIfSandboxed"}
	KeyAllowUnsandboxedCommands     = KeyPath{"sandbox", "allowUnsandboxedCommands"}
	KeyExcludedCommands             = KeyPath{"sandbox", "excludedCommands"}
	KeyEnableWeakerNestedSandbox    = KeyPath{"sandbox", "enableWeakerNestedSandbox"}
	KeyEnableWeakerNetworkIsolation = KeyPath{"sandbox", "enableWeakerNetworkIsolation"}
	KeyAllowNestedUserNamespaces    = KeyPath{"sandbox", "allowNestedUserNamespaces"}
	KeyAllowAppleEvents             = KeyPath{"sandbox", "allowAppleEvents"}
	KeyRipgrep                      = KeyPath{"sandbox", "ripgrep"}
	KeyWindows                      = KeyPath{"sandbox", "windows"}
)

// The keys of sandbox.filesystem.
var (
	KeyFilesystem         = KeyPath{"sandbox", "filesystem"}
	KeyAllowRead          = KeyPath{"sandbox", "filesystem", "allowRead"}
	KeyAllowWrite         = KeyPath{"sandbox", "filesystem", "allowWrite"}
	KeyDenyRead           = KeyPath{"sandbox", "filesystem", "denyRead"}
	KeyDenyWrite          = KeyPath{"sandbox", "filesystem", "denyWrite"}
	KeyFilesystemDisabled = KeyPath{"sandbox", "filesystem", "disabled"}
)

// The keys of sandbox.network.
var (
	KeyNetwork                 = KeyPath{"sandbox", "network"}
	KeyAllowedDomains          = KeyPath{"sandbox", "network", "allowedDomains"}
	KeyDeniedDomains           = KeyPath{"sandbox", "network", "deniedDomains"}
	KeyStrictAllowlist         = KeyPath{"sandbox", "network", "strictAllowlist"}
	KeyAllowManagedDomainsOnly = KeyPath{"sandbox", "network", "allowManagedDomainsOnly"}
	KeyAllowUnixSockets        = KeyPath{"sandbox", "network", "allowUnixSockets"}
	KeyAllowAllUnixSockets     = KeyPath{"sandbox", "network", "allowAllUnixSockets"}
	KeyAllowLocalBinding       = KeyPath{"sandbox", "network", "allowLocalBinding"}
	KeyAllowMachLookup         = KeyPath{"sandbox", "network", "allowMachLookup"}
	KeyHTTPProxyPort           = KeyPath{"sandbox", "network", "httpProxyPort"}
	KeySocksProxyPort          = KeyPath{"sandbox", "network", "socksProxyPort"}
)

// The keys of sandbox.credentials.
var (
	KeyCredentials          = KeyPath{"sandbox", "credentials"}
	KeyCredentialFiles      = KeyPath{"sandbox", "credentials", "files"}
	KeyCredentialVariables  = KeyPath{"sandbox", "credentials", "envVars"}
	KeyAllowPlaintextInject = KeyPath{"sandbox", "credentials", "allowPlaintextInject"}
)

// The keys of the document itself.
var (
	KeySchema                = KeyPath{"$schema"}
	KeyEnv                   = KeyPath{"env"}
	KeyHooks                 = KeyPath{"hooks"}
	KeyDisableAllHooks       = KeyPath{"disableAllHooks"}
	KeyAllowManagedHooksOnly = KeyPath{"allowManagedHooksOnly"}
	// KeyStrictPluginOnly leaves out what does not come by a plugin: true, or a list of what.
	KeyStrictPluginOnly = KeyPath{"strictPluginOnlyCustomization"}
	// KeyAllowManagedPermissionRulesOnly drops the permission rules of every other scope.
	KeyAllowManagedPermissionRulesOnly = KeyPath{"allowManagedPermissionRulesOnly"}
	KeyStatusLine                      = KeyPath{"statusLine"}
	KeySubagentStatusLine              = KeyPath{"subagentStatusLine"}
	KeyFileSuggestion                  = KeyPath{"fileSuggestion"}
	KeyAutoMemoryDirectory             = KeyPath{"autoMemoryDirectory"}
	KeyAutoMemoryEnabled               = KeyPath{"autoMemoryEnabled"}
	KeyPlansDirectory                  = KeyPath{"plansDirectory"}
	KeyAutoModeAllow                   = KeyPath{"autoMode", "allow"}
	KeyAutoModeEnvironment             = KeyPath{"autoMode", "environment"}
	KeyAutoModeSoftDeny                = KeyPath{"autoMode", "soft_deny"}
	KeyAutoModeHardDeny                = KeyPath{"autoMode", "hard_deny"}
	KeySkipAutoPermissionPrompt        = KeyPath{"skipAutoPermissionPrompt"}
	KeyUseAutoModeDuringPlan           = KeyPath{"useAutoModeDuringPlan"}
	KeyRemoteControlAtStartup          = KeyPath{"remoteControlAtStartup"}
	KeyAutoUploadSessions              = KeyPath{"autoUploadSessions"}
	KeyEnableAllProjectMcpServers      = KeyPath{"enableAllProjectMcpServers"}
	KeyEnabledMcpjsonServers           = KeyPath{"enabledMcpjsonServers"}
	KeyDisabledMcpjsonServers          = KeyPath{"disabledMcpjsonServers"}
	KeyEnabledPlugins                  = KeyPath{"enabledPlugins"}
	KeyExtraKnownMarketplaces          = KeyPath{"extraKnownMarketplaces"}
	KeyAdditionalMarketplaces          = KeyPath{"additionalMarketplaces"}
	KeyPrefersReducedMotion            = KeyPath{"prefersReducedMotion"}
	KeyDisableDeepLinkRegistration     = KeyPath{"disableDeepLinkRegistration"}
	KeyDisableAgentView                = KeyPath{"disableAgentView"}
)
