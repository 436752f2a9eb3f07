// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: npm is asked what a package's versions are and when they
// came; it installs nothing, and runs no script of anybody's.

package proc

import (
	"path/filepath"
	"time"
)

// viewTimeout bounds the npm client's answer.
const viewTimeout = 30 * time.Second

// NpmTimes asks the registry that the user's npm is configured for when each
// version of a package was released, as JSON. What npm keeps goes below cache.
func NpmTimes(pkg, cache string) Spec {
	return Spec{name: "npm", args: []string{"view", "--json", "--ignore-scripts", "--no-update-notifier", "--no-fund", "--no-audit",
		"--fetch-retries=0", "--cache=" + filepath.Join(cache, "npm"), "--logs-max=0", "--", pkg, "time"},
		timeout: viewTimeout, dir: "/"}
}
