// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestARunningCommandIsKeptFromTheOldFileOnly: a command runs with a file of a
// name with a blank hidden; the file is replaced while it runs.
func TestARunningCommandIsKeptFromTheOldFileOnly(t *testing.T) {
	testenv.Need(t, "bwrap")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hidden, other := filepath.Join(dir, "my settings.json"), filepath.Join(dir, "other")
	put := func(path, text string) {
		testenv.Write(t, path, text, 0o600)
	}
	put(hidden, "old")
	h, err := host.New(env.System{Env: env.New([]string{"HOME=" + dir, "PATH=/usr/bin:/bin"}), GOOS: "linux", Cwd: dir,
		UID: os.Getuid()})
	if err != nil {
		t.Fatal(err)
	}
	// Each line that it is sent, it answers with what it reads.
	cmd := exec.Command("bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--ro-bind", "/dev/null", hidden,
		"sh", "-c", `while read -r line; do echo "[$(cat "$1")]"; done`, "sh", hidden)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	reads := func(want string) {
		t.Helper()
		if _, err := io.WriteString(in, "\n"); err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, len(want)+1)
		if _, err := io.ReadFull(out, answer); err != nil || string(answer) != want+"\n" {
			t.Fatalf("the command reads %q, want %q: %v", answer, want, err)
		}
	}
	reads("[]")
	if got := host.Masks(h, []string{other, hidden}); len(got) == 0 || slices.Contains(got, os.Getpid()) {
		t.Errorf("the command is not found: %v", got)
	}
	if got := host.Masks(h, []string{other}); got != nil {
		t.Errorf("of a file that is not hidden: %v", got)
	}
	put(other, "new")
	if err := os.Rename(other, hidden); err != nil {
		t.Fatal(err)
	}
	reads("[new]")
	if got := host.Masks(h, []string{hidden}); got != nil {
		t.Errorf("after the file was replaced: %v", got)
	}
}
