// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the keys of sandbox and permissions. What a value of
// theirs opens is the question of policy-invariants (internal/agent/claude/policy), so
// their class says only what they can do at worst.

package claude

var sandboxKeys = []Key{
	{Path: "sandbox", Class: Protects, Effect: "confines commands"},
	{Path: "sandbox.enabled", Class: Protects, Effect: "confines commands"},
	{Path: "sandbox.failIfUnavailable", Class: Protects, Effect: "refuses to start without the sandbox"},
	{Path: "sandbox.autoAllowBashIfSandboxed", Class: Opens, Effect: "runs sandboxed commands unasked"},
	{Path: "sandbox.allowUnsandboxedCommands", Class: Opens, Effect: "lets commands ask to leave the sandbox"},
	{Path: "sandbox.excludedCommands", Class: Opens, Effect: "runs these commands outside the sandbox"},
	{Path: "sandbox.ignoreViolations", Class: Opens, Effect: "does not report these denials"},
	{Path: "sandbox.enableWeakerNestedSandbox", Class: Opens, Effect: "shows commands the machine's processes"},
	{Path: "sandbox.enableWeakerNetworkIsolation", Class: Opens, Effect: "weakens the network's isolation on macOS"},
	{Path: "sandbox.allowNestedUserNamespaces", Class: Opens, Effect: "lets commands make namespaces"},
	{Path: "sandbox.allowAppleEvents", Class: Opens, Effect: "lets commands drive other programs on macOS"},
	{Path: "sandbox.ripgrep", Class: Runs, Program: true, Effect: "is run in place of the agent's own search"},
	{Path: "sandbox.ripgrep.command", Class: Runs, Effect: "is that program"},
	{Path: "sandbox.ripgrep.args", Class: Runs, Effect: "are its arguments"},
	{Path: "sandbox.bwrapPath", Class: Runs, Effect: "is run as the sandbox", From: Managed},
	{Path: "sandbox.socatPath", Class: Runs, Effect: "is run as the sandbox's proxy", From: Managed},
	{Path: "sandbox.enabledPlatforms", Class: Opens, Effect: "restricts the sandbox to these systems", From: Managed},
	{Path: "sandbox.windows", Class: Harmless, Effect: "means Windows only"},
	{Path: "sandbox.windows.backend", Class: Harmless, Effect: "means Windows only"},
	{Path: "sandbox.network", Class: Protects, Effect: "restricts the network"},
	{Path: "sandbox.network.allowedDomains", Class: Opens, Effect: "opens hosts"},
	{Path: "sandbox.network.deniedDomains", Class: Protects, Effect: "closes hosts"},
	{Path: "sandbox.network.strictAllowlist", Class: Protects, Effect: "asks about no other host"},
	{Path: "sandbox.network.allowManagedDomainsOnly", Class: Protects, Effect: "heeds managed hosts only"},
	{Path: "sandbox.network.allowUnixSockets", Class: Opens, Effect: "opens sockets"},
	{Path: "sandbox.network.allowAllUnixSockets", Class: Opens, Effect: "opens all sockets"},
	{Path: "sandbox.network.allowLocalBinding", Class: Opens, Effect: "opens loopback on macOS"},
	{Path: "sandbox.network.allowMachLookup", Class: Opens, Effect: "opens services on macOS"},
	{Path: "sandbox.network.httpProxyPort", Class: Redirects, Effect: "sends traffic through another proxy"},
	{Path: "sandbox.network.socksProxyPort", Class: Redirects, Effect: "sends traffic through another proxy"},
	{Path: "sandbox.network.tlsTerminate", Class: Opens, Effect: "reads encrypted traffic in the proxy"},
	{Path: "sandbox.network.tlsTerminate.caCertPath", Class: Opens, Effect: "is the authority for that"},
	{Path: "sandbox.network.tlsTerminate.caKeyPath", Class: Opens, Effect: "is its key"},
	{Path: "sandbox.filesystem", Class: Protects, Effect: "restricts files"},
	{Path: "sandbox.filesystem.allowRead", Class: Opens, Effect: "opens paths for reading"},
	{Path: "sandbox.filesystem.denyRead", Class: Protects, Effect: "closes paths for reading"},
	{Path: "sandbox.filesystem.allowWrite", Class: Opens, Effect: "opens paths for writing"},
	{Path: "sandbox.filesystem.denyWrite", Class: Protects, Effect: "closes paths for writing"},
	{Path: "sandbox.filesystem.allowManagedReadPathsOnly", Class: Protects, Effect: "heeds managed paths only"},
	{Path: "sandbox.filesystem.disabled", Class: Opens, Effect: "opens every file"},
	{Path: "sandbox.credentials", Class: Protects, Effect: "hides credentials"},
	{Path: "sandbox.credentials.files", Class: Protects, Effect: "hides these files"},
	{Path: "sandbox.credentials.envVars", Class: Protects, Effect: "hides these variables"},
	{Path: "sandbox.credentials.allowPlaintextInject", Class: Opens, Effect: "sends credentials without encryption"},
	{Path: "sandbox.credentials.awsPairs", Class: Protects, Effect: "hides AWS credentials"},
	{Path: "sandbox.credentials.sigv4", Class: Protects, Effect: "signs AWS requests in the proxy"},

	{Path: "permissions", Class: Protects, Effect: "restricts tools"},
	{Path: "permissions.allow", Class: Opens, Effect: "approves calls"},
	{Path: "permissions.deny", Class: Protects, Effect: "refuses calls"},
	{Path: "permissions.ask", Class: Protects, Effect: "asks about calls"},
	{Path: "permissions.defaultMode", Class: Opens, Effect: "decides what is asked"},
	{Path: "permissions.additionalDirectories", Class: Opens, Effect: "opens directories"},
	{Path: "permissions.disableBypassPermissionsMode", Class: Protects, Effect: "refuses bypassPermissions mode"},
	{Path: "permissions.disableAutoMode", Class: Protects, Effect: "refuses auto mode"},
	{Path: "permissions.blockReadsOutsideWorkingDirectories", Class: Protects, Effect: "refuses reads elsewhere"},
	{Path: "permissions.blockReadsExemptPaths", Class: Opens, Effect: "exempts paths from that", From: Managed},
	{Path: "permissions.blockWritesOutsideWorkingDirectories", Class: Protects, Effect: "refuses writes elsewhere"},
	{Path: "permissions.blockFileToolReadsOutsideWorkingDirectories", Class: Protects,
		Effect: "refuses reads of tools elsewhere"},
	{Path: "permissions.denyInsteadOfPrompting", Class: Protects, Effect: "refuses what it would ask about"},
	{Path: "permissions.workingDirectoriesAsGiven", Class: Opens, Effect: "does not resolve working directories",
		From: Managed},
	{Path: "permissions.workingDirectoriesExclude", Class: Protects, Effect: "leaves directories out", From: Managed},
}

// SandboxPrograms are the keys of sandbox that name programs.
var SandboxPrograms = []string{"ripgrep", "bwrapPath", "socatPath"}

// ProxyPorts are the keys of sandbox.network that put a proxy of the machine in
// the place of the runtime's own, which holds to the lists of hosts (measured
// with 2.1.329).
var ProxyPorts = []string{"httpProxyPort", "socksProxyPort"}
