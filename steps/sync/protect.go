// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what arrives through the repository runs outside the
// sandbox, so commands may not write it, and the agent's file tools may not write
// the parts of it that run. The entries name the place as it is spelled and as it
// really is: a rule follows a symlink in its own path and none below it (measured
// with 2.1.329), so that those for ~/.claude/scripts say nothing of what single
// symlinks there lead to.

package sync

import (
	iofs "io/fs"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

// protect closes the repository to commands in the user's own settings.
func (p *planner) protect(s *report.Section) error {
	path := p.r.Places().UserSettings()
	draft := setup.NewDraft(p.r)
	f, doc, err := draft.Document(path, "")
	if err != nil {
		p.found(report.Warn, true, "the repository is not closed to commands: settings.json could not be read", path,
			err.Error())
		return nil
	}
	p.replaceable(doc, path)
	dirs := slices.Compact([]string{p.dir, p.real})
	var rules []string
	for _, dir := range dirs {
		for _, part := range syncrepo.Layout(p.r.Places()) {
			if part.Runs && part.Dir {
				rules = append(rules, "Edit(/"+setup.Literal(filepath.Join(dir, part.Name))+"/**)")
			}
		}
		rules = append(rules, "Edit(/"+setup.Literal(filepath.Join(dir, ".git"))+"/**)")
	}
	edits := append(setup.Lacking(doc, claude.KeyDenyWrite, dirs...), setup.Lacking(doc, claude.KeyDeny, rules...)...)
	if edits == nil {
		return nil
	}
	after, err := settings.Splice(doc, edits)
	if err != nil {
		return err
	}
	draft.Write(s, "sync/protect",
		"sandboxed commands cannot write the repository, and file tools cannot write what runs from it", f, after, 0o600)
	return nil
}

// replaceable finds what lets commands replace a ~/.claude-config that is a
// symlink itself: no denyWrite holds for a symlink in a writable directory
// (measured with 2.1.330).
func (p *planner) replaceable(doc *settings.Doc, where string) {
	info, err := p.r.Lstat(p.dir)
	list := doc.Get(claude.KeyAllowWrite...)
	if err != nil || info.Mode()&iofs.ModeSymlink == 0 || list == nil {
		return
	}
	var entries []string
	for _, v := range list.Items {
		if v.Kind == settings.Str {
			entries = append(entries, v.Text)
		}
	}
	entry, yes := sensitive.Below(p.dir, entries, p.r.Places().Home)
	if !yes {
		return
	}
	p.open = "sandbox.filesystem.allowWrite has " + entry
	p.found(report.Fail, true, "commands can replace "+p.home(p.dir)+", which is a symlink", where,
		p.open+": remove it, or move the repository to "+p.home(p.dir)+" itself")
}
