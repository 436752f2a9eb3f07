// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a scratch directory is the program's own from making to
// removing; nothing else is written here.

package fs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

const scratchName, scratchLock = "steward-setup-", "lock"

// Scratch makes a private directory for temporary things, with links in its
// path resolved, and returns it with what removes it again. One whose process
// was killed before it could is removed first.
func Scratch() (dir string, remove func() error, err error) {
	forgotten, _ := filepath.Glob(filepath.Join(os.TempDir(), scratchName+"[0-9]*"))
	for _, dir := range forgotten {
		abandoned(dir)
	}
	if dir, err = os.MkdirTemp("", scratchName); err != nil {
		return "", nil, err
	}
	unlock, err := LockFile(filepath.Join(dir, scratchLock))
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	remove = func() error {
		defer unlock()
		return os.RemoveAll(dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return real, remove, nil
}

// abandoned removes a scratch directory of this user's whose lock nobody holds.
func abandoned(dir string) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		return
	}
	lock := filepath.Join(dir, scratchLock)
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return
	}
	if _, err := os.Lstat(lock); err != nil {
		return
	}
	if unlock, err := LockFile(lock); err == nil {
		_ = os.RemoveAll(dir)
		unlock()
	}
}

// Put writes a file with its directories, for scratch directories only.
func Put(path, content string, mode iofs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), mode)
}

// Fingerprint is one digest over a directory's names, modes, link targets and
// bytes, except below the paths left out: equal when nothing has changed.
func Fingerprint(root string, except ...string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(root, func(path string, d iofs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.Contains(except, path) {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %v ", path, info.Mode())
		switch {
		case info.Mode()&iofs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			fmt.Fprintf(h, "%q", to)
			return err
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			fmt.Fprintf(h, "%x", sha256.Sum256(b))
			return err
		}
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
