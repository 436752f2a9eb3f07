// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the line that installs the agent works for an ordinary
// user: npm puts it where that user may write.

package verify

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/platform"
)

// ownBin is where programs of the user's own lie.
const ownBin = ".local/bin"

// distroPrefix is where a distribution's npm installs (npm 9.2 of Debian 12), and
// where one that is not installed yet would.
const distroPrefix = "/usr/local"

// NpmFirst is the beginning of a line that calls npm, where npm is missing: it
// installs the package of the system's package manager that has it; ok is false
// where no such package is known. A distribution's own version will do: npm only
// fetches the runtime, which is no script for node (2.1.330).
func NpmFirst(r host.Reader) (line string, ok bool) {
	if _, err := r.Look("npm"); err == nil {
		return "", true
	}
	release, _ := r.Read(r.Places().OSRelease) // absent on macOS
	switch platform.Detect(r.System().GOOS, release).Manager {
	case platform.Apt:
		line = "sudo apt-get install --no-install-recommends npm"
	case platform.Dnf:
		line = "sudo dnf install npm"
	case platform.Brew:
		line = "brew install node"
	}
	words := strings.Fields(strings.TrimPrefix(line, "sudo "))
	if len(words) == 0 {
		return "", false
	}
	if _, err := r.Look(words[0]); err != nil {
		return "", false
	}
	if r.System().UID == 0 {
		line = strings.TrimPrefix(line, "sudo ")
	}
	return line + " && ", true
}

// NpmPlace says how npm install -g is called and what has to come after it. A
// distribution's npm installs below /usr or /usr/local, where an ordinary user
// gets EACCES (npm 9.2 of Debian 12, 11.19); such a user's own place is
// ~/.local, where the native installer puts the agent too. option is "" where
// npm can write as it is. then puts ~/.local/bin on PATH if it is not.
func NpmPlace(ctx context.Context, r host.Reader) (option, then string) {
	if r.System().UID == 0 || r.System().Get("NPM_CONFIG_PREFIX") != "" || r.System().Get("npm_config_prefix") != "" {
		return "", ""
	}
	prefix := distroPrefix
	if _, err := r.Look("npm"); err == nil {
		res := r.Run(ctx, proc.NpmPrefix(filepath.Join(r.Places().Cache, "npm")))
		if prefix = strings.TrimSpace(string(res.Stdout)); !res.OK() || !filepath.IsAbs(prefix) {
			return "", ""
		}
	} else if r.System().GOOS == "darwin" { // Homebrew's, whose place is the user's
		return "", ""
	}
	if mayFill(r, filepath.Join(prefix, "lib", "node_modules")) &&
		mayFill(r, filepath.Join(prefix, "bin")) {
		return "", ""
	}
	if !slices.Contains(filepath.SplitList(r.System().Get("PATH")), filepath.Join(r.Places().Home, ownBin)) {
		then = ` && export PATH="$HOME/` + ownBin + `:$PATH"`
	}
	return ` --prefix "$HOME/.local"`, then
}

// mayFill says whether this user may add to a directory, or make it.
func mayFill(r host.Reader, dir string) bool {
	for {
		if _, err := r.Stat(dir); err == nil {
			return fs.Accessible(dir, true)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}
