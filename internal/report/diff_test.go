// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a preview has the lines of the change, and no others.

package report

import (
	"io/fs"
	"strings"
	"testing"
)

func TestANameCannotAddALineToAPreview(t *testing.T) {
	for name, c := range map[string]Change{
		"path":   {Path: "/p\n+++ /q", Before: []byte("a\n"), After: []byte("b\n")},
		"target": {Mode: fs.ModeSymlink, Before: []byte("a\nb"), After: []byte("b\n+ c")},
	} {
		for line := range strings.Lines(c.Diff()) {
			if strings.HasPrefix(line, "+++ /q") || strings.HasPrefix(line, "+ c") || strings.HasPrefix(line, "b") {
				t.Errorf("a newline in a %s makes the line %q", name, line)
			}
		}
	}
}

func TestAPreviewOfABinarySaysThatItsModeChanges(t *testing.T) {
	c := Change{Before: []byte("\x00"), After: []byte("\x00"), Mode: 0o755, ModeBefore: 0o644, SetMode: true}
	if d := c.Diff(); !strings.HasPrefix(d, "mode 0644 -> 0755\nbinary") {
		t.Errorf("got %q", d)
	}
}
