// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package fs_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestAppendLineMakesAPrivateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "steward-setup", "journal.jsonl")
	for _, line := range []string{"one", "two"} {
		testenv.OK(t, fs.AppendLine(path, []byte(line), 1<<20))
	}
	if got := read(t, path); got != "one\ntwo\n" {
		t.Errorf("the file holds %q", got)
	}
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		if info, err := os.Stat(p); err != nil || info.Mode() != want {
			t.Errorf("%s has mode %v, want %v (%v)", p, info.Mode(), want, err)
		}
	}
}

func TestAppendLineTakesAwayWhatOthersMayRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	write(t, path, "old\n", 0o644)
	testenv.OK(t, fs.AppendLine(path, []byte("new"), 1<<20))
	if info, _ := os.Stat(path); info.Mode() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestAppendLineEndsATornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	write(t, path, "whole\n{\"torn", 0o600)
	testenv.OK(t, fs.AppendLine(path, []byte("next"), 1<<20))
	if got := read(t, path); got != "whole\n{\"torn\nnext\n" {
		t.Errorf("the file holds %q", got)
	}
}

func TestAppendLineRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	target, link, fifo := filepath.Join(dir, "target"), filepath.Join(dir, "link"), filepath.Join(dir, "fifo")
	write(t, target, "", 0o600)
	testenv.OK(t, os.Symlink(target, link))
	testenv.OK(t, syscall.Mkfifo(fifo, 0o600))
	for _, path := range []string{link, fifo, dir} {
		if err := fs.AppendLine(path, []byte("x"), 1<<20); err == nil {
			t.Errorf("%s was written to", path)
		}
	}
	if got := read(t, target); got != "" {
		t.Errorf("the link's target holds %q", got)
	}
}

func TestAppendLineKeepsOneOldGeneration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	line := bytes.Repeat([]byte("x"), 99)
	for range 35 {
		testenv.OK(t, fs.AppendLine(path, line, 1000))
	}
	for _, p := range []string{path, path + ".1"} {
		if n := len(read(t, p)); n == 0 || n > 1000 {
			t.Errorf("%s has %d bytes", p, n)
		}
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 2 {
		t.Errorf("%d files, want 2", len(entries))
	}
	// A line longer than the limit still has a place of its own.
	testenv.OK(t, fs.AppendLine(path, bytes.Repeat(line, 20), 1000))
}

// Four processes append through a rotation; the two generations hold every
// line, whole.
func TestAppendLineFromManyProcesses(t *testing.T) {
	const each, processes = 300, 4
	path := filepath.Join(t.TempDir(), "j")
	var wg sync.WaitGroup
	for p := range processes {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestAppendLineWriter$")
			cmd.Env = []string{appendEnv + "=" + path, "STEWARD_TEST_WRITER=" + fmt.Sprint(p)}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("writer %d: %v: %s", p, err, out)
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for line := range strings.Lines(read(t, path+".1") + read(t, path)) {
		if line == "\n" {
			continue // a writer took another's unfinished line for a torn one
		}
		if line = strings.TrimSuffix(line, "\n"); len(line) != len("writer 0 line 0000 ")+60 || seen[line] {
			t.Errorf("torn or doubled: %q", line)
		}
		seen[line] = true
	}
	if len(seen) != each*processes {
		t.Errorf("%d lines are kept, want %d", len(seen), each*processes)
	}
}

const appendEnv = "STEWARD_TEST_APPEND"

// TestAppendLineWriter is one of the processes of the test above.
func TestAppendLineWriter(t *testing.T) {
	path := os.Getenv(appendEnv)
	if path == "" {
		return // only a process of TestAppendLineFromManyProcesses has something to write
	}
	for i := range 300 {
		line := fmt.Sprintf("writer %s line %04d %s", os.Getenv("STEWARD_TEST_WRITER"), i, strings.Repeat("-", 60))
		testenv.OK(t, fs.AppendLine(path, []byte(line), 64<<10))
	}
}

func TestAccessible(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	write(t, file, "x", 0o600)
	if !fs.Accessible(file, true) || !fs.Accessible(dir, true) || fs.Accessible(file+"x", false) {
		t.Error("a file of ours is accessible, a missing one is not")
	}
	if os.Getuid() != 0 {
		write(t, file, "x", 0o400)
		if fs.Accessible(file, true) || !fs.Accessible(file, false) {
			t.Error("a read-only file can be read and not written")
		}
	}
}
