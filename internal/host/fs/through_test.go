// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package fs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/host/fs"
)

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
		if diff := cmp.Diff(want, fs.Links(at(path))); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	if len(fs.Links(at("loop"))) == 0 || !fs.Through(at("loop"), nil) {
		t.Error("a link to itself leads nowhere in particular")
	}
}
