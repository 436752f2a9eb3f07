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

// asked are the questions that cost much: the first two of their arguments, as
// patterns of a shell. apt-cache takes 0.7 s of a processor for each where apt keeps no
// cache of its lists, as in containers. npm takes 0.1 s: each session of the
// runtime asks it where its packages lie, its doctor where they would, twice.
var asked = []struct{ program, begins string }{{"apt-cache", "'policy --'"}, {"npm", "'root -g' | '-g config'"}}

// askOnce puts programs into dir, which is first on PATH, that ask those of the
// system once and keep what they answered. There is none where path, the rest of
// PATH, leads to another program of its name first, or to none.
func askOnce(t testing.TB, dir, path string) {
	t.Helper()
	kept := os.Getenv(answers)
	for _, a := range asked {
		real := filepath.Join("/usr/bin", a.program)
		if found := first(path, a.program); found != real {
			continue
		}
		if kept == "" {
			kept = t.TempDir()
		}
		script := fmt.Sprintf(`#!/bin/sh
case "$1 $2" in %[3]s) ;; *) exec %[1]s "$@" ;; esac
f='%[2]s'/%[4]s"$(printf .%%s "$@")"
[ -e "$f" ] || { %[1]s "$@" >"$f.$$" && mv "$f.$$" "$f"; } || exec %[1]s "$@"
[ -r "$f" ] || exec %[1]s "$@" # another user keeps it
exec /bin/cat "$f"
`, real, kept, a.begins, a.program)
		if err := os.WriteFile(filepath.Join(dir, a.program), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// first is what path leads to first by a name, "" if it leads nowhere.
func first(path, name string) string {
	for _, entry := range filepath.SplitList(path) {
		found := filepath.Join(entry, name)
		if _, err := os.Stat(found); err == nil {
			return found
		}
	}
	return ""
}
