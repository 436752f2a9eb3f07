// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: two snapshots of a directory are equal only if nothing
// that a user could notice has changed: names, kinds, bytes, links,
// permissions, owners.

package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// tree describes what is below a directory, by path relative to it.
type tree map[string]string

func readTree(dir string) (tree, error) {
	seen := tree{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		what := info.Mode().String()
		if owner, ok := info.Sys().(*syscall.Stat_t); ok {
			what += fmt.Sprintf(" %d:%d", owner.Uid, owner.Gid)
		}
		switch {
		case info.Mode().IsRegular():
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += fmt.Sprintf(" %x", sha256.Sum256(text))
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			what += " -> " + target
		}
		seen[rel] = what
		return nil
	})
	return seen, err
}

// compare lists the differences, a line each. What is at or below one of
// allowed may differ, and directories may be created to hold it.
func (before tree) compare(after tree, allowed []string) []string {
	all := maps.Clone(before)
	maps.Copy(all, after)
	var lines []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		was, existed := before[path]
		is, exists := after[path]
		free := slices.ContainsFunc(allowed, func(a string) bool {
			return path == a || strings.HasPrefix(path, a+"/") ||
				!existed && is[0] == 'd' && strings.HasPrefix(a, path+"/")
		})
		switch {
		case free || was == is:
		case !existed:
			lines = append(lines, "created "+path+"  "+is)
		case !exists:
			lines = append(lines, "removed "+path+"  "+was)
		default:
			lines = append(lines, "changed "+path+"  "+was+"  ->  "+is)
		}
	}
	return lines
}

func TestSnapshotsSeeEveryChange(t *testing.T) {
	write := func(dir, name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		testenv.Write(t, path, text, 0o644)
	}
	for name, c := range map[string]struct {
		change  func(dir string) error
		allowed []string
		want    int
	}{
		"nothing":         {func(string) error { return nil }, nil, 0},
		"the same bytes":  {func(dir string) error { write(dir, "a", "1"); return nil }, nil, 0},
		"other bytes":     {func(dir string) error { write(dir, "a", "2"); return nil }, nil, 1},
		"a mode":          {func(dir string) error { return os.Chmod(filepath.Join(dir, "a"), 0o600) }, nil, 1},
		"a file gone":     {func(dir string) error { return os.Remove(filepath.Join(dir, "a")) }, nil, 1},
		"a new directory": {func(dir string) error { return os.Mkdir(filepath.Join(dir, "new"), 0o755) }, nil, 1},
		"a state file": {func(dir string) error { write(dir, ".local/state/s/log", "x"); return nil },
			[]string{".local/state/s"}, 0},
		"beside the state": {func(dir string) error { write(dir, ".local/other", "x"); return nil },
			[]string{".local/state/s"}, 1},
		"a link for a file": {func(dir string) error {
			return os.Rename(filepath.Join(dir, "link"), filepath.Join(dir, "a"))
		}, nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(dir, "a", "1")
			testenv.OK(t, os.Symlink("a", filepath.Join(dir, "link")))
			before := testenv.Must(readTree(dir))(t)
			testenv.OK(t, c.change(dir))
			after := testenv.Must(readTree(dir))(t)
			if got := before.compare(after, c.allowed); len(got) != c.want {
				t.Errorf("%q, want %d differences", got, c.want)
			}
		})
	}
}
