// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program of the system that answers the same all the time
// that tests run, and takes long for it, is asked once.

package testenv

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// answers names the directory for what was answered (test.sh): that of all
// tests of a run. Otherwise each test has its own.
const answers = "STEWARD_TEST_ANSWERS"

// askOnce puts a program into dir, which is first on PATH, that asks the
// system's apt-cache what it knows of some packages, and keeps the answer. Where apt
// keeps no cache of its lists, as in containers, each answer takes 0.7 s of a
// processor. It does nothing where path, the rest of PATH, leads to another
// apt-cache first, or to none.
func askOnce(t testing.TB, dir, path string) {
	t.Helper()
	const program = "/usr/bin/apt-cache"
	for _, entry := range filepath.SplitList(path) {
		found := filepath.Join(entry, "apt-cache")
		if _, err := os.Stat(found); err == nil && found == program {
			break
		} else if err == nil {
			return
		}
	}
	if _, err := os.Stat(program); err != nil {
		return
	}
	kept := os.Getenv(answers)
	if kept == "" {
		kept = t.TempDir()
	}
	script := fmt.Sprintf(`#!/bin/sh
[ "$1 $2" = 'policy --' ] || exec %[1]s "$@"
f='%[2]s'/apt-cache"$(printf .%%s "$@")"
[ -e "$f" ] || { %[1]s "$@" >"$f.$$" && mv "$f.$$" "$f"; } || exec %[1]s "$@"
[ -r "$f" ] || exec %[1]s "$@" # another user keeps it
exec /bin/cat "$f"
`, program, kept)
	if err := os.WriteFile(filepath.Join(dir, "apt-cache"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}
