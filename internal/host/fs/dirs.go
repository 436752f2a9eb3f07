// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: directories that gave way to a symlink come back as they
// were, with their modes and those that were empty. What lies behind a symlink,
// or is there already, is left alone.

package fs

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// DirMode is a directory and what chmod(2) sets of its mode.
type DirMode struct {
	Path string        `json:"path"`
	Mode iofs.FileMode `json:"mode"`
}

const chmodBits = iofs.ModePerm | iofs.ModeSetuid | iofs.ModeSetgid | iofs.ModeSticky

// filling is what making files in a directory needs.
const filling iofs.FileMode = 0o700

// DirModes lists dir, if it is a directory, and those below it, outermost
// first. What cannot be looked at is left out.
func DirModes(dir string) (list []DirMode) {
	_ = filepath.WalkDir(dir, func(path string, e iofs.DirEntry, err error) error {
		if e == nil || !e.IsDir() {
			return nil
		}
		if info, infoErr := e.Info(); infoErr == nil && err == nil {
			list = append(list, DirMode{path, info.Mode() & chmodBits})
		}
		return nil
	})
	return list
}

// NoDirs lists those of list that are no directories now: what MakeDirs would
// make, once symlinks gave way.
func NoDirs(list []DirMode) []DirMode {
	return slices.DeleteFunc(slices.Clone(list), func(d DirMode) bool {
		info, err := os.Lstat(d.Path)
		return err == nil && info.IsDir() && !behind(d.Path, list)
	})
}

// MakeDirs makes those of list that are missing, outermost first, such that the
// user can make files in them, and returns when their names are on disk; CloseDirs
// takes the mode back. Parents that are missing are made as Apply makes them.
func MakeDirs(list []DirMode) error {
	var made []string
	err := eachDir(list, func(d DirMode, info iofs.FileInfo) error {
		if info != nil {
			return nil
		}
		made = append(made, missingDirs(d.Path)...)
		if err := os.MkdirAll(filepath.Dir(d.Path), 0o755); err != nil {
			return err
		}
		if err := os.Mkdir(d.Path, filling); err != nil {
			return err
		}
		return os.Chmod(d.Path, d.Mode|filling) // whatever the umask is
	})
	if err != nil {
		return err
	}
	return syncNames(made)
}

// CloseDirs gives those of list their modes that are as MakeDirs made them.
func CloseDirs(list []DirMode) error {
	inside := slices.Clone(list)
	slices.Reverse(inside) // a closed one hides what is below
	return eachDir(inside, func(d DirMode, info iofs.FileInfo) error {
		if info == nil || d.Mode == d.Mode|filling || info.Mode()&chmodBits != d.Mode|filling {
			return nil
		}
		return os.Chmod(d.Path, d.Mode)
	})
}

// eachDir calls do for each place that is a directory, or with nil for nothing.
func eachDir(list []DirMode, do func(d DirMode, info iofs.FileInfo) error) error {
	var errs []error
	for _, d := range list {
		if behind(d.Path, list) {
			continue
		}
		info, err := os.Lstat(d.Path)
		switch {
		case errors.Is(err, iofs.ErrNotExist):
			errs = append(errs, do(d, nil))
		case err != nil:
			errs = append(errs, err)
		case info.IsDir():
			errs = append(errs, do(d, info))
		}
	}
	return errors.Join(errs...)
}

// behind says whether path lies below a directory of list that is now something
// else.
func behind(path string, list []DirMode) bool {
	return slices.ContainsFunc(list, func(d DirMode) bool {
		if d.Path == path || !pathname.Within(path, d.Path) {
			return false
		}
		info, err := os.Lstat(d.Path)
		return err == nil && !info.IsDir()
	})
}

// MissingDirs lists the parents of c.Target that do not exist, outermost
// first: those that Apply would create.
func MissingDirs(c report.Change) []string {
	if c.After == nil {
		return nil
	}
	return missingDirs(filepath.Dir(c.Target))
}

// missingDirs lists dir and those above it that do not exist, outermost first.
func missingDirs(dir string) (missing []string) {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, iofs.ErrNotExist) {
			return missing
		}
		missing = append([]string{dir}, missing...)
	}
}

// mkdirAll is os.MkdirAll for private directories, and returns when the names of what it
// made are on disk: a file that is synced in a directory without a name is lost with it.
func mkdirAll(dir string) error {
	missing := missingDirs(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syncNames(missing)
}

// syncNames returns when the names of these directories are on disk. Where the one above
// may be written in and not opened, or its file system syncs no directory, all is synced:
// what was made is no reason to refuse.
func syncNames(dirs []string) error {
	for _, dir := range dirs {
		above, err := os.OpenRoot(filepath.Dir(dir))
		if err == nil {
			err = errors.Join(syncDir(above), above.Close())
		}
		switch {
		case errors.Is(err, iofs.ErrPermission), errors.Is(err, syscall.EINVAL), errors.Is(err, errors.ErrUnsupported):
			syncAll()
		case err != nil:
			return err
		}
	}
	return nil
}

// syncAll is sync(2); a test sees that it is called.
var syncAll = func() { unix.Sync() }

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
