// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// running lists the processes, of all namespaces below this one, that have
// mark in their arguments or environment; this one is left out.
func running(mark string) (list []string) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		if e.Name()[0] < '0' || e.Name()[0] > '9' || e.Name() == fmt.Sprint(os.Getpid()) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		environ, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if strings.Contains(string(line)+string(environ), mark) {
			list = append(list, e.Name()+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return list
}

// until waits for something that another process does.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	// A session that nobody ends goes on for 55 s.
	for end := time.Now().Add(30 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not come", what)
		}
	}
}

// temporary lists the names in the directories for temporary files that could
// be ours or the runtime's.
func temporary(t testing.TB, dirs ...string) string {
	t.Helper()
	var names []string
	for _, dir := range append(dirs, "/tmp", "/var/tmp", "/dev/shm") {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if dir != "/tmp" && dir != "/var/tmp" || strings.HasPrefix(e.Name(), "steward-setup") ||
				strings.HasPrefix(e.Name(), "cc-") || strings.Contains(e.Name(), "bwrap") {
				names = append(names, filepath.Join(dir, e.Name()))
			}
		}
	}
	return strings.Join(names, "\n")
}

func TestNothingIsLeft(t *testing.T) {
	claude := testenv.Claude(t)
	l := newLab(t)
	l.live = true
	own := ""
	for _, kv := range l.environ {
		if dir, ok := strings.CutPrefix(kv, "TMPDIR="); ok {
			own = dir
		}
	}
	before, names := fingerprint(t, l.home), temporary(t, own)

	l.play(l.theatre(claude), Session{Mode: Policy, Turns: calls("sleep 987654 & echo started")})
	if left := running(l.home); len(left) > 0 {
		t.Errorf("processes after a session: %q", left)
	}

	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	long := fmt.Sprintf("300.98%05d", os.Getuid()) // nobody else waits that long
	command := "tail -s " + long + " -f /dev/null"
	child := exec.Command(exe, "verifying", l.project, claude, command)
	var said strings.Builder
	child.Env, child.Stderr = l.environ, &said
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	sleeping := func() bool {
		for _, line := range running("tail\x00-s\x00" + long) {
			if strings.HasPrefix(strings.SplitN(line, " ", 2)[1], "tail ") {
				return true
			}
		}
		return false
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	until(t, "the scripted command", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("the session ended by itself: %v\n%s", err, said.String())
		default:
		}
		return sleeping()
	})
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	until(t, "the end of what was started", func() bool { return len(running(l.home)) == 0 && !sleeping() })
	unchanged(t, before, fingerprint(t, l.home))
	if now := temporary(t, own); now != names {
		t.Errorf("temporary files: before\n%s\nafter\n%s", names, now)
	}
}
