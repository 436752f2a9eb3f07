// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a setting opens is listed from this machine, by
// asking the system what may be written to, without opening it.

package doctor

import (
	iofs "io/fs"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Bounds of the search for sockets: entries in all, and sockets that are named.
const (
	maxEntries = 20_000
	maxNamed   = 20
)

// openedSockets lists the unix sockets of the machine that the user may
// connect to: those below /run, /tmp and the user's runtime directory. A
// connection needs the right to write (unix(7)).
func (b *bench) openedSockets() []report.Evidence {
	sys := b.r.System()
	dirs := slices.DeleteFunc([]string{filepath.Join(sys.Root, "/run"), filepath.Join(sys.Root, "/tmp"),
		sys.Get("XDG_RUNTIME_DIR")}, func(dir string) bool { return !filepath.IsAbs(dir) })
	var found []string
	all := host.Walk(b.r, dirs, maxEntries, func(at string, e iofs.DirEntry) bool {
		if e.Type()&iofs.ModeSocket != 0 && !slices.Contains(found, at) && fs.Accessible(at, true) {
			found = append(found, at)
		}
		return true
	})
	list := []report.Evidence{report.PriceEvidence(report.Counted(len(found),
		"1 socket of this machine becomes reachable", "%d sockets of this machine become reachable"))}
	if !all {
		list[0].Text = "at least " + list[0].Text
	}
	for _, path := range found[:min(len(found), maxNamed)] {
		list = append(list, report.FileEvidence(path, "becomes reachable"))
	}
	return list
}
