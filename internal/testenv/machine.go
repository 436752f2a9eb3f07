// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a machine that was set up once is set up as well wherever it is copied to.

package testenv

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// CopyMachine copies what lies in the directory from, which is of a machine that install
// wrote to, into the directory to: what names from/ there names to/ here, and receipts have
// the seal of what they say then.
func CopyMachine(t testing.TB, from, to string) {
	t.Helper()
	OK(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		at := filepath.Join(to, strings.TrimPrefix(path, from))
		switch {
		case d.IsDir():
			return os.MkdirAll(at, info.Mode().Perm())
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(strings.ReplaceAll(target, from+"/", to+"/"), at)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b = bytes.ReplaceAll(b, []byte(from+"/"), []byte(to+"/"))
		if d.Name() == "receipt.json" {
			b = Sealed(t, filepath.Join(path, "../../.."), b)
		}
		return Put(at, b, info.Mode().Perm())
	}))
}

// Put writes a file with exactly this mode. While it is open no other test
// forks: a child that holds it open for writing would keep it from being
// started (ETXTBSY).
func Put(path string, b []byte, mode fs.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, b, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
