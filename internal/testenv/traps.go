// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whoever calls a program that grants privileges fails the
// test, even if the caller takes the exit code for an ordinary refusal
// (DESIGN, law 1).

package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

// privileged are the programs that law 1 names.
var privileged = []string{"sudo", "su", "doas", "pkexec", "run0"}

// traps returns a directory of programs with those names. Each writes down
// how it was called and exits 99; when the test ends, the note fails it.
func traps(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	note := filepath.Join(dir, "called")
	for _, name := range privileged {
		trap := "#!/bin/sh\nprintf '%s\\n' '" + name + "'\" $*\" >>'" + note + "'\nexit 99\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(trap), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if calls, err := os.ReadFile(note); err == nil {
			t.Errorf("a privileged program was called:\n%s", calls)
		}
	})
	return dir
}
