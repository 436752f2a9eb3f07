// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is copied onto a stage is counted, and what is too
// much is refused before it is read.

package stage

import (
	"fmt"
	iofs "io/fs"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Bounds of what is copied onto a stage, all together.
const (
	maxFiles = 20_000
	maxBytes = 64 << 20
)

// copier is what may still be copied.
type copier struct{ files, bytes int64 }

// copy hands every file, link and directory at and below path to lay. What
// is neither is left out.
func (c *copier) copy(r host.Reader, path string, lay func(fs.Laid)) error {
	info, err := r.Lstat(path)
	if err != nil {
		return nil //nolint:nilerr // gone meanwhile: git makes and removes files while it works
	}
	switch {
	case info.IsDir():
		lay(fs.Directory(path))
		entries, err := r.ReadDir(path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := c.copy(r, filepath.Join(path, e.Name()), lay); err != nil {
				return err
			}
		}
	case info.Mode()&iofs.ModeSymlink != 0:
		if to, err := r.Readlink(path); err == nil && to != "" {
			lay(fs.Laid{Path: path, Link: to})
		}
	case info.Mode().IsRegular():
		c.files--
		c.bytes -= info.Size()
		if c.files < 0 || c.bytes < 0 {
			return &report.Error{Code: report.ExitLeft, Where: path,
				What: fmt.Sprintf("more than %d files or %d MB would have to be copied into memory", maxFiles, maxBytes>>20),
				Why: "a rehearsal works in a copy of the git directory without the objects, and, for root, of files that only " +
					"root may read", Next: "git pack-refs --all and git gc make a git directory smaller"}
		}
		b, err := r.ReadAll(path)
		if err != nil {
			return err
		}
		lay(fs.Laid{Path: path, Mode: info.Mode().Perm() | 0o600, Data: b})
	}
	return nil
}
