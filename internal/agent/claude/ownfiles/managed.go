// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: managed settings decide for every session, so no command may
// change what they lead to.

package ownfiles

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/writable"
)

// managedPlaces judges where the files of managed-settings.d and the managed MCP
// servers lie, and where their symlinks lead. Measured with 2.1.330: the runtime
// keeps what managed-settings.json and managed-settings.d lead to, whether it is
// there or not, but neither what a file of managed-settings.d leads to, nor what
// managed-mcp.json does: a command writes it, or creates it.
func (w *ownWalk) managedPlaces() {
	managed := w.g.Host.Places().Managed
	w.g.Kept = append(w.g.Kept, writable.RealPath(w.g.Host, managed),
		writable.RealPath(w.g.Host, inforce.DropInDir(managed)))
	for _, path := range inforce.DropIns(w.g.Host, managed) {
		w.control(path, "managed settings, which decide what every session may do and runs")
	}
	w.control(filepath.Join(filepath.Dir(managed), claude.ManagedServersFile),
		"the managed MCP servers, which every session starts outside the sandbox")
}

// control judges a file that decides what sessions do.
func (w *ownWalk) control(path, what string) {
	real := writable.RealPath(w.g.Host, path)
	if o, yes := w.g.Opening(path, path, "Commands can change "+what+": "+real); yes {
		o.Remedy = writable.MoveOut(real)
		w.found = append(w.found, o)
	}
}
