// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hinshun/vt10x"
)

func TestTheSystemIsAskedOnce(t *testing.T) {
	AsUser(t)
	for _, line := range []string{"apt-cache policy -- bubblewrap", "npm root -g", "npm -g config get prefix"} {
		t.Run(line, func(t *testing.T) { askedOnce(t, line) })
	}
}

func askedOnce(t *testing.T, line string) {
	words := strings.Fields(line)
	Need(t, words[0])
	kept := t.TempDir()
	t.Setenv(answers, kept)
	ask := func(path string) string {
		t.Helper()
		cmd := exec.Command("/bin/sh", "-c", line)
		cmd.Env = Env(t, Home(t), "PATH="+path)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	real, err := exec.Command("/usr/bin/"+words[0], words[1:]...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := ask("/usr/bin:/bin"); got != string(real) {
		t.Errorf("answered %q, want %q", got, real)
	}
	file := filepath.Join(kept, strings.Join(words, "."))
	if b, err := os.ReadFile(file); err != nil || string(b) != string(real) {
		t.Errorf("%s holds %q: %v", file, b, err)
	}
	Write(t, file, "kept", 0o600)
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
	Write(t, filepath.Join(other, words[0]), "#!/bin/sh\necho other\n", 0o700)
	if got := ask(other + ":/usr/bin:/bin"); got != "other\n" {
		t.Errorf("the test's own program is not asked: %q", got)
	}
}

func TestRootLeavesAPackageToTheUser(t *testing.T) {
	AsRoot(t)
	ran := func() (ran bool) {
		defer func() { ran = recover() != nil }() // there is nothing to run
		_ = UserRuns(nil)
		return false
	}
	t.Setenv(halves, "")
	if !ran() {
		t.Error("nobody else runs it")
	}
	t.Setenv(halves, "both")
	if alone := ran(); alone != (os.Getuid() != 0) {
		t.Errorf("it is run: %v", alone)
	}
}

func TestATextCutAnywhereIsShownWhole(t *testing.T) {
	const text = "✓ 10 files · é ━━ 🙂 \x80\xff end"
	for size := 1; size <= 5; size++ {
		term, whole := vt10x.New(vt10x.WithSize(40, 1)), vt10x.New(vt10x.WithSize(40, 1))
		if _, err := whole.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		w := WholeRunes(term)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if _, err := w.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if got, want := term.String(), whole.String(); got != want || !strings.Contains(got, "✓ 10 files · é ━━") {
			t.Errorf("in pieces of %d: %q, want %q", size, got, want)
		}
	}
}
