// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package fs_test

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestDeniedNamesTheDirectoryThatIsInTheWay(t *testing.T) {
	dir := testenv.Home(t)
	write(t, filepath.Join(dir, "file"), "", 0o644)
	at := func(name string) report.Change {
		return report.Change{Path: filepath.Join(dir, name), Target: filepath.Join(dir, name), After: []byte("new")}
	}
	for _, name := range []string{"file", "new", "deep/er/new"} {
		if err := fs.Denied(at(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := fs.Denied(at("file/below/it")); !errors.Is(err, fs.ErrDenied) ||
		!strings.Contains(err.Error(), filepath.Join(dir, "file")+":") {
		t.Errorf("got %v", err)
	}
	if os.Getuid() == 0 {
		return // permissions do not bind root
	}
	write(t, filepath.Join(dir, "locked", "file"), "", 0o644)
	testenv.OK(t, os.Chmod(filepath.Join(dir, "locked"), 0o555))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "locked"), 0o755) })
	if err := fs.Denied(at("locked/a/b")); !errors.Is(err, fs.ErrDenied) || !errors.Is(err, iofs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

// TestReadOnly holds the answer against the kernel's list of mounts (proc(5)):
// the options of the mount, and those of its file system.
func TestReadOnly(t *testing.T) {
	if _, err := fs.ReadOnly(filepath.Join(t.TempDir(), "gone")); err == nil {
		t.Error("a path that does not exist has an answer")
	}
	if got, err := fs.ReadOnly(t.TempDir()); err != nil || got {
		t.Errorf("a directory that was just made is read-only: %v, %v", got, err)
	}
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Skip(err)
	}
	last := map[string]bool{} // the last mount over a place counts
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		listed := func(list string) bool { return slices.Contains(strings.Split(list, ","), "ro") }
		last[fields[4]] = listed(fields[5]) || listed(fields[len(fields)-1])
	}
	for at, want := range last {
		if info, err := os.Stat(at); err != nil || !info.IsDir() {
			continue
		}
		if got, err := fs.ReadOnly(at); err == nil && got != want {
			t.Errorf("%s: %v, the kernel lists %v", at, got, want)
		}
	}
}

func TestLinks(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{os.MkdirAll(at("real/deep"), 0o755), os.Symlink("real", at("a")),
		os.Symlink("../a/deep", at("real/b")),
		os.Symlink("nowhere/x", at("broken")), os.Symlink("loop", at("loop"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string][]string{
		"real/deep/file": nil,
		"a/deep":         {at("a")},
		"a/b/file":       {at("a"), at("real/b"), at("a")},
		"broken":         {at("broken")},
		"missing/x":      nil,
	} {
		if diff := cmp.Diff(want, fs.WayTo(at(path)).Links); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	if len(fs.WayTo(at("loop")).Links) == 0 || !fs.WayTo(at("loop")).Through(nil) {
		t.Error("a link to itself leads nowhere in particular")
	}
}

// A HOME that does not exist leads to the root: the advice is never to open that.
func TestNobodyIsToldToOpenTheRoot(t *testing.T) {
	if os.Getuid() == 0 {
		return // permissions do not bind root
	}
	err := fs.Denied(report.Change{Path: "/not-there/.local/bin/x", Target: "/not-there/.local/bin/x"})
	e, ok := errors.AsType[*report.Error](err)
	if !ok || !errors.Is(err, fs.ErrDenied) || !strings.HasPrefix(e.Next, "set HOME, or the variable") {
		t.Errorf("got %v, next %v", err, e)
	}
}
