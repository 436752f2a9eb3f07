// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a fix would write is written by the same merge as
// what install writes, in the spelling that people write, and verify judges it
// before anybody is shown it.

package doctor

import (
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// changeOf is what a fix of an entry, in which nothing is left open, would
// write for the project at root. After is nil if it would write nothing.
func changeOf(r host.Reader, root, id string, fix catalog.Fix) (report.Change, error) {
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

// setBy is the value that a fix sets a key to, nil if it does not.
func setBy(fix catalog.Fix, key claude.KeyPath) *settings.Value {
	doc, err := written(fix)
	if err != nil {
		return nil
	}
	return doc.Get(key...)
}

// addedBy lists the texts that a fix adds to an array.
func addedBy(fix catalog.Fix, key claude.KeyPath) (texts []string) {
	if list := setBy(fix, key); list != nil {
		for _, v := range list.Items {
			texts = append(texts, v.Text)
		}
	}
	return texts
}

// judge lists, as sentences, what verify would fail on a machine as a change leaves it
// (checks.WouldOpen).
type judge func(checks.Changed) ([]string, error)

// refusal says what a change would open that verify fails; "" if nothing.
func (opens judge) refusal(c report.Change) (string, error) {
	list, err := opens(func(r host.Reader) host.Reader { return with(r, c) })
	if err != nil || list == nil {
		return "", err
	}
	return "rejected: verify would fail: " + several(list), nil
}

// spelled is an absolute path as people write it: below the home with "~/",
// which means the same to the runtime in every scope.
func spelled(path, home string) string {
	if path == home {
		return "~/"
	}
	return pathname.Tilde(path, home)
}

// patched is the machine with one file as a change would leave it.
type patched struct {
	host.Reader
	paths []string
	bytes []byte
}

func with(r host.Reader, c report.Change) host.Reader {
	return patched{r, []string{c.Path, c.Target}, c.After}
}

// Read implements host.Reader.
func (p patched) Read(path string) ([]byte, error) {
	if slices.Contains(p.paths, path) {
		return p.bytes, nil
	}
	return p.Reader.Read(path)
}

// ReadAll implements host.Reader.
func (p patched) ReadAll(path string) ([]byte, error) {
	if slices.Contains(p.paths, path) {
		return p.bytes, nil
	}
	return p.Reader.ReadAll(path)
}
