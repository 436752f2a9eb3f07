// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a fix would write is written by the same merge as
// what install writes, in the spelling that people write, and verify judges it
// before anybody is shown it.

package fixes

import (
	"errors"
	iofs "io/fs"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// Change is what a fix of an entry, in which nothing is left open, would
// write for the project at root. After is nil if it would write nothing.
func Change(r host.Reader, root, id string, fix catalog.Fix) (report.Change, error) {
	file := report.Change{ID: report.ID("doctor/" + id), Mode: 0o644, Why: fix.Title, Price: fix.Price}
	switch fix.Scope {
	case settings.User:
		file.Path = r.Places().UserSettings()
	case settings.Local:
		file.Path, file.Within = filepath.Join(root, claude.Dir, claude.LocalSettingsFile), root
	default:
		file.Path, file.Within = filepath.Join(root, claude.Dir, claude.SettingsFile), root
	}
	var err error
	if file.Target, err = r.Resolve(file.Path); err != nil {
		return file, err
	}
	if file.Within != "" && !pathname.Within(file.Target, file.Within) {
		return file, errors.New(file.Path + " points outside the project")
	}
	file.Before, err = r.Read(file.Target)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return file, err
	}
	if info, err := r.Stat(file.Target); err == nil {
		file.ModeBefore = info.Mode().Perm()
	}
	have, err := settings.Check(file.Path, file.Before)
	if err != nil {
		return file, err
	}
	want, err := written(fix)
	if err != nil {
		return file, err
	}
	merged, err := settings.Merge(have, want, func(settings.Conflict) bool { return true })
	if err != nil {
		return file, err
	}
	if string(merged.After) != string(file.Before) {
		file.After = merged.After
	}
	return file, nil
}

// written is what a fix adds to settings.
func written(fix catalog.Fix) (*settings.Doc, error) {
	return settings.Parse("fix "+fix.Title, []byte(fix.Settings))
}

// SetBy is the value that a fix sets a key to, nil if it does not.
func SetBy(fix catalog.Fix, key claude.KeyPath) *settings.Value {
	doc, err := written(fix)
	if err != nil {
		return nil
	}
	return doc.Get(key...)
}

// AddedBy lists the texts that a fix adds to an array.
func AddedBy(fix catalog.Fix, key claude.KeyPath) (texts []string) {
	if list := SetBy(fix, key); list != nil {
		for _, v := range list.Items {
			texts = append(texts, v.Text)
		}
	}
	return texts
}

// Spelled is an absolute path as people write it: below the home with "~/",
// which means the same to the runtime in every scope.
func Spelled(path, home string) string {
	if path == home {
		return "~/"
	}
	return pathname.Tilde(path, home)
}

// Line is the line of install that brings about what a fix sets, for a host ("" if it
// is about none); nil if there is none.
func Line(fix catalog.Fix, host, home string) *report.Command {
	if len(AddedBy(fix, claude.KeyAllowedDomains)) == 1 && host != "" {
		return &report.Command{Line: "steward-setup install --plan --allow-host=" + scripts.Quote(host),
			Why: "see the change, and the line that makes it; claude-iso needs a new approval afterwards"}
	}
	if write := AddedBy(fix, claude.KeyAllowWrite); len(write) == 1 {
		if group, _, ok := CacheAt(write[0], home); ok {
			return &report.Command{Line: "steward-setup install --plan --caches=" + group,
				Why: "see the change, and the line that makes it"}
		}
	}
	return nil
}

// CacheAt is the group of caches of install that opens a path for writing, and
// what it opens.
func CacheAt(path, home string) (group, entry string, ok bool) {
	return policy.Embedded().CacheAt(claude.KeyAllowWrite.String(), path, home)
}
