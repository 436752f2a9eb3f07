// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a setting opens is listed from this machine, by
// asking the system what may be written to, without opening it.

package doctor

import (
	iofs "io/fs"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Bounds of the search for sockets: directories deep, entries in all, and
// sockets that are named.
const (
	maxDepth   = 6
	maxEntries = 20_000
	maxNamed   = 20
)

// openedSockets lists the unix sockets of the machine that the user may
// connect to: those below /run, /tmp and the user's runtime directory. A
// connection needs the right to write (unix(7)).
func (b *bench) openedSockets() []report.Evidence {
	var found []string
	left := maxEntries
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		entries, err := b.r.ReadDir(dir)
		if err != nil || depth > maxDepth {
			return
		}
		for _, e := range entries {
			if left--; left < 0 {
				return
			}
			path := filepath.Join(dir, e.Name())
			switch {
			case e.IsDir():
				walk(path, depth+1)
			case e.Type()&iofs.ModeSocket != 0 && !slices.Contains(found, path) && fs.Accessible(path, true):
				found = append(found, path)
			}
		}
	}
	sys := b.r.System()
	for _, dir := range []string{filepath.Join(sys.Root, "/run"), filepath.Join(sys.Root, "/tmp"),
		sys.Get("XDG_RUNTIME_DIR")} {
		if filepath.IsAbs(dir) {
			walk(dir, 0)
		}
	}
	list := []report.Evidence{report.PriceEvidence(report.Counted(len(found),
		"1 socket of this machine becomes reachable", "%d sockets of this machine become reachable"))}
	if left < 0 {
		list[0].Text = "at least " + list[0].Text
	}
	for _, path := range found[:min(len(found), maxNamed)] {
		list = append(list, report.FileEvidence(path, "becomes reachable"))
	}
	return list
}
