// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whole-user scope works only while every hook's file is in
// the shared directory, as it was written: one that is not there is a hook
// that no repository runs.

package githooks

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// FileState is what became of a file of the shared directory.
type FileState string

// The states. A file is edited if it has our marker and is not what this
// version writes.
const (
	Current       FileState = "current"
	Edited        FileState = "edited"
	Missing       FileState = "missing"
	NotExecutable FileState = "not executable"
	Foreign       FileState = scripts.Foreign
)

// File is one hook of the shared directory.
type File struct {
	Name  string    `json:"name"`
	State FileState `json:"state"`
}

// Directory is the shared directory as it is.
type Directory struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
	// Installed says that a dispatcher of ours is in it.
	Installed bool   `json:"installed"`
	Hooks     []File `json:"hooks"`
	// Others are the names in it that are no hook of git's.
	Others []string `json:"others"`
	// OtherVersion says that every hook of git's has the same dispatcher, and
	// it is not this version's: so an upgrade of the program finds them.
	OtherVersion bool `json:"other_version,omitempty"`
	// Filled is what the dispatchers are filled with.
	Filled scripts.Dispatcher `json:"-"`
}

// Look looks at the shared directory.
func Look(r host.Reader) Directory {
	d := Directory{Path: SharedDir(r.Places()), Hooks: []File{}, Others: []string{}}
	entries, err := r.ReadDir(d.Path)
	if d.Exists = err == nil; !d.Exists {
		return d
	}
	for _, e := range entries {
		if !slices.Contains(scripts.GitHooks, e.Name()) {
			d.Others = append(d.Others, e.Name())
		}
	}
	known := false // Filled is that of a dispatcher of this version
	texts := map[string]int{}
	for _, name := range scripts.GitHooks {
		b, err := r.Read(filepath.Join(d.Path, name))
		if err != nil || !scripts.IsDispatcher(b) {
			continue
		}
		texts[string(b)]++
		filled, current := scripts.ReadDispatcher(b)
		if !d.Installed || current && !known {
			d.Filled, known = filled, current
		}
		d.Installed = true
	}
	for _, n := range texts {
		d.OtherVersion = !known && n == len(scripts.GitHooks)
	}
	for _, name := range scripts.GitHooks {
		d.Hooks = append(d.Hooks, File{name, d.state(r, filepath.Join(d.Path, name))})
	}
	return d
}

// Runs says whether the shared hook of that name starts what git would start
// without it.
func (d Directory) Runs(name string) bool {
	return slices.ContainsFunc(d.Hooks, func(f File) bool {
		return f.Name == name && (f.State == Current || f.State == Edited && d.OtherVersion)
	})
}

func (d *Directory) state(r host.Reader, path string) FileState {
	if !host.There(r, path) {
		return Missing
	}
	b, err := r.Read(path)
	if err != nil || !scripts.IsDispatcher(b) {
		return Foreign
	}
	filled, current := scripts.ReadDispatcher(b)
	switch {
	case !host.Program(r, path):
		return NotExecutable
	case !current || filled != d.Filled:
		return Edited
	}
	return Current
}

// Outdated says what the shared hooks start in place of what git would start
// without them today; "" where that is the same. The error is a *report.Error.
func (d Directory) Outdated(ctx context.Context, r host.Reader) (string, error) {
	if !d.Installed {
		return "", nil
	}
	before, varies, err := Before(ctx, r)
	said := func(value string) string {
		if value == "" {
			return "each repository's own hooks"
		}
		return "those of " + value
	}
	start := "the shared hooks start " + said(d.Filled.Before)
	switch {
	case err != nil:
		return "", err
	case d.Filled.Asks: // git is asked each time
	case varies:
		return start + ", and a file that git includes on a condition sets core.hooksPath now", nil
	case before.Value != d.Filled.Before:
		return start + "; without them git would now run " + said(before.Value), nil
	}
	return "", nil
}

// Drift lists the hooks that are not as they were written.
func (d Directory) Drift() []File {
	var list []File
	for _, f := range d.Hooks {
		if f.State != Current {
			list = append(list, f)
		}
	}
	return list
}
