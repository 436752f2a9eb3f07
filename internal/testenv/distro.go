// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a distribution that is not at hand is played by programs
// that answer what its own would, from transcripts, and that refuse a question
// nobody has recorded.

package testenv

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Distro returns a directory of stand-in programs for PATH. Each file of
// dir/answers is the output of one call, named PROGRAM.LASTARGUMENT: on
// standard output with exit code 0, or, with the ending .out1 or .err1, on
// standard output or error with exit code 1. answers adds to these, replaces
// them, and with "-" as the text takes them away; a program whose last answer
// is gone is not installed. A call about several packages, behind "--", is
// answered as one about each would be.
func Distro(t testing.TB, dir string, answers map[string]string) (path string) {
	t.Helper()
	path = t.TempDir()
	recorded := t.TempDir()
	files, err := filepath.Glob(filepath.Join(dir, "answers", "*"))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(f)] = string(text)
	}
	maps.Copy(all, answers)
	for name, text := range all {
		if text == "-" {
			continue
		}
		program, _, _ := strings.Cut(name, ".")
		script := fmt.Sprintf(`#!/bin/sh
for last; do [ -z "$pkgs" ] || pkgs="$pkgs $last"; [ "$last" != -- ] || pkgs=' '; done

code=0
for last in ${pkgs:-"$last"}; do
	f='%[1]s'/%[2]s."$last"
	if [ -e "$f" ]; then /bin/cat "$f"
	elif [ -e "$f.out1" ]; then /bin/cat "$f.out1"; code=1
	elif [ -e "$f.err1" ]; then /bin/cat "$f.err1" >&2; code=1
	else echo "no answer recorded for: %[2]s $*" >&2; exit 97
	fi
done
exit $code
`, recorded, program)
		for file, mode := range map[string]os.FileMode{filepath.Join(recorded, name): 0o644,
			filepath.Join(path, program): 0o755} {
			content := text
			if mode == 0o755 {
				content = script
			}
			if err := os.WriteFile(file, []byte(content), mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	return path
}
