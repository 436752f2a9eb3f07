// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule follows a symlink in its own path and none below it (measured
// with 2.1.329), so that those for ~/.claude/scripts say nothing of what single symlinks
// there lead to; and no denyWrite holds for a symlink in a writable directory (measured
// with 2.1.330).

package setup

import (
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/steps/install"
)

// Opens implements sync.Agent.
func (Settings) Opens(d install.Draft) (f install.File, list string, entries []string, err error) {
	path := d.Host.Places().UserSettings()
	f, doc, err := document(d, path, "")
	if f.Path = path; err != nil {
		return f, "", nil, err
	}
	if open := doc.Get(claude.KeyAllowWrite...); open != nil {
		for _, v := range open.Items {
			if v.Kind == settings.Str {
				entries = append(entries, v.Text)
			}
		}
	}
	return f, claude.KeyAllowWrite.String(), entries, nil
}

// Closes implements sync.Agent.
func (Settings) Closes(f install.File, dirs, runs []string) ([]byte, error) {
	doc, err := settings.Check(f.Path, f.Bytes)
	if err != nil {
		return nil, err
	}
	var rules []string
	for _, dir := range runs {
		rules = append(rules, "Edit(/"+literal(dir)+"/**)")
	}
	edits := append(lacking(doc, claude.KeyDenyWrite, dirs...), lacking(doc, claude.KeyDeny, rules...)...)
	if edits == nil {
		return f.Bytes, nil
	}
	return settings.Splice(doc, edits)
}
