// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what -update writes is what a test compares with, and nothing else is written.

package testenv

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write anew what tests compare with: pages, frames, recordings")

// Update says that tests write what they compare with (-update).
func Update() bool { return *update }

// Golden holds what was made now against the file at path, which -update writes;
// how is the command that does. What one of but takes out of both may differ.
func Golden(t testing.TB, path, now, how string, but ...func(string) string) {
	t.Helper()
	if *update {
		Write(t, path, now, 0o644)
		return
	}
	file := Read(t, path)
	want, have := now, file
	for _, out := range but {
		want, have = out(want), out(have)
	}
	if diff := cmp.Diff(have, want); diff != "" {
		t.Errorf("%s is not what was made now (-file +now): %s\n%s", path, how, diff)
	}
}

// GoldenPart is Golden for the part of a page between two comments of a line
// each: "<!-- NAME: begin (COMMAND) -->" and "<!-- NAME: end -->".
func GoldenPart(t testing.TB, path, name, now string, but ...func(string) string) {
	t.Helper()
	page := Read(t, path)
	head, rest, begins := strings.Cut(page, "<!-- "+name+": begin (")
	how, rest, closes := strings.Cut(rest, ") -->\n")
	_, tail, ends := strings.Cut(rest, "<!-- "+name+": end -->\n")
	if !begins || !closes || !ends {
		t.Fatalf("%s has no place for the %s", path, name)
	}
	Golden(t, path, head+"<!-- "+name+": begin ("+how+") -->\n"+now+"<!-- "+name+": end -->\n"+tail, how, but...)
}

// Write writes a file of a test, in a directory that it makes.
func Write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	Mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// Read is the text of a file.
func Read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Mkdir makes the directory at path, with those above it (0755).
func Mkdir(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// Link makes a symlink at path that leads to to, with the directories above it.
func Link(t testing.TB, to, path string) {
	t.Helper()
	Mkdir(t, filepath.Dir(path))
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// Must is a value that came without an error; an error ends the test.
func Must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
		return v
	}
}

// OK ends the test with an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
