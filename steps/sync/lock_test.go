// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the other holder is flock(1) itself, as the script of the
// source document uses it.

package sync

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestTheLockOfTheScript(t *testing.T) {
	testenv.Need(t, "flock")
	w := newExchangeWorld(t)
	path := filepath.Join(w.ada.repo, ".sync.lock")
	// As in the script: the shell opens the file, flock locks it and ends.
	script := exec.Command("bash", "-c", `exec 9>"$1"; flock -n 9 || exit 1; echo locked; read -r _`, "sync.sh", path)
	in, err := script.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := script.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := script.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "locked\n" {
		t.Fatalf("flock says %q", line)
	}
	_, err = Lock(w.ada.host())
	if code(err) != report.ExitStale || !strings.Contains(words(err), "another sync is running") {
		t.Errorf("%d: %s", code(err), words(err))
	}
	if runtime.GOOS == "linux" && !strings.Contains(words(err), "held by bash (process ") {
		t.Errorf("the holder is not named: %s", words(err))
	}
	in.Close()
	_ = script.Wait()
	unlock, err := Lock(w.ada.host())
	if err != nil {
		t.Fatal(words(err))
	}
	if err := exec.Command("flock", "-n", path, "true").Run(); err == nil { // a path of the test's own
		t.Error("flock does not see our lock")
	}
	unlock()
	if err := exec.Command("flock", "-n", path, "true").Run(); err != nil { // likewise
		t.Error("the lock is still held")
	}
}

func TestALockThatIsNoFile(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a symlink": func(path string) error {
			return os.Symlink(filepath.Join(filepath.Dir(path), "..", "elsewhere"),
				path)
		},
		"a FIFO":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a directory": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		w := newExchangeWorld(t)
		if err := make(filepath.Join(w.ada.repo, ".sync.lock")); err != nil {
			t.Fatal(err)
		}
		if _, err := Lock(w.ada.host()); code(err) != report.ExitLeft {
			t.Errorf("%s: %s", name, words(err))
		}
		if _, err := os.Lstat(filepath.Join(w.ada.home, "elsewhere")); err == nil {
			t.Errorf("%s was followed", name)
		}
	}
}
