// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what claude-iso refuses to read, a plain start reads and
// runs all the same; its hooks and servers are named, and none is approved.

package verify

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// unapproved lists the hooks and servers of a plain start, where a survey of
// the work tree at root gave up. Settings that Parse refuses are in layers as
// the runtime reads them.
func unapproved(r host.Reader, start, root string, layers []settings.ScopedDoc) (items []iso.Item) {
	for _, l := range layers {
		if l.Scope != settings.Project && l.Scope != settings.Local {
			continue
		}
		if hooks, err := iso.HooksIn(l.Doc); err == nil {
			items = append(items, hooks...)
		}
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		items = append(items, iso.ServersIn(r, root, dir)...)
		if dir == filepath.Dir(dir) {
			return items
		}
	}
}
