// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package fs_test

import (
	"bytes"
	"errors"
	iofs "io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("STEWARD_TEST_FULL_DISK"); dir != "" {
		os.Exit(writeToFullDisk(dir))
	}
	if dir := os.Getenv("STEWARD_TEST_MOUNTED"); dir != "" {
		os.Exit(deniedWhereMounted(dir))
	}
	os.Exit(m.Run())
}

func write(t *testing.T, path, content string, mode iofs.FileMode) {
	t.Helper()
	testenv.Write(t, path, content, mode)
	testenv.OK(t, os.Chmod(path, mode))
}

func read(t *testing.T, path string) string {
	t.Helper()
	return testenv.Read(t, path)
}

func code(t *testing.T, err error) int {
	t.Helper()
	var e *report.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *report.Error", err)
	}
	return e.Code
}

func onlyFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries := testenv.Must(os.ReadDir(dir))(t)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

func TestANewFileGetsItsModeAndItsDirectories(t *testing.T) {
	home := testenv.Home(t)
	path := filepath.Join(home, "a", "b", "script.sh")
	c := report.Change{Path: path, Target: path, After: []byte("#!/bin/sh\n"), Mode: 0o755}
	if got := fs.MissingDirs(c); len(got) != 2 || got[0] != filepath.Join(home, "a") {
		t.Errorf("missing directories: %q", got)
	}
	testenv.OK(t, fs.Apply(c, "tag", nil))
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Fatalf("%v, %v; want mode 0755", info, err)
	}
	onlyFiles(t, filepath.Dir(path), "script.sh")
}

func TestALinkStaysALinkAndItsTargetIsWritten(t *testing.T) {
	home := testenv.Home(t)
	target := filepath.Join(home, "dotfiles", "claude.json")
	link := filepath.Join(home, ".claude", "settings.json")
	write(t, target, "old", 0o640)
	testenv.Link(t, "../dotfiles/claude.json", link)
	resolved, err := fs.Resolve(link)
	if err != nil || resolved != target {
		t.Fatalf("Resolve = %q, %v; want %q", resolved, err, target)
	}
	testenv.OK(t, fs.Apply(report.Change{Path: link, Target: resolved, Before: []byte("old"), After: []byte("new"),
		Mode: 0o644}, "tag", nil))
	if to, err := os.Readlink(link); err != nil || to != "../dotfiles/claude.json" {
		t.Errorf("the link is now %q, %v", to, err)
	}
	if got := read(t, target); got != "new" {
		t.Errorf("the target holds %q", got)
	}
	if info, _ := os.Stat(target); info.Mode().Perm() != 0o640 {
		t.Errorf("mode is %v; an existing file keeps its own", info.Mode())
	}
}

func TestALinkIntoADirectoryThatDoesNotExistYetResolves(t *testing.T) {
	home := testenv.Home(t)
	testenv.Link(t, "dotfiles/new.json", filepath.Join(home, "settings.json"))
	if _, err := fs.Resolve(filepath.Join(home, "settings.json")); err == nil {
		t.Error("a link below a directory that is missing must not be taken for a place to write")
	}
	loop := filepath.Join(home, "loop")
	testenv.Link(t, "loop", loop)
	if _, err := fs.Resolve(loop); err == nil {
		t.Error("a loop resolved")
	}
}

func TestAFileThatMovedOnIsLeftAlone(t *testing.T) {
	for name, tc := range map[string]struct {
		before []byte
		spoil  func(path string) error
	}{
		"edited":  {[]byte("shown"), func(p string) error { return os.WriteFile(p, []byte("edited"), 0o644) }},
		"created": {nil, func(p string) error { return os.WriteFile(p, []byte("mine"), 0o644) }},
		"removed": {[]byte("shown"), os.Remove},
		"became a link": {[]byte("shown"), func(p string) error {
			return errors.Join(os.Remove(p), os.Symlink("/etc/hostname", p))
		}},
		"became a pipe": {[]byte("shown"), func(p string) error {
			return errors.Join(os.Remove(p), syscall.Mkfifo(p, 0o644))
		}},
		"became a dir":   {[]byte("shown"), func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o755)) }},
		"emptied":        {[]byte("shown"), func(p string) error { return os.Truncate(p, 0) }},
		"edited midway":  {[]byte("shown"), nil},
		"created midway": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := testenv.Home(t)
			path := filepath.Join(dir, "settings.json")
			if tc.before != nil {
				write(t, path, string(tc.before), 0o644)
			}
			c := report.Change{Path: path, Target: path, Before: tc.before, After: []byte("ours"), Mode: 0o644}
			step := func(stage string) {
				if tc.spoil == nil && stage == "sync temporary file" {
					write(t, path, "edited", 0o644)
				}
			}
			if tc.spoil != nil {
				testenv.OK(t, tc.spoil(path))
			}
			err := fs.Apply(c, "tag", step)
			if err == nil {
				t.Fatal("it was written over")
			}
			if b, err := fs.Read(path); err == nil && string(b) == "ours" {
				t.Error("the file holds our bytes")
			}
			if entries, _ := os.ReadDir(dir); len(entries) > 1 {
				t.Errorf("left behind: %v", entries)
			}
		})
	}
}

func TestAReadOnlyFileIsRefused(t *testing.T) {
	path := filepath.Join(testenv.Home(t), "settings.json")
	write(t, path, "old", 0o444)
	err := fs.Apply(report.Change{Path: path, Target: path, Before: []byte("old"), After: []byte("new")}, "tag", nil)
	if err == nil || code(t, err) != report.ExitLeft || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("got %v", err)
	}
	if read(t, path) != "old" {
		t.Error("it was written")
	}
}

func TestARepositoryCannotLeadAWriteOutsideItself(t *testing.T) {
	home := testenv.Home(t)
	repo, outside := filepath.Join(home, "repo"), filepath.Join(home, "outside")
	write(t, filepath.Join(outside, "settings.json"), "private", 0o644)
	testenv.OK(t, errors.Join(os.Mkdir(repo, 0o755), os.Symlink(outside, filepath.Join(repo, ".claude"))))
	target := filepath.Join(repo, ".claude", "settings.json")
	for _, before := range [][]byte{nil, []byte("private")} {
		c := report.Change{Path: target, Target: target, Within: repo, Before: before, After: []byte("ours"), Mode: 0o644}
		if err := fs.Apply(c, "tag", nil); err == nil {
			t.Error("a write went through a link out of the repository")
		}
	}
	if read(t, filepath.Join(outside, "settings.json")) != "private" {
		t.Error("the file outside was written")
	}
}

func TestARefusalSaysWhatThereIsNow(t *testing.T) {
	dir := testenv.Home(t)
	path := filepath.Join(dir, "settings.json")
	write(t, path, "old", 0o644)
	for want, before := range map[string][]byte{"the old file is as it was": []byte("old"),
		"there was no file, and there is none now": nil} {
		c := report.Change{Path: path, Target: path, Before: before, After: []byte("new"), Mode: 0o644}
		if before == nil {
			c.Path, c.Target = path+"/below", path+"/below"
		}
		err := fs.Apply(c, strings.Repeat("x", 300), nil) // a temporary file's name may not be so long
		var e *report.Error
		if !errors.As(err, &e) || e.Why != want || !strings.Contains(e.Next, "new plan with the same flags") {
			t.Errorf("got %v, %+v; want %q", err, e, want)
		}
	}
	if read(t, path) != "old" {
		t.Error("the file changed")
	}
}

func TestAFullDiskLosesNothing(t *testing.T) {
	testenv.Need(t, "unshare", "mount")
	exe := testenv.Must(os.Executable())(t)
	cmd := exec.Command("unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
		`mount -t tmpfs -o size=64k tmpfs "$1" && STEWARD_TEST_FULL_DISK="$1" exec "$2"`, "sh", testenv.Home(t), exe)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// writeToFullDisk runs in a namespace of its own, on a disk of 64 kB.
func writeToFullDisk(dir string) int {
	path := filepath.Join(dir, "settings.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		return 10
	}
	c := report.Change{Path: path, Target: path, Before: []byte("old"), After: make([]byte, 1<<20), Mode: 0o600}
	err := fs.Apply(c, "tag", nil)
	var e *report.Error
	if !errors.As(err, &e) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(e.Next, "free some space") {
		return 11
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
		return 12
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		return 13
	}
	return 0
}

func TestReadingIsBounded(t *testing.T) {
	dir := testenv.Home(t)
	big, pipe := filepath.Join(dir, "big"), filepath.Join(dir, "pipe")
	write(t, big, strings.Repeat("x", fs.MaxRead+1), 0o644)
	testenv.OK(t, syscall.Mkfifo(pipe, 0o644))
	for _, path := range []string{big, pipe, dir, filepath.Join(dir, "absent")} {
		if _, err := fs.Read(path); err == nil {
			t.Errorf("%s was read", path)
		}
	}
	if _, err := fs.ReadIn(dir, "../"+filepath.Base(dir)+"/big"); err == nil {
		t.Error("ReadIn left its root")
	}
}

func TestAFileThatIsReplacedWhileItIsLookedAtIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, bytes.Repeat([]byte{'a'}, 3*os.Getpagesize()), 0o755); err != nil {
		t.Fatal(err)
	}
	err := fs.Map(path, func(b []byte) error {
		if err := os.Truncate(path, 1); err != nil {
			return err
		}
		t.Log("found at ", bytes.IndexByte(b, 'z'))
		return nil
	})
	if err == nil {
		t.Error("bytes that were gone were looked at, and that is no error")
	}
}

func TestAScriptIsReadAndAProgramIsNot(t *testing.T) {
	dir := testenv.Home(t)
	path, pipe := filepath.Join(dir, "f"), filepath.Join(dir, "pipe")
	testenv.OK(t, syscall.Mkfifo(pipe, 0o644))
	for text, want := range map[string]string{"#!/bin/sh\necho": "#!/bin/sh\necho", "#!": "#!", "#": "", "": "",
		"\x7fELF" + strings.Repeat("x", fs.MaxRead): ""} {
		write(t, path, text, 0o644)
		if b, err := fs.Script(path); err != nil || string(b) != want || (b != nil) != (want != "") {
			t.Errorf("%.20q: %q, %v", text, b, err)
		}
	}
	write(t, path, "#!"+strings.Repeat("x", fs.MaxRead), 0o644)
	for _, path := range []string{path, pipe, dir, filepath.Join(dir, "absent")} {
		if _, err := fs.Script(path); err == nil {
			t.Errorf("%s was read", path)
		}
	}
}
