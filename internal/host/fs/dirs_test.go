// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package fs_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestDirectoriesComeBack(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "memory")
	closed := filepath.Join(root, "closed")
	testenv.OK(t, errors.Join(os.MkdirAll(filepath.Join(closed, "below"), 0o750), os.Chmod(closed, 0o550)))
	before := fs.DirModes(root)
	if len(before) != 3 {
		t.Fatalf("found %v", before)
	}
	testenv.OK(t, errors.Join(os.Chmod(closed, 0o750), os.RemoveAll(root)))
	for range 2 {
		testenv.OK(t, fs.MakeDirs(before))
	}
	if err := os.WriteFile(filepath.Join(closed, "file"), nil, 0o600); err != nil {
		t.Errorf("not writable while it is filled: %v", err)
	}
	for range 2 {
		testenv.OK(t, fs.CloseDirs(before))
	}
	if after := fs.DirModes(root); !slices.Equal(after, before) {
		t.Errorf("%v came back, want %v", after, before)
	}
	_ = os.Chmod(closed, 0o700) // for the cleanup
}

func TestDirectoriesAreNotMadeThroughASymlink(t *testing.T) {
	top := t.TempDir()
	repo, root := filepath.Join(top, "repo"), filepath.Join(top, "memory")
	testenv.OK(t, errors.Join(os.Mkdir(repo, 0o700), os.Symlink(repo, root)))
	list := []fs.DirMode{{Path: root, Mode: 0o500}, {Path: filepath.Join(root, "sub"), Mode: 0o755}}
	testenv.OK(t, errors.Join(fs.MakeDirs(list), fs.CloseDirs(list)))
	if left := fs.DirModes(repo); len(left) != 1 || left[0].Mode != 0o700 {
		t.Errorf("the symlink was followed: %v", left)
	}
}
