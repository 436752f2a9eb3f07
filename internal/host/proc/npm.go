// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the npm client is asked about a registry's packages and
// fetches one into a directory of this program's own: no script of a package
// runs, nothing of the user's is written, and no project's configuration is
// read. Which registry it is, and by which proxy it is reached, is the user's
// own configuration.

package proc

import (
	"os"
	"time"
)

// npmTimeout bounds a question, npmFetch a package of some 100 MB on a slow
// line.
const (
	npmTimeout = time.Minute
	npmFetch   = 20 * time.Minute
)

// NpmView asks for fields of a package, name@version or a name alone, as JSON.
// cache is npm's, for this program.
func NpmView(cache, pkg string, fields ...string) Spec {
	args := append([]string{"view", "--json", "--prefix", cache}, npmOptions(cache)...)
	return npm("", append(append(args, "--", pkg), fields...), npmTimeout)
}

// NpmFetch puts a package into dir/node_modules. npm checks what it fetches
// against the registry's integrity, and keeps it in cache, so that a fetch that
// was stopped goes on.
func NpmFetch(dir, cache, pkg string) Spec {
	args := append([]string{"install", "--prefix", dir, "--location=project", "--no-save", "--no-package-lock",
		"--no-audit", "--no-fund", "--omit=dev"}, npmOptions(cache)...)
	return npm(dir, append(args, "--", pkg), npmFetch)
}

// NpmPrefix asks where npm install --global puts packages: its lib/node_modules
// and bin. Nothing is asked of a registry, and npm makes no cache where none can be (seen with npm 11.19).
func NpmPrefix() Spec {
	return npm("", append([]string{"prefix", "--global"}, npmOptions(os.DevNull)...), npmTimeout)
}

// npmOptions are those of every call.
func npmOptions(cache string) []string {
	return []string{"--cache", cache, "--ignore-scripts", "--no-update-notifier", "--logs-max=0", "--no-progress",
		"--loglevel=error", "--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000"}
}

// npm starts the client. A compile cache of node's would be written to the
// temporary directory (node 22.1).
func npm(dir string, args []string, timeout time.Duration) Spec {
	return Spec{name: "npm", args: args, timeout: timeout, firm: true, network: true, dir: dir,
		extra: []string{"NODE_DISABLE_COMPILE_CACHE=1", "NO_UPDATE_NOTIFIER=1", "NO_COLOR=1"}}
}

// networkNames are the variables that say how a client reaches the network, in
// any case: proxies, certificates, and npm's own.
var networkNames = []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "NODE_EXTRA_CA_CERTS",
	"SSL_CERT_FILE",
	"NPM_CONFIG_REGISTRY", "NPM_CONFIG_USERCONFIG", "NPM_CONFIG_CAFILE", "NPM_CONFIG_PROXY", "NPM_CONFIG_HTTPS_PROXY",
	"NPM_CONFIG_NOPROXY"}
