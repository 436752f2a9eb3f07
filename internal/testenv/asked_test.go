// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is answered from memory is what was answered.

package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestTheSystemIsAskedOnce(t *testing.T) {
	Need(t, "apt-cache")
	kept := t.TempDir()
	t.Setenv(answers, kept)
	ask := func(path string) string {
		t.Helper()
		cmd := exec.Command("/bin/sh", "-c", "apt-cache policy -- bubblewrap")
		cmd.Env = Env(t, Home(t), "PATH="+path)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	real, err := exec.Command("/usr/bin/apt-cache", "policy", "--", "bubblewrap").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := ask("/usr/bin:/bin"); got != string(real) {
		t.Errorf("answered %q, want %q", got, real)
	}
	file := filepath.Join(kept, "apt-cache.policy.--.bubblewrap")
	if b, err := os.ReadFile(file); err != nil || string(b) != string(real) {
		t.Errorf("%s holds %q: %v", file, b, err)
	}
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ask("/usr/bin:/bin"); got != "kept" {
		t.Errorf("asked again: %q", got)
	}
	if os.Getuid() != 0 { // root reads what another user has closed
		if err := os.Chmod(file, 0); err != nil {
			t.Fatal(err)
		}
		if got := ask("/usr/bin:/bin"); got != string(real) {
			t.Errorf("of an answer that cannot be read: %q, want %q", got, real)
		}
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "apt-cache"), []byte("#!/bin/sh\necho other\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := ask(other + ":/usr/bin:/bin"); got != "other\n" {
		t.Errorf("the test's own program is not asked: %q", got)
	}
}
