// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package fs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAScratchDirectoryThatWasForgottenGoes: that of a process that was killed, and no
// other: not one in use, not one that anybody else made.
func TestAScratchDirectoryThatWasForgottenGoes(t *testing.T) {
	t.Setenv("TMPDIR", testenv.Home(t))
	at := func(name string) string { return filepath.Join(os.Getenv("TMPDIR"), name) }
	for _, name := range []string{"steward-setup-1", "steward-setup-2", "steward-setup-replica-3", "steward-setup-4"} {
		testenv.OK(t, os.Mkdir(at(name), 0o700))
		if name != "steward-setup-2" {
			testenv.Write(t, filepath.Join(at(name), "lock"), "", 0o600)
		}
	}
	testenv.OK(t, os.Chmod(at("steward-setup-4"), 0o755))
	used, remove, err := fs.Scratch()
	testenv.OK(t, err)
	second, removeSecond, err := fs.Scratch()
	testenv.OK(t, err)
	left, _ := filepath.Glob(at("*"))
	if len(left) != 5 || left[0] == at("steward-setup-1") {
		t.Errorf("left are %q", left)
	}
	testenv.OK(t, remove())
	testenv.OK(t, removeSecond())
	for _, dir := range []string{used, second} {
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is still there", dir)
		}
	}
}
