// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a preview has the lines of the change, and no others.

package preview_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/report/preview"
)

func TestANameCannotAddALineToAPreview(t *testing.T) {
	for name, c := range map[string]report.Change{
		"path":   {Path: "/p\n+++ /q", Before: []byte("a\n"), After: []byte("b\n")},
		"target": {Mode: fs.ModeSymlink, Before: []byte("a\nb"), After: []byte("b\n+ c")},
	} {
		for line := range strings.Lines(preview.Diff(c)) {
			if strings.HasPrefix(line, "+++ /q") || strings.HasPrefix(line, "+ c") || strings.HasPrefix(line, "b") {
				t.Errorf("a newline in a %s makes the line %q", name, line)
			}
		}
	}
}

func TestAPreviewOfABinarySaysThatItsModeChanges(t *testing.T) {
	c := report.Change{Before: []byte("\x00"), After: []byte("\x00"), Mode: 0o755, ModeBefore: 0o644, SetMode: true}
	if d := preview.Diff(c); !strings.HasPrefix(d, "mode 0644 -> 0755\nbinary") {
		t.Errorf("got %q", d)
	}
}

func TestDiffs(t *testing.T) {
	for name, tc := range map[string]struct {
		c    report.Change
		want string
	}{
		"new":     {report.Change{Path: "/p", After: []byte("a\n")}, "--- /dev/null\n+++ /p\n@@ -0,0 +1 @@\n+a\n"},
		"removed": {report.Change{Path: "/p", Before: []byte("a\n")}, "--- /p\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"},
		"link":    {report.Change{Mode: fs.ModeSymlink, After: []byte("to")}, "+ symlink to to\n"},
		"relink": {report.Change{Mode: fs.ModeSymlink, Before: []byte("from"), After: []byte("to")},
			"- symlink to from\n+ symlink to to\n"},
		"mode": {report.Change{Before: []byte("a"), After: []byte("a"), Mode: 0o755, ModeBefore: 0o644, SetMode: true},
			"mode 0644 -> 0755\n"},
	} {
		if got := preview.Diff(tc.c); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	program := report.Change{After: []byte("\x7fELF\x00")}
	if d := preview.Diff(program); !strings.HasPrefix(d, "binary file, absent -> 5 bytes") {
		t.Errorf("binary: %q", d)
	}
	added, removed := preview.Stat(report.Change{Before: []byte("a\n--b\n"), After: []byte("a\n++c\nd\n")})
	if added != 2 || removed != 1 {
		t.Errorf("+%d -%d", added, removed)
	}
}
