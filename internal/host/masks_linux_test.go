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
	dir := testenv.Must(filepath.EvalSymlinks(t.TempDir()))(t)
	hidden, other := filepath.Join(dir, "my settings.json"), filepath.Join(dir, "other")
	put := func(path, text string) {
		testenv.Write(t, path, text, 0o600)
	}
	put(hidden, "old")
	h := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + dir, "PATH=/usr/bin:/bin"}),
		GOOS: "linux", Cwd: dir,
		UID: os.Getuid()}))(t)
	// Each line that it is sent, it answers with what it reads.
	cmd := exec.Command("bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--ro-bind", "/dev/null", hidden,
		"sh", "-c", `while read -r line; do echo "[$(cat "$1")]"; done`, "sh", hidden)
	in := testenv.Must(cmd.StdinPipe())(t)
	out := testenv.Must(cmd.StdoutPipe())(t)
	testenv.OK(t, cmd.Start())
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	reads := func(want string) {
		t.Helper()
		testenv.Must(io.WriteString(in, "\n"))(t)
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
	testenv.OK(t, os.Rename(other, hidden))
	reads("[new]")
	if got := host.Masks(h, []string{hidden}); got != nil {
		t.Errorf("after the file was replaced: %v", got)
	}
}
