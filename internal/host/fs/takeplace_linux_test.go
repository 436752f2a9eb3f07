// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package fs_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// exchanged skips a test where names cannot change places.
func exchanged(t *testing.T, path string) {
	t.Helper()
	other := filepath.Join(t.TempDir(), "other")
	write(t, other, "", 0o644)
	for range 2 {
		if err := unix.Renameat2(unix.AT_FDCWD, other, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE); err != nil {
			t.Skip("names cannot change places here:", err)
		}
	}
}

// TestAnEditAtTheLastMomentIsNotLost: one that comes when the file was compared, and
// another one when the first was found.
func TestAnEditAtTheLastMomentIsNotLost(t *testing.T) {
	for name, c := range map[string]struct {
		edits map[string]string // by the stage before which they come
		code  int
		want  []string
	}{
		"one": {map[string]string{"rename": "edit"}, report.ExitStale, []string{"edit"}},
		"two": {map[string]string{"rename": "edit", "compare what was replaced": "more"}, report.ExitLeft,
			[]string{"edit", "more"}},
	} {
		dir := testenv.Home(t)
		path := filepath.Join(dir, "settings.json")
		write(t, path, "shown", 0o644)
		exchanged(t, path)
		change := report.Change{Path: path, Target: path, Before: []byte("shown"), After: []byte("ours"), Mode: 0o644}
		err := fs.Apply(change, "tag", func(stage string) {
			if edit, is := c.edits[stage]; is {
				write(t, path, edit, 0o644)
			}
		})
		if e, ok := errors.AsType[*report.Error](err); !ok || e.Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
		var there []string
		for _, f := range testenv.Must(os.ReadDir(dir))(t) {
			there = append(there, string(testenv.Must(fs.Read(filepath.Join(dir, f.Name())))(t)))
		}
		if slices.Sort(there); !slices.Equal(there, c.want) {
			t.Errorf("%s: there are %q, want %q", name, there, c.want)
		}
	}
}

// TestASymlinkThatIsTurnedAtTheLastMomentStays: as a file does.
func TestASymlinkThatIsTurnedAtTheLastMomentStays(t *testing.T) {
	dir := testenv.Home(t)
	link := filepath.Join(dir, "link")
	testenv.Link(t, "shown", link)
	exchanged(t, link)
	change := report.Change{Path: link, Target: link, Before: []byte("shown"), After: []byte("ours"),
		Mode: os.ModeSymlink, ModeBefore: os.ModeSymlink}
	testenv.OK(t, fs.Apply(change, "tag", nil))
	change.Before, change.After = change.After, []byte("other")
	err := fs.Apply(change, "tag", func(stage string) {
		if stage == "rename" {
			testenv.OK(t, os.Remove(link))
			testenv.Link(t, "edit", link)
		}
	})
	if to, _ := os.Readlink(link); to != "edit" || err == nil {
		t.Errorf("it leads to %q, %v", to, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}
