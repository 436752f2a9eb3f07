// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what of a policy is in force is read from every scope
// together, and a mode that is closed in one is closed.

package session

import (
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// BypassClosed says whether the runtime refuses bypassPermissions, whoever asks
// for it.
func BypassClosed(e *settings.Effective) bool {
	return disables(e, claude.KeyDisableBypassPermissionsMode...)
}

// autoClosed says whether the runtime refuses auto mode. The key counts outside of
// permissions too (measured with 2.1.257 to 2.1.329).
func autoClosed(e *settings.Effective) bool {
	return disables(e, claude.KeyDisableAutoMode...) || disables(e, claude.KeyDisableAutoMode.Leaf())
}

func disables(e *settings.Effective, path ...string) bool {
	d := e.Scalar(path...)
	return d.Value != nil && d.Value.Text == claude.Disable
}

// FileOf is the file that evidence names, without line and column.
func FileOf(e report.Evidence) string {
	path := e.Where
	for range 2 {
		if i := strings.LastIndexByte(path, ':'); i > 0 && opening.IsIndex(path[i+1:]) {
			path = path[:i]
		}
	}
	return path
}

// Merged is what is in force of everything that a policy is made of.
func Merged(e *settings.Effective) *settings.Value {
	var entries []policy.Entry
	add := func(key string, v *settings.Value) { entries = append(entries, policy.Entry{Key: key, Value: v}) }
	for key, array := range policy.Keys() {
		path := strings.Split(key, ".")
		if s := e.Scalar(path...); !array && s.Value != nil {
			add(key, s.Value)
		}
		for _, c := range e.Taken(path...) {
			if array {
				add(key, c.Value)
			}
		}
	}
	return policy.Written(entries)
}

// PolicyFile is where a repository has its policy.
const PolicyFile = claude.Dir + "/" + claude.SettingsFile

// HasPolicy says whether the settings that a work tree shares switch the
// sandbox on.
func HasPolicy(r host.Reader, root string) bool {
	for _, l := range At(r, root).Layers {
		if l.Scope == settings.Project && l.Doc.Path == filepath.Join(root, PolicyFile) {
			return l.Doc.Get(claude.KeySandboxEnabled...).True()
		}
	}
	return false
}
