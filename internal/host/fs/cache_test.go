// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package fs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestRefreshIsDoneByOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache", "x.json")
	never := func([]byte) bool { return false }
	inner := 0
	err := fs.Refresh(path, never, func() ([]byte, error) {
		// While one fetches, another goes on without.
		err := fs.Refresh(path, never, func() ([]byte, error) { inner++; return nil, nil })
		return []byte("one"), err
	})
	if b, _ := os.ReadFile(path); err != nil || inner != 0 || string(b) != "one" {
		t.Fatalf("%v, %d fetched beside it, the file is %q", err, inner, b)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := fs.Refresh(path, func(b []byte) bool { return string(b) == "one" }, func() ([]byte, error) {
		return nil, errors.New("fetched again")
	}); err != nil {
		t.Error(err)
	}
	if err := fs.Refresh(path, never, func() ([]byte, error) { return nil, errors.New("offline") }); err == nil {
		t.Error("a failure is kept quiet about")
	}
	if b, _ := os.ReadFile(path); string(b) != "one" {
		t.Errorf("a failure left %q", b)
	}
}

func TestWhatSomebodyPutInTheWayOfATemporaryFileIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "x.json"), filepath.Join(dir, "other")
	testenv.OK(t, errors.Join(os.WriteFile(other, []byte("theirs"), 0o600), os.Symlink(other, path+".new")))
	testenv.OK(t, fs.Store(path, []byte("one")))
	testenv.OK(t, syscall.Mkfifo(path+".new", 0o600))
	testenv.OK(t, fs.Store(path, []byte("two"))) // or it waits for a reader for ever
	for name, want := range map[string]string{path: "two", other: "theirs"} {
		if b, err := os.ReadFile(name); string(b) != want {
			t.Errorf("%s holds %q, %v", name, b, err)
		}
	}
}

// TestASymlinkInTheCacheIsNotFollowed, not for a lock either.
func TestASymlinkInTheCacheIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	docs, cache := filepath.Join(dir, "docs"), filepath.Join(dir, "cache")
	testenv.Write(t, filepath.Join(docs, "theirs"), "", 0o600)
	testenv.OK(t, os.Symlink(docs, cache))
	fetched := false
	err := fs.Refresh(filepath.Join(cache, "x.json"), func([]byte) bool { return false }, func() ([]byte, error) {
		fetched = true
		return nil, nil
	})
	if err == nil || fetched {
		t.Errorf("fetched: %v, error: %v", fetched, err)
	}
	fs.Uncache(cache, []string{"theirs"})
	if left, err := os.ReadDir(docs); err != nil || len(left) != 1 || left[0].Name() != "theirs" {
		t.Errorf("behind the symlink is %v, %v", left, err)
	}
}

func TestReadTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	text := strings.Repeat("0123456789\n", 10)
	testenv.OK(t, os.WriteFile(path, []byte(text), 0o600))
	for n, want := range map[int64]string{1000: text, 110: text, 109: text[11:], 25: text[88:], 12: text[99:], 5: "",
		0: ""} {
		if got, err := fs.ReadTail(path, n); err != nil || string(got) != want {
			t.Errorf("the last %d bytes: %q, %v; want %q", n, got, err, want)
		}
	}
	if _, err := fs.ReadTail(filepath.Dir(path), 10); err == nil {
		t.Error("a directory was read")
	}
}
