// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package fs_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// A container may have a settings file mounted by itself: nothing takes its place.
func TestWhatIsMountedIsKnownBeforeAnythingIsWritten(t *testing.T) {
	testenv.Need(t, "unshare", "mount")
	dir := testenv.Home(t)
	for _, path := range []string{"file", "other", "commands/deep/er/x", "whole/file"} {
		write(t, filepath.Join(dir, path), "old", 0o644)
	}
	testenv.OK(t, os.Remove(filepath.Join(dir, "commands/deep/er/x")))
	cmd := exec.Command("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", `cd "$1" &&
		mount --bind other file && mount --bind whole commands/deep/er && mount --bind whole whole &&
		STEWARD_TEST_MOUNTED="$1" exec "$2"`, "sh", dir, testenv.Must(os.Executable())(t))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// deniedWhereMounted runs in a namespace of its own.
func deniedWhereMounted(dir string) int {
	at := func(name string) string { return filepath.Join(dir, name) }
	file := func(name string) report.Change {
		return report.Change{Path: at(name), Target: at(name), Before: []byte("old"), After: []byte("new"), Mode: 0o644}
	}
	link := report.Change{Path: at("commands"), Target: at("commands"), After: []byte("other"), Mode: os.ModeSymlink,
		Emptied: true}
	for _, c := range []report.Change{file("file"), link} {
		for _, err := range []error{fs.Denied(c), fs.Apply(c, "tag", nil)} {
			e, ok := errors.AsType[*report.Error](err)
			if !ok || !strings.HasSuffix(e.What, "is a mount point") {
				fmt.Printf("%s: %v\n", c.Path, err)
				return 10
			}
		}
	}
	removed := file("file")
	removed.After = nil
	if err := fs.Denied(removed); err == nil {
		fmt.Println("a mounted file could be removed")
		return 11
	}
	if err := errors.Join(fs.Denied(file("other")), fs.Apply(file("whole/file"), "tag", nil)); err != nil {
		fmt.Println(err)
		return 12
	}
	return 0
}
