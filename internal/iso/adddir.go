// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a directory that the user adds to a launch is shown as what it
// is, links resolved.

package iso

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
)

// added lists the directories that arguments add to a launch, absolute, links
// resolved.
func added(h host.Reader, p Place, args []string) (dirs []string) {
	for _, dir := range claude.AddedDirs(args) {
		if dir == "~" || strings.HasPrefix(dir, "~/") {
			dir = p.Home + dir[1:]
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(p.Start, dir)
		}
		if dir = host.Real(h, dir); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
