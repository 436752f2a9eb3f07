// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a write creates besides its file is known before it
// begins, so that it can be taken away again, also after a kill.

package fs

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/steward-setup/steward-setup/internal/report"
)

// MissingDirs lists the parents of c.Target that do not exist, outermost
// first: those that Apply would create.
func MissingDirs(c report.Change) []string {
	if c.After == nil {
		return nil
	}
	var missing []string
	for dir := filepath.Dir(c.Target); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, iofs.ErrNotExist) {
			return missing
		}
		missing = append([]string{dir}, missing...)
	}
}

// RemoveEmpty removes a directory if it is empty, and else leaves it.
func RemoveEmpty(dir string) { _ = syscall.Rmdir(dir) }

// RemoveTemp removes what a killed Apply under this tag may have left beside
// target.
func RemoveTemp(target, tag string) {
	_ = os.Remove(filepath.Join(filepath.Dir(target), tempName(filepath.Base(target), tag)))
}

// IsTemp says whether path is what a killed Apply under this tag may have left
// beside target.
func IsTemp(path, target, tag string) bool {
	return path == filepath.Join(filepath.Dir(target), tempName(filepath.Base(target), tag))
}
