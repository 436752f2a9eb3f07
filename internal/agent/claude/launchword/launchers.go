// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a launcher is known by the package that it lies in, never
// by its name alone.

package launchword

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
)

// packaged says whether a file, links resolved, is the runtime or a launcher of
// a package: npm's (also under nvm, bun, pnpm), nixpkgs', or the shim of a
// version manager, which is one executable for all its tools.
func (w Judge) packaged(real string) bool {
	if strings.Contains(real, "/node_modules/@anthropic-ai/claude-code") {
		return true
	}
	if strings.HasPrefix(real, "/nix/store/") && strings.Contains(real, "claude-code") {
		return true
	}
	if slices.Contains([]string{"volta-shim", "mise"}, filepath.Base(real)) {
		return true
	}
	info, err := w.R.Stat(real)
	return err == nil && info.Mode().IsRegular() && info.Size() >= commandline.Smallest
}

// packageShim says whether a shell script is one that a package manager wrote
// for the runtime, and nothing else.
func packageShim(text string) bool {
	starts := 0
	for line := range strings.SplitSeq(text, "\n") {
		m := commandline.AsdfLine().FindStringSubmatch(line)
		switch {
		case m != nil && m[2] == "claude":
			starts++
		case !commandline.ShimLine().MatchString(line):
			return false
		case strings.Contains(line, "exec "):
			starts++
		}
	}
	return starts > 0
}
