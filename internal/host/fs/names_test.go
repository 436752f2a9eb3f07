// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package fs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

// TestTheNamesOfNewDirectoriesAreSynced: no test can take the power away. What shows it is
// a directory that can be written in and not opened: all is synced, and nothing refused.
func TestTheNamesOfNewDirectoriesAreSynced(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root opens every directory")
	}
	all, synced := syncAll, 0
	syncAll = func() { synced++ }
	defer func() { syncAll = all }()
	for name, keep := range map[string]func(dir string) error{
		"store":   func(dir string) error { return Store(filepath.Join(dir, "receipt"), []byte("{}")) },
		"private": Private,
		"dirs":    func(dir string) error { return MakeDirs([]DirMode{{dir, 0o700}, {filepath.Join(dir, "in"), 0o700}}) },
		"journal": func(dir string) error { return AppendLine(filepath.Join(dir, "journal"), []byte("x"), 1000) },
		"apply": func(dir string) error {
			target := filepath.Join(dir, "file")
			return Apply(report.Change{ID: "a", Path: target, Target: target, After: []byte("x"), Mode: 0o600}, "r", nil)
		},
	} {
		top := filepath.Join(t.TempDir(), "top")
		if err := os.Mkdir(top, 0o300); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(top, 0o700) // for the cleanup
		synced = 0
		if err := keep(filepath.Join(top, "new", "dir")); err != nil || synced != 1 {
			t.Errorf("%s: synced %d times, %v", name, synced, err)
		}
	}
}
