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
	"github.com/steward-setup/steward-setup/internal/report"
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

// No test can take the power away. What shows that the name of a new directory is
// synced is a directory that can be written in and not opened: then it is not, and what
// is kept below is not said to last.
func TestWhatIsKeptInANewDirectoryIsNotSaidToLastWithoutItsName(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root opens every directory")
	}
	for name, keep := range map[string]func(dir string) error{
		"store":   func(dir string) error { return fs.Store(filepath.Join(dir, "receipt"), []byte("{}")) },
		"private": fs.Private,
		"apply": func(dir string) error {
			target := filepath.Join(dir, "file")
			return fs.Apply(report.Change{ID: "a", Path: target, Target: target, After: []byte("x"), Mode: 0o600}, "r", nil)
		},
	} {
		top := filepath.Join(t.TempDir(), "top")
		testenv.OK(t, os.Mkdir(top, 0o300))
		defer os.Chmod(top, 0o700) // for the cleanup
		err := keep(filepath.Join(top, "new", "dir"))
		if e, ok := errors.AsType[*report.Error](err); !ok || e.Code != report.ExitLeft {
			t.Errorf("%s: %v", name, err)
		}
	}
}
